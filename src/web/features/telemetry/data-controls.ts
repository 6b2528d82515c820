import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { parseNames } from "../../../lib/name-list.ts";
import { AGGREGATIONS } from "../../lib/aggregations.ts";
import type { Aggregation } from "../../lib/api-types.ts";
import { firstWindow, type TimeWindow, windowFromQuery, windowToQuery } from "../../lib/time-window.ts";
import { serverNow } from "../../platform/now.ts";
import { VIEWS, type View } from "./data-toolbar.tsx";

export interface Controls {
  readonly window: TimeWindow;
  readonly view: View;
  readonly aggregation: Aggregation;
  /** `undefined` if nothing was selected yet. */
  readonly keys: readonly string[] | undefined;
  readonly set: (changes: Record<string, string>) => void;
  readonly setWindow: (window: TimeWindow) => void;
}

/**
 * Everything that makes up the view is in the address, so that it can be sent to a colleague. If the address names no window, the first one contains
 * the newest value. `newest` is its time in epoch ms.
 */
export function useControls(newest: number): Controls {
  const [first] = useState(() => firstWindow(newest, serverNow()));
  const { path, query, route } = useLocation();
  const go = (next: Record<string, string>) => route(`${path}?${new URLSearchParams(next)}`, true);
  return {
    window: windowFromQuery(query, first),
    view: VIEWS.find((v) => v === query.view) ?? "lanes",
    aggregation: AGGREGATIONS.find((a) => a === query.aggregation) ?? "none",
    keys: query.keys === undefined ? undefined : parseNames(query.keys),
    set: (changes) => go({ ...query, ...changes }),
    setWindow: (window) => {
      const { from: _from, to: _to, window: _window, ...rest } = query;
      go({ ...rest, ...windowToQuery(window) });
    },
  };
}
