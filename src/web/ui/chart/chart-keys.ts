import type uPlot from "uplot";
import type { SeriesBuffer } from "../../lib/series-buffer.ts";
import { type TimeBounds, zoomedAt } from "../../lib/time-window.ts";
import type { ChartGestures, ChartWindow } from "./chart-gestures.ts";
import type { ChartLink } from "./chart-link.ts";

/** Returns the time of the first sample after `ts`, or with `isBack` of the last one before it; undefined if no series has one in the window. */
export function nextSample(
  sources: readonly SeriesBuffer[],
  { from, to }: TimeBounds,
  { ts, isBack }: { readonly ts: number; readonly isBack: boolean },
): number | undefined {
  const found = sources.flatMap((source) => {
    const index = isBack ? source.indexOf(Math.min(ts, to + 1)) - 1 : source.indexOf(Math.max(ts + 1, from));
    const sample = source.ts[index];
    return sample === undefined || sample < from || sample > to ? [] : [sample];
  });
  if (found.length === 0) return undefined;
  return isBack ? Math.max(...found) : Math.min(...found);
}

const POINTER_TOP_PX = 10;

/** Moves the cursor of a chart to the sample that the keyboard selects. */
export function follow(u: uPlot, ts: number): void {
  const left = u.valToPos(ts, "x");
  u.setCursor(left < 0 ? { left: -1, top: -1 } : { left, top: POINTER_TOP_PX });
}

/** Returns a listener that moves the cursor of a chart to the held time, and hides it if there is none. */
export function pointer(u: uPlot): (ts: number | undefined) => void {
  let isShown = false;
  return (ts) => {
    if (ts !== undefined) follow(u, ts);
    else if (isShown) u.setCursor({ left: -1, top: -1 });
    isShown = ts !== undefined;
  };
}

const PAN_SHARE = 0.25;
const ENTER_ZOOM = 0.5;

interface Keyboard {
  readonly gestures: ChartGestures;
  readonly props: {
    readonly link: ChartLink;
    readonly sources: readonly SeriesBuffer[];
    readonly window?: ChartWindow | undefined;
  };
}

/** Runs the action of a key; returns false if the key has none here. */
export function pressKey(event: KeyboardEvent, { gestures, props }: Keyboard): boolean {
  const { key } = event;
  const { link, sources } = props;
  const { shown } = gestures;
  const go = (from: number, isBack: boolean): true => {
    const ts = nextSample(sources, shown, { ts: from, isBack });
    if (ts !== undefined) link.held.value = ts;
    return true;
  };
  if (event.ctrlKey || event.altKey || event.metaKey) return false;
  switch (key) {
    case "ArrowLeft":
    case "ArrowRight": {
      const isBack = key === "ArrowLeft";
      if (!event.shiftKey) return go(link.cursor.peek() ?? (isBack ? shown.to + 1 : shown.from - 1), isBack);
      gestures.panBy(isBack ? -PAN_SHARE : PAN_SHARE);
      return true;
    }
    case "Home":
      return go(shown.from - 1, false);
    case "End":
      return go(shown.to + 1, true);
    case "Enter":
      gestures.go(zoomedAt(shown, link.held.peek() ?? (shown.from + shown.to) / 2, ENTER_ZOOM), false);
      return true;
    case "Backspace":
      props.window?.onReset();
      return true;
    case "Escape":
      if (link.held.peek() === undefined) return false;
      link.held.value = undefined;
      return true;
    default:
      return false;
  }
}
