import { type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";
import type { TimeBounds } from "../../lib/time-window.ts";

/** Widths of the value axes on one side, so that the lines of all charts begin or end at the same pixel. */
class AxisWidths {
  /** Chart → width of its axis in px. */
  readonly #widths = new Map<object, number>();
  readonly widest = signal(0);

  /** Returns the width of the widest axis, which may be this one. */
  widen(chart: object, px: number): number {
    this.#widths.set(chart, Math.max(px, this.#widths.get(chart) ?? 0));
    const widest = Math.max(...this.#widths.values());
    // Charts are drawn with what they read; the others follow after this one.
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

/** How long a window that a gesture asked for is shown before it has been loaded. */
const AWAITED_MS_MAX = 3_000;
/** Share of a window by which what is shown may differ from what was asked for. */
const SAME_SHARE = 0.01;

/** What charts below each other share: the time that is pointed to, the window of a gesture, the widths of the axes. */
export class ChartLink {
  readonly cursor: Signal<number | undefined> = signal(undefined);
  /** The window that a gesture shows until it has been loaded. */
  readonly preview: Signal<TimeBounds | undefined> = signal(undefined);
  /** Time of the sample that the keyboard points to; the window may move below it. */
  readonly held: Signal<number | undefined> = signal(undefined);
  readonly left = new AxisWidths();
  readonly right = new AxisWidths();
  #timer: ReturnType<typeof setTimeout> | undefined;

  show(bounds: TimeBounds): void {
    clearTimeout(this.#timer);
    this.preview.value = bounds;
  }

  /** The gesture has ended, and its window was asked for. */
  await(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), AWAITED_MS_MAX);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.preview.value = undefined;
  }

  /** Ends the preview when its window has arrived. */
  follow({ from, to }: TimeBounds): void {
    const preview = this.preview.peek();
    if (preview === undefined) return;
    const reachMs = (preview.to - preview.from) * SAME_SHARE;
    if (Math.abs(preview.from - from) <= reachMs && Math.abs(preview.to - to) <= reachMs) this.end();
  }
}

/** Links all charts below it. */
export const LinkedCharts = createContext<ChartLink | undefined>(undefined);

/** Returns the link of the charts around, or a new one. */
export function useChartLink(): ChartLink {
  const outer = useContext(LinkedCharts);
  const [own] = useState(() => outer ?? new ChartLink());
  useLayoutEffect(() => () => own !== outer && own.end(), [own]);
  return own;
}
