import type uPlot from "uplot";
import { moved, type TimeBounds, zoomedAt } from "../../lib/time-window.ts";
import { serverNow } from "../../platform/now.ts";
import type { ChartLink } from "./chart-link.ts";

/** Requests of the charts. `isPan` is true if the window only moved. */
export interface ChartWindow {
  readonly onWindow: (bounds: TimeBounds, isPan: boolean) => void;
  /** Returns to the previous window. */
  readonly onReset: () => void;
}

/** Time after its last step at which a turn of the wheel ends. */
const WHEEL_REST_MS = 250;
/** Zoom factor per px of the wheel. */
const WHEEL_FACTOR = 1.003;
/** Px per line, for wheels that report lines. */
const LINE_PX = 30;
const MOVED_PX_MIN = 3;

interface Target {
  readonly link: ChartLink;
  /** Undefined if the chart's window is fixed. */
  readonly window: () => ChartWindow | undefined;
  readonly bounds: () => TimeBounds;
}

/** Dragging with Shift, the wheel with Ctrl and two-finger gestures change the window of a chart. */
export class ChartGestures {
  readonly #u: uPlot;
  readonly #target: Target;
  readonly #ending = new AbortController();
  /** Pointer id → position of the finger in px from the left, and the time under it at the start. */
  readonly #fingers = new Map<number, { px: number; readonly ts: number }>();
  #wheelTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(u: uPlot, target: Target) {
    this.#u = u;
    this.#target = target;
    const { over } = u;
    const { signal } = this.#ending;
    over.addEventListener("wheel", (event) => this.#wheel(event), { passive: false, signal });
    over.addEventListener("pointerdown", (event) => this.#touch(event), { signal });
    over.addEventListener("pointermove", (event) => this.#pinch(event), { signal });
    for (const type of ["pointerup", "pointercancel"] as const)
      over.addEventListener(type, (event) => this.#lift(event), { signal });
  }

  stop(): void {
    clearTimeout(this.#wheelTimer);
    this.#ending.abort();
    // A gesture in progress ends with the chart; nothing else would remove the preview.
    if (this.#target.link.preview.peek() !== undefined) this.#target.link.await();
  }

  /** The visible window. */
  get shown(): TimeBounds {
    return this.#target.link.preview.peek() ?? this.#target.bounds();
  }

  /** Starts moving the window with the mouse. */
  pan({ clientX }: MouseEvent): void {
    if (this.#target.window() === undefined) return;
    const { link } = this.#target;
    const start = this.shown;
    const msPerPx = (start.to - start.from) / this.#u.over.clientWidth;
    const ending = new AbortController();
    const signal = AbortSignal.any([ending.signal, this.#ending.signal]);
    let isMoved = false;
    const move = (event: MouseEvent) => {
      isMoved ||= Math.abs(event.clientX - clientX) >= MOVED_PX_MIN;
      if (isMoved) link.show(moved(start, (clientX - event.clientX) * msPerPx, serverNow()));
    };
    const end = () => {
      ending.abort();
      if (isMoved) this.#ask(true);
    };
    document.addEventListener("mousemove", move, { signal });
    document.addEventListener("mouseup", end, { signal });
  }

  /** Shows a window and requests it. */
  go(bounds: TimeBounds, isPan: boolean): void {
    if (this.#target.window() === undefined) return;
    this.#target.link.show(bounds);
    this.#ask(isPan);
  }

  panBy(share: number): void {
    const { from, to } = this.shown;
    this.go(moved({ from, to }, (to - from) * share, serverNow()), true);
  }

  #ask(isPan: boolean): void {
    const bounds = this.shown;
    this.#target.link.await();
    this.#target.window()?.onWindow(bounds, isPan);
  }

  #timeAt(px: number): number {
    const { from, to } = this.shown;
    return from + ((to - from) * px) / this.#u.over.clientWidth;
  }

  #wheel(event: WheelEvent): void {
    if (!(event.ctrlKey || event.metaKey) || this.#target.window() === undefined) return;
    event.preventDefault();
    const px = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PX);
    this.#target.link.show(zoomedAt(this.shown, this.#timeAt(event.offsetX), WHEEL_FACTOR ** px));
    clearTimeout(this.#wheelTimer);
    this.#wheelTimer = setTimeout(() => this.#ask(false), WHEEL_REST_MS);
  }

  #touch({ pointerType, pointerId, offsetX }: PointerEvent): void {
    if (pointerType !== "touch" || this.#target.window() === undefined) return;
    this.#fingers.set(pointerId, { px: offsetX, ts: this.#timeAt(offsetX) });
  }

  /** Keeps the times at both fingers under the fingers. */
  #pinch({ pointerId, offsetX }: PointerEvent): void {
    const finger = this.#fingers.get(pointerId);
    if (finger === undefined) return;
    finger.px = offsetX;
    const [first, second] = [...this.#fingers.values()].sort((a, b) => a.ts - b.ts);
    if (first === undefined || second === undefined || second.px - first.px < MOVED_PX_MIN) return;
    const msPerPx = (second.ts - first.ts) / (second.px - first.px);
    const from = first.ts - first.px * msPerPx;
    const shown = { from: Math.round(from), to: Math.round(from + msPerPx * this.#u.over.clientWidth) };
    if (shown.to - shown.from >= 1 && shown.from >= 0) this.#target.link.show(shown);
  }

  #lift({ pointerId }: PointerEvent): void {
    const isPinch = this.#fingers.size > 1;
    if (this.#fingers.delete(pointerId) && isPinch && this.#target.link.preview.peek() !== undefined)
      this.#ask(false);
  }
}
