import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../../platform/i18n/i18n.ts";

/** Returns the number of rows that fit completely. If rows are omitted, the last fitting one is replaced by the note about them, if there is one. */
function fittingRows(host: HTMLElement, selector: string, noteRem: number): number {
  const bottoms = [...host.querySelectorAll(selector)].map((row) => row.getBoundingClientRect().bottom);
  const { bottom } = host.getBoundingClientRect();
  const above = (limit: number) => bottoms.filter((own) => own <= limit + 1).length;
  const fitting = above(bottom);
  return fitting === bottoms.length ? fitting : above(bottom - noteRem * rem());
}

/** Height of the note about further rows. */
const NOTE_REM = 1.5;
/** Returns the root font size in px, which a wall scales. */
export const rem = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;

/** Number of rows of a list that fit. */
interface Fit {
  /** Contents and available size at the time of the measurement. */
  readonly contents: string;
  readonly room: string;
  readonly count: number;
}

const sizeOf = ({ clientWidth, clientHeight }: HTMLElement): string => `${clientWidth} ${clientHeight}`;

/**
 * Limits a list on a wall, where nothing scrolls, to the rows that fit, and returns the number of omitted rows, which are not rendered. `contents`
 * changes when the heights of the rows may have changed.
 */
export function useFittedRows<Element extends HTMLElement>(
  isOn: boolean,
  rows: { selector: string; count: number; contents?: string; noteRem?: number },
) {
  const { selector, count, contents = "", noteRem = NOTE_REM } = rows;
  const host = useRef<Element>(null);
  const [fit, setFit] = useState<Fit | undefined>(undefined);
  const described = `${count} ${contents}`;
  const shown = isOn && fit?.contents === described ? fit.count : count;
  useLayoutEffect(() => {
    const room = host.current?.parentElement;
    if (!isOn || !host.current || !room || fit?.contents === described) return;
    const fitting = fittingRows(host.current, selector, noteRem);
    setFit({ contents: described, room: sizeOf(room), count: fitting });
  });
  useLayoutEffect(() => {
    const room = host.current?.parentElement;
    if (!isOn || !room) return;
    const observer = new ResizeObserver(() =>
      setFit((before) => (before?.room === sizeOf(room) ? before : undefined)),
    );
    observer.observe(room);
    return () => observer.disconnect();
    // A widget without rows has no list.
  }, [isOn, count > 0]);
  return { host, shown, hiddenCount: count - shown };
}

/** Note below a list with the number of omitted rows. */
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
