import { omit } from "../../lib/core/omit.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import { Lanes } from "../../platform/load/lanes.ts";
import type { AlarmSequences, AlarmsRepository, AlarmViewer, SiftedAlarm } from "./alarms.repository.ts";
import { ALARM_SORT_FIELDS, type AlarmFilter, type AlarmSortField } from "./alarms.types.ts";

/** Alarms filtered without a pause, about 10 ms of work. */
const SIFTED_PER_STEP = 1_000;

type Position = Pick<SiftedAlarm, "sequence" | "key">;

function readSort(sort = "-raisedAt"): { field: AlarmSortField; isDescending: boolean } {
  const field = ALARM_SORT_FIELDS.find((name) => name === sort.replace(/^-/, "")) ?? "raisedAt";
  return { field, isDescending: sort.startsWith("-") };
}

/** Compares by key; among equal keys, the most recently raised alarm comes first. */
const compareBy =
  (isDescending: boolean) =>
  (left: Position, right: Position): number => {
    const [low, high] = isDescending ? [right, left] : [left, right];
    return Number(low.key > high.key) - Number(low.key < high.key) || right.sequence - left.sequence;
  };

/** Returns the first positions of two sorted lists. May modify the first list. */
function merge(
  left: Position[],
  right: readonly Position[],
  { limit, compare }: { limit: number; compare: ReturnType<typeof compareBy> },
): Position[] {
  const [last, next] = [left.at(-1), right[0]];
  if (next === undefined) return left;
  // The usual case, and the only one that is fast for large offsets: the second list continues the first.
  if (last === undefined || compare(last, next) <= 0) {
    for (const position of right.slice(0, Math.max(0, limit - left.length))) left.push(position);
    return left;
  }
  const merged: Position[] = [];
  let [inLeft, inRight] = [0, 0];
  while (merged.length < limit) {
    const [first, second] = [left[inLeft], right[inRight]];
    const isLeft = first !== undefined && (second === undefined || compare(first, second) <= 0);
    const next = isLeft ? first : second;
    if (next === undefined) break;
    if (isLeft) inLeft++;
    else inRight++;
    merged.push(next);
  }
  return merged;
}

/** Returns whether a list contains all alarms, or all that an index covers. */
const isUnfiltered = (filter: AlarmFilter): boolean =>
  Object.values(omit(filter, "statuses", "sort", "limit", "offset")).every(
    (condition) => condition === undefined || condition === "",
  );

type PagesRepository = Pick<AlarmsRepository, "sift" | "listIndexed">;

/** Filters all candidates of the list, letting other work run in between. */
async function sift(
  repository: PagesRepository,
  viewer: AlarmViewer,
  { sort, limit, offset, ...filter }: AlarmFilter,
  { atOnce, signal }: { atOnce: number; signal: AbortSignal | undefined },
): Promise<AlarmSequences> {
  const { field, isDescending } = readSort(sort);
  const order = { limit: offset + limit, compare: compareBy(isDescending) };
  const isVisible = (deviceId: string) =>
    viewer.devices === "all" || (viewer.devices as ReadonlySet<string>).has(deviceId);
  let first: Position[] = [];
  let total = 0;
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const slice = repository.sift(viewer, filter, { before, limit: atOnce, sort: field });
    const listed = slice.filter(({ isListed, deviceId }) => isListed && isVisible(deviceId));
    total += listed.length;
    const positions = listed.map(({ sequence, key }) => ({ sequence, key })).sort(order.compare);
    first = merge(first, positions, order);
    if (slice.length < atOnce) break;
    before = slice.at(-1)?.sequence ?? 0;
    // No owner: otherwise the user's other requests would queue behind this one.
    await workShare.next();
    signal?.throwIfAborted();
  }
  return { sequences: first.slice(offset).map(({ sequence }) => sequence), total };
}

/**
 * Creates the function that returns a page of alarms. A user's pages are computed one after the other: a page far down needs the positions of all
 * alarms before it. Aborting the signal stops the computation. An alarm that is raised again meanwhile may be missing from the page.
 */
export function createAlarmPages(repository: PagesRepository, siftedAtOnce = SIFTED_PER_STEP) {
  const users = new Lanes(1);
  return async (
    viewer: AlarmViewer & { readonly userId: string },
    filter: AlarmFilter,
    signal?: AbortSignal,
  ): Promise<AlarmSequences> => {
    const { field, isDescending } = readSort(filter.sort);
    const isIndexed = viewer.devices === "all" && field === "raisedAt" && isUnfiltered(filter);
    const indexed = isIndexed
      ? repository.listIndexed(viewer.tenantId, filter.statuses, { ...filter, isDescending })
      : undefined;
    if (indexed !== undefined) return indexed;
    const find = () => sift(repository, viewer, filter, { atOnce: siftedAtOnce, signal });
    return users.run(viewer.userId, find, { signal });
  };
}
