import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { parseNames } from "../../../lib/keys/name-list.ts";
import { AGGREGATIONS } from "../../lib/aggregations.ts";
import type { Aggregation } from "../../lib/api-types.ts";
import { firstWindow, type TimeWindow, windowFromQuery, windowToQuery } from "../../lib/time-window.ts";
import { ZoomStack } from "../../lib/zoom-stack.ts";
import { serverNow } from "../../platform/now.ts";
import { VIEWS, type View } from "./data-toolbar.tsx";

export interface Controls {
  readonly window: TimeWindow;
  /** True if nobody has selected a window. */
  readonly isFirst: boolean;
  readonly view: View;
  readonly aggregation: Aggregation;
  /** `undefined` if nothing was selected yet. */
  readonly keys: readonly string[] | undefined;
  readonly set: (changes: Record<string, string>) => void;
  readonly setWindow: (window: TimeWindow) => void;
  /** Shows a part of the window, or a neighboring one. The browser's Back button returns. */
  readonly zoom: (window: TimeWindow, options?: { readonly isPan: boolean }) => void;
  /** Returns to the window before the zoom. */
  readonly unzoom: () => void;
  /** Returns to the live window before all zooms. */
  readonly unzoomToLive: () => void;
}

const START: TimeWindow = { kind: "live", id: "15m" };

/**
 * Everything that makes up the view is in the address, so that it can be sent to a colleague. If the address names no window, the first one contains
 * the newest value. `newest` is its time in epoch ms.
 */
export function useControls(newest: number): Controls {
  const [first] = useState(() => firstWindow(newest, serverNow()));
  const [zooms] = useState(() => new ZoomStack<TimeWindow>());
  const { path, query, route } = useLocation();
  const go = (next: Record<string, string>, isReplacing = true) =>
    route(`${path}?${new URLSearchParams(next)}`, isReplacing);
  const setWindow = (next: TimeWindow, isReplacing = true) => {
    const { from: _from, to: _to, window: _window, ...rest } = query;
    go({ ...rest, ...windowToQuery(next) }, isReplacing);
  };
  const window = windowFromQuery(query, first);
  return {
    window,
    isFirst: window === first && first.kind === "live",
    view: VIEWS.find((v) => v === query.view) ?? "lanes",
    aggregation: AGGREGATIONS.find((a) => a === query.aggregation) ?? "none",
    keys: query.keys === undefined ? undefined : parseNames(query.keys),
    set: (changes) => go({ ...query, ...changes }),
    setWindow: (next) => setWindow(next),
    zoom: (next, options) => {
      zooms.leave(window, next, options);
      setWindow(next, options?.isPan ?? false);
    },
    unzoom: () => setWindow(zooms.back(window) ?? START),
    unzoomToLive: () => setWindow(zooms.back(window, ({ kind }) => kind === "live") ?? START),
  };
}
