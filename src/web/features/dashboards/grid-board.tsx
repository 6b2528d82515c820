import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { textScale } from "../../ui/text-scale.ts";
import { COLUMNS, move, nudge, type Place, resize, rowsOf } from "./grid.ts";

/** px, at the usual size of text. */
const ROW_HEIGHT = 76;
/** Lower ones show nothing of use. */
const ROW_HEIGHT_MIN = 48;
const GAP_WIDTH = 12;
const ZOOM_MIN = 0.4;
/** Width in pixels below which widgets are stacked, in the order of the grid. */
const ONE_COLUMN_BELOW = 640;

interface Props {
  readonly places: readonly Place[];
  readonly isEditing: boolean;
  /** True to make rows low enough to show the whole board without scrolling, within limits. */
  readonly isFitted: boolean;
  readonly onChange: (places: readonly Place[]) => void;
  readonly titleOf: (id: string) => string;
  readonly children: (id: string, handle: ComponentChildren) => ComponentChildren;
}

/** A drag in progress: the widget, the action, and where the pointer took hold. */
interface Drag {
  readonly id: string;
  readonly kind: "move" | "resize";
  readonly start: Place;
  readonly x: number;
  readonly y: number;
}

function useWidth(): [{ current: HTMLDivElement | null }, number] {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(1200);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

const steps: Readonly<Record<string, { readonly x: number; readonly y: number }>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** Returns the height of a row. A fitted board of more rows than fit becomes smaller as a whole: nobody scrolls on a wall. */
function rowHeight(rows: number, isFitted: boolean, { top, gap }: { top: number; gap: number }) {
  const highest = ROW_HEIGHT * textScale() + gap;
  if (!isFitted) return { row: highest, zoom: 1 };
  const lowest = ROW_HEIGHT_MIN * textScale() + gap;
  const fitting = (innerHeight - top - gap) / Math.max(1, rows);
  const row = Math.min(highest, Math.max(lowest, fitting));
  return { row, zoom: Math.min(1, Math.max(ZOOM_MIN, fitting / lowest)) };
}

/** Widgets on their grid; with a pointer or the arrow keys they are moved, and with Shift resized. */
export function GridBoard({ places, isEditing, isFitted, onChange, titleOf, children }: Props) {
  const [host, width] = useWidth();
  const [drag, setDrag] = useState<Drag | undefined>(undefined);
  const [draft, setDraft] = useState<readonly Place[] | undefined>(undefined);
  const [said, setSaid] = useState("");
  const scale = textScale();
  const gap = GAP_WIDTH * scale;
  const top = host.current?.getBoundingClientRect().top ?? 0;
  const { row, zoom } = rowHeight(rowsOf(places), isFitted && width >= ONE_COLUMN_BELOW, { top, gap });
  /** Computes a width as a share of the page, because paper is narrower than a screen. */
  const shareOf = (columns: number) => `calc((100% + ${gap}px) * ${columns / COLUMNS})`;
  const isNarrow = width < ONE_COLUMN_BELOW;
  const shown = draft ?? places;
  const cell = (width + gap) / COLUMNS;

  function follow(e: PointerEvent): void {
    if (drag === undefined) return;
    const dx = Math.round((e.clientX - drag.x) / cell);
    const dy = Math.round((e.clientY - drag.y) / row);
    const { id, start } = drag;
    setDraft(
      drag.kind === "move"
        ? move(places, id, { x: start.x + dx, y: start.y + dy })
        : resize(places, id, { w: Math.max(1, start.w + dx), h: Math.max(1, start.h + dy) }),
    );
  }

  function end(isKept: boolean): void {
    if (drag !== undefined && draft !== undefined && isKept) onChange(draft);
    setDrag(undefined);
    setDraft(undefined);
  }

  function press(e: KeyboardEvent, id: string): void {
    const by = steps[e.key];
    const place = places.find(({ i }) => i === id);
    if (e.key === "Escape") end(false);
    if (by === undefined || place === undefined) return;
    e.preventDefault();
    const next = e.shiftKey
      ? resize(places, id, { w: Math.max(1, place.w + by.x), h: Math.max(1, place.h + by.y) })
      : nudge(places, id, by);
    onChange(next);
    requestAnimationFrame(() => document.activeElement?.scrollIntoView({ block: "nearest" }));
    const now = next.find(({ i }) => i === id) ?? place;
    setSaid(t("board.placed", { name: titleOf(id), x: now.x + 1, y: now.y + 1, w: now.w, h: now.h }));
  }

  const grip = (id: string, kind: Drag["kind"]) => ({
    onPointerDown(e: PointerEvent) {
      const start = places.find(({ i }) => i === id);
      if (start === undefined || e.button !== 0) return;
      (e.currentTarget as Element).setPointerCapture(e.pointerId);
      setDrag({ id, kind, start, x: e.clientX, y: e.clientY });
    },
    onPointerMove: follow,
    onPointerUp: () => end(true),
    onPointerCancel: () => end(false),
  });

  const handleOf = (id: string) =>
    isEditing && !isNarrow ? (
      <button
        type="button"
        class="btn btn-ghost btn-square btn-xs cursor-move touch-none"
        aria-label={t("board.move", { name: titleOf(id) })}
        title={t("board.moveHint")}
        onKeyDown={(e) => press(e, id)}
        {...grip(id, "move")}
      >
        ⠿
      </button>
    ) : null;

  // Read from the top; while one edits they stay in their order, so that what is moved keeps the focus.
  const inOrder = isEditing && !isNarrow ? shown : [...shown].sort((a, b) => a.y - b.y || a.x - b.x);
  return (
    <div
      ref={host}
      class={isNarrow ? "flex flex-col gap-3" : "relative"}
      style={isNarrow ? {} : { height: `${rowsOf(shown) * row - gap}px`, zoom }}
      data-testid="board"
    >
      {inOrder.map(({ i, x, y, w, h }) => (
        <div
          key={i}
          class={`${isNarrow ? "" : "absolute"} ${isEditing ? (drag?.id === i ? "z-10 opacity-80" : "motion-safe:transition-all") : "[content-visibility:auto]"}`}
          style={
            isNarrow
              ? { height: `${Math.max(2, h) * row - gap}px` }
              : {
                  left: shareOf(x),
                  top: `${y * row}px`,
                  width: `calc(${shareOf(w)} - ${gap}px)`,
                  height: `${h * row - gap}px`,
                }
          }
        >
          {children(i, handleOf(i))}
          {isEditing && !isNarrow && (
            <span
              class="absolute right-0 bottom-0 size-5 cursor-nwse-resize touch-none rounded-br-box border-r-4 border-b-4 border-base-content/30 hover:border-primary"
              aria-hidden="true"
              data-testid={`resize-${i}`}
              {...grip(i, "resize")}
            />
          )}
        </div>
      ))}
      <p class="sr-only" role="status">
        {said}
      </p>
    </div>
  );
}
