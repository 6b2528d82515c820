// biome-ignore-all lint/a11y/useSemanticElements: a table that renders only the rows in view cannot be a <table>
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type RowsWindow, rowsWindow } from "../../lib/rows-window.ts";

interface Props {
  readonly count: number;
  readonly rowHeight: number;
  readonly label: string;
  readonly header: ComponentChildren;
  readonly renderRow: (index: number) => ComponentChildren;
  /** Called when other rows come into view. */
  readonly onWindow?: (window: RowsWindow) => void;
}

/** A table of any length in which only the rows in view exist. Rows have one fixed height. */
export function VirtualRows({ count, rowHeight, label, header, renderRow, onWindow }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ scrollTop: 0, height: 600 });
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => setView({ scrollTop: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    measure();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  const shown = rowsWindow({ ...view, rowHeight }, count);
  useEffect(() => onWindow?.(shown), [shown.start, shown.end, count]);
  const indexes = Array.from({ length: Math.max(0, shown.end - shown.start) }, (_, i) => shown.start + i);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <div ref={ref} class="panel min-h-0 flex-1 overflow-auto" tabIndex={0} role="region" aria-label={label}>
      <div role="table" aria-label={label} aria-rowcount={count + 1}>
        {header}
        <div role="rowgroup" style={{ height: `${count * rowHeight}px`, position: "relative" }}>
          <div role="presentation" style={{ transform: `translateY(${shown.start * rowHeight}px)` }}>
            {indexes.map((index) => renderRow(index))}
          </div>
        </div>
      </div>
    </div>
  );
}
