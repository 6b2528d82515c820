import { ChevronRight } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { formatDate } from "../../platform/i18n/format.ts";

interface Props {
  /** Epoch ms. */
  readonly at: number;
  /** The browser's time zone by default. */
  readonly timeZone?: string;
  /** Result or kind of the event. */
  readonly state?: ComponentChildren;
  readonly color?: string;
  /** Who did it and other details, shown below the time. */
  readonly aside?: ComponentChildren;
  /** Details that are shown after a click. */
  readonly more?: ComponentChildren;
  readonly testId?: string;
  readonly children: ComponentChildren;
}

/** An event, as an item of a list. */
export function TimelineItem(props: Props) {
  const { at, timeZone, state, color = "text-soft", aside, more } = props;
  const row = (
    <div
      class={`grid gap-x-4 gap-y-1 px-4 py-2.5 ${state === undefined ? "sm:grid-cols-[minmax(0,1fr)_13rem]" : "sm:grid-cols-[8rem_minmax(0,1fr)_13rem]"}`}
    >
      {state !== undefined && (
        <span class={`flex items-start gap-1.5 text-sm leading-6 font-semibold ${color}`}>
          {more && (
            <ChevronRight
              size={16}
              class="mt-1 flex-none transition-transform group-open:rotate-90"
              aria-hidden="true"
            />
          )}
          {state}
        </span>
      )}
      <div class="min-w-0 wrap-anywhere">{props.children}</div>
      <div class="text-sm text-soft wrap-anywhere sm:text-right">
        <time class="reading" dateTime={new Date(at).toISOString()} title={formatDate(at, "zoned", timeZone)}>
          {formatDate(at, timeZone === undefined ? "stamp" : "zoned", timeZone)}
        </time>
        {aside !== undefined && <div>{aside}</div>}
      </div>
    </div>
  );
  return (
    <li data-testid={props.testId}>
      {more ? (
        <details class="group">
          <summary class="cursor-pointer list-none hover:bg-base-200 [&::-webkit-details-marker]:hidden">
            {row}
          </summary>
          <div class="px-4 pb-4">{more}</div>
        </details>
      ) : (
        row
      )}
    </li>
  );
}
