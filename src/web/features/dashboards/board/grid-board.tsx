import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../../../platform/i18n/i18n.ts";
import { textScale } from "../../../ui/text-scale.ts";
import { COLUMNS, type GridArea, move, nudge, ONE_COLUMN_BELOW, resize, rowsOf } from "./grid.ts";
import { type StackedForm, stackedSpans } from "./stacked.ts";

/** Pixels at the default text size. */
const ROW_HEIGHT = 76;
/** Min. height. Lower rows are useless. */
const ROW_HEIGHT_MIN = 48;
const GAP_WIDTH = 12;

/** Heights in one column. Others follow their content. */
const stackedHeights: Readonly<Record<StackedForm, string>> = {
  half: "h-40",
  content: "",
  chart: "h-72",
};

interface Props {
  readonly places: readonly GridArea[];
  readonly isEditing: boolean;
  /** True to fill the available height with any number of rows, within limits. */
  readonly isFitted: boolean;
  readonly stackedOf: (id: string) => StackedForm;
  readonly onChange: (places: readonly GridArea[]) => void;
  readonly titleOf: (id: string) => string;
  readonly children: (
    id: string,
    how: { readonly handle: ComponentChildren; readonly isStacked: boolean },
  ) => ComponentChildren;
}

/** Drag in progress: the widget, the action, and the start of the pointer. */
interface Drag {
  readonly id: string;
  readonly kind: "move" | "resize";
  readonly start: GridArea;
  readonly x: number;
  readonly y: number;
}

/** Returns the size of an element. Its height only counts if it does not follow its content. */
function useSize(isFitted: boolean) {
  const ref = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 1200, height: 0 });
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      const [width, height] = [element.clientWidth, isFitted ? element.clientHeight : 0];
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [isFitted]);
  return [ref, size] as const;
}

const steps: Readonly<Record<string, { readonly x: number; readonly y: number }>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** Returns the height of a row with its gap. Rows of a fitted board fill its height, as long as they are readable. */
function rowHeight(rows: number, fitted: number | undefined, gap: number): number {
  const scale = textScale();
  if (fitted === undefined) return ROW_HEIGHT * scale + gap;
  return Math.max(ROW_HEIGHT_MIN * scale + gap, (fitted + gap) / Math.max(1, rows));
}

/** Widgets on their grid. The pointer or the arrow keys move them, and resize them with Shift. */
export function GridBoard(props: Props) {
  const { places, isEditing, isFitted, onChange, titleOf, children } = props;
  const [host, { width, height }] = useSize(isFitted);
  const [drag, setDrag] = useState<Drag | undefined>(undefined);
  const [draft, setDraft] = useState<readonly GridArea[] | undefined>(undefined);
  const [said, setSaid] = useState("");
  const gap = GAP_WIDTH * textScale();
  const isNarrow = width < ONE_COLUMN_BELOW;
  const row = rowHeight(rowsOf(places), isFitted && !isNarrow ? height : undefined, gap);
  /** Computes a width as a share of the page, because paper is narrower than a screen. */
  const shareOf = (columns: number) => `calc((100% + ${gap}px) * ${columns / COLUMNS})`;
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
    isEditing ? (
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
    <div ref={host} class={isFitted && !isNarrow ? "min-h-0 flex-1" : ""}>
      {isNarrow ? (
        <Stack ids={inOrder.map(({ i }) => i)} stackedOf={props.stackedOf}>
          {children}
        </Stack>
      ) : (
        <div
          class="paper-grid relative"
          style={{ height: `${rowsOf(shown) * row - gap}px` }}
          data-testid="board"
        >
          {inOrder.map(({ i, x, y, w, h }) => (
            <div
              key={i}
              class={`absolute ${isEditing ? (drag?.id === i ? "z-10 opacity-80" : "motion-safe:transition-all") : isFitted ? "" : "[content-visibility:auto]"}`}
              style={{
                gridArea: `${y + 1} / ${x + 1} / span ${h} / span ${w}`,
                left: shareOf(x),
                top: `${y * row}px`,
                width: `calc(${shareOf(w)} - ${gap}px)`,
                height: `${h * row - gap}px`,
              }}
            >
              {children(i, { handle: handleOf(i), isStacked: false })}
              {isEditing && (
                <span
                  class="absolute right-0 bottom-0 size-5 cursor-nwse-resize touch-none rounded-br-box border-r-4 border-b-4 border-base-content/30 hover:border-primary"
                  aria-hidden="true"
                  data-testid={`resize-${i}`}
                  {...grip(i, "resize")}
                />
              )}
            </div>
          ))}
        </div>
      )}
      <p class="sr-only" role="status">
        {said}
      </p>
    </div>
  );
}

/** Stacked widgets, each as high as its content. */
function Stack(props: {
  ids: readonly string[];
  stackedOf: Props["stackedOf"];
  children: Props["children"];
}) {
  const { ids, stackedOf, children } = props;
  const forms = ids.map(stackedOf);
  const spans = stackedSpans(forms);
  return (
    <div class="grid grid-cols-2 gap-3" data-testid="board">
      {ids.map((id, index) => (
        <div
          key={id}
          class={`min-w-0 ${spans[index] === 2 ? "col-span-2" : ""} ${stackedHeights[forms[index] ?? "chart"]}`}
        >
          {children(id, { handle: null, isStacked: true })}
        </div>
      ))}
    </div>
  );
}
