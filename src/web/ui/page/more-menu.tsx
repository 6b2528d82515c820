import { Ellipsis } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useDismiss } from "../use-dismiss.ts";

interface Props {
  readonly label: string;
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button that opens a panel of less used actions. It belongs at the right end of a row, because the panel opens to the left. */
export function MoreMenu({ label, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const root = useDismiss(isOpen, close);
  return (
    <div class="relative ml-auto" ref={root}>
      <button
        type="button"
        class="btn btn-sm btn-square"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        <Ellipsis size={16} aria-hidden="true" />
      </button>
      {isOpen && (
        <div class="panel absolute right-0 z-30 mt-2 flex w-72 max-w-[calc(100vw-2rem)] flex-col gap-3 p-3 shadow-xl">
          {children(close)}
        </div>
      )}
    </div>
  );
}

/** Class of a button or link of the menu. */
export const MENU_ITEM = "btn btn-ghost btn-sm justify-start gap-3 px-2 text-sm font-normal";
