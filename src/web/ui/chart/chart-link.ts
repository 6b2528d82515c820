import { type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";
import type { TimeBounds } from "../../lib/time-window.ts";

/** Widths of the value axes on one side, so that the lines of all charts start or end at the same pixel. */
class AxisWidths {
  /** Chart → width of its axis in px. */
  readonly #widths = new Map<object, number>();
  readonly widest = signal(0);

  /** Returns the width of the widest axis, which may be this one. */
  widen(chart: object, px: number): number {
    this.#widths.set(chart, Math.max(px, this.#widths.get(chart) ?? 0));
    const widest = Math.max(...this.#widths.values());
    // Other charts follow after this chart is drawn.
    if (widest !== this.widest.peek()) queueMicrotask(() => this.#show());
    return widest;
  }

  leave(chart: object): void {
    if (this.#widths.delete(chart)) this.#show();
  }

  #show(): void {
    this.widest.value = Math.max(0, ...this.#widths.values());
  }
}

/** How long a window requested by a gesture is shown before it is loaded. */
const AWAITED_MS_MAX = 3_000;
/** Share of a window by which the shown window may differ from the requested one. */
const SAME_SHARE = 0.01;

/** State shared by charts below each other: the time under the pointer, the window of a gesture, the widths of the axes. */
export class ChartLink {
  readonly cursor: Signal<number | undefined> = signal(undefined);
  /** The window of a gesture, shown until its data is loaded. */
  readonly preview: Signal<TimeBounds | undefined> = signal(undefined);
  /** Time of the sample selected with the keyboard; the window may move beneath it. */
  readonly held: Signal<number | undefined> = signal(undefined);
  readonly left = new AxisWidths();
  readonly right = new AxisWidths();
  #timer: ReturnType<typeof setTimeout> | undefined;

  show(bounds: TimeBounds): void {
    clearTimeout(this.#timer);
    this.preview.value = bounds;
  }

  /** The gesture has ended, and its window was requested. */
  await(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), AWAITED_MS_MAX);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.preview.value = undefined;
  }

  /** Ends the preview when its window is loaded. */
  follow({ from, to }: TimeBounds): void {
    const preview = this.preview.peek();
    if (preview === undefined) return;
    const reachMs = (preview.to - preview.from) * SAME_SHARE;
    if (Math.abs(preview.from - from) <= reachMs && Math.abs(preview.to - to) <= reachMs) this.end();
  }
}

/** Links all charts within it. */
export const LinkedCharts = createContext<ChartLink | undefined>(undefined);

/** Returns the link of the surrounding charts, or a new one. */
export function useChartLink(): ChartLink {
  const outer = useContext(LinkedCharts);
  const [own] = useState(() => outer ?? new ChartLink());
  useLayoutEffect(() => () => own !== outer && own.end(), [own]);
  return own;
}
