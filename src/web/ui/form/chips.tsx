import { X } from "lucide-preact";

/** Max. number of chips. The number of the others is shown, because nobody reads a thousand names. */
const SHOWN_MAX = 24;

interface Props {
  readonly label: string;
  readonly items: readonly { readonly id: string; readonly text: string }[];
  /** Returns the text for the number of hidden items. */
  readonly more: (count: number) => string;
  readonly removeLabel: (text: string) => string;
  readonly onRemove: (id: string) => void;
}

/** List of selected items, each with a button that removes it. */
export function Chips({ label, items, more, removeLabel, onRemove }: Props) {
  if (items.length === 0) return null;
  return (
    <ul class="flex flex-wrap gap-1.5" aria-label={label}>
      {items.slice(0, SHOWN_MAX).map(({ id, text }) => (
        <li key={id} class="min-w-0">
          <button
            type="button"
            class="btn btn-sm h-7 max-w-full gap-1.5 px-2 text-sm font-normal"
            aria-label={removeLabel(text)}
            onClick={() => onRemove(id)}
          >
            <span class="truncate">{text}</span>
            <X size={12} class="flex-none" aria-hidden="true" />
          </button>
        </li>
      ))}
      {items.length > SHOWN_MAX && (
        <li class="self-center text-sm text-soft">{more(items.length - SHOWN_MAX)}</li>
      )}
    </ul>
  );
}
