import { type ExploreView, exploreAddress, viewFromQuery } from "../../lib/explore-view.ts";
import { readStored, writeStored } from "../../platform/preferences.ts";

const STORED_AS = "lineside.explore";

/** Stores a view in this browser, so that an empty Explore can offer it again. */
export const keepLastView = (view: ExploreView): void => writeStored(STORED_AS, exploreAddress(view));

/** Returns the last view in this browser. */
export function readLastView(): ExploreView | undefined {
  const query = readStored(STORED_AS)?.split("?")[1];
  if (query === undefined) return undefined;
  const view = viewFromQuery(Object.fromEntries(new URLSearchParams(query)));
  return view.panes.length > 0 ? view : undefined;
}
