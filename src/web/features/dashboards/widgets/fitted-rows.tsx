import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../../platform/i18n/i18n.ts";

/** Hides rows that do not fit whole, and returns their number. The last row that fits makes room for the note that says so. */
function hideRows(host: HTMLElement, selector: string): number {
  const rows = [...host.querySelectorAll<HTMLElement>(selector)];
  const { bottom } = host.getBoundingClientRect();
  const beyond = (limit: number) => rows.filter((row) => row.getBoundingClientRect().bottom > limit + 1);
  const hidden = new Set(beyond(bottom).length === 0 ? [] : beyond(bottom - NOTE_REM * rem()));
  for (const row of rows) row.style.visibility = hidden.has(row) ? "hidden" : "";
  return hidden.size;
}

/** Height of the note about further rows. */
const NOTE_REM = 1.5;
/** Returns the size of the root font in px, which a wall scales. */
export const rem = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;

/** On a wall, where nothing scrolls, a list shows as many whole rows as fit, and says how many more there are. */
export function useFittedRows<Element extends HTMLElement>(isOn: boolean, selector: string) {
  const host = useRef<Element>(null);
  const [hiddenCount, setHidden] = useState(0);
  const fit = () => {
    if (isOn && host.current) setHidden(hideRows(host.current, selector));
  };
  useLayoutEffect(fit);
  useLayoutEffect(() => {
    if (!isOn || !host.current) return;
    const observer = new ResizeObserver(fit);
    observer.observe(host.current);
    return () => observer.disconnect();
  }, [isOn]);
  return { host, hiddenCount };
}

/** Says under a list how many rows have no room. */
export function MoreNote({ count, children }: { count: number; children: ComponentChildren }) {
  return (
    <div class="relative h-full min-h-0">
      {children}
      {count > 0 && (
        <p class="absolute inset-x-0 bottom-0 bg-base-100 text-sm font-medium text-soft">
          {t("widget.more", { count })}
        </p>
      )}
    </div>
  );
}
