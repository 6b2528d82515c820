import { DAY_MS } from "../../lib/core/units.ts";

const WEEK_MS = 7 * DAY_MS;
/** 5 January 1970, a Monday. */
const MONDAY_MS = 4 * DAY_MS;

/** Number of days and weeks whose newest snapshot is kept. */
export interface Retention {
  readonly daily: number;
  readonly weekly: number;
}

export interface Aged {
  readonly id: string;
  readonly createdAt: number;
  /** False if the snapshot is damaged, or contains damaged data. */
  readonly isGood: boolean;
  /** True if all of its data was read and decoded. */
  readonly isProven: boolean;
}

/** Returns the newest snapshot of each of the newest `count` periods (UTC). */
function newestOfEach(snapshots: readonly Aged[], periodOf: (ms: number) => number, count: number): Aged[] {
  const newest = new Map<number, Aged>();
  for (const snapshot of snapshots) newest.set(periodOf(snapshot.createdAt), snapshot);
  return [...newest.entries()]
    .sort(([a], [b]) => b - a)
    .slice(0, count)
    .map(([, snapshot]) => snapshot);
}

/** Returns the snapshots that the rules keep. */
function keptOf(sorted: readonly Aged[], newest: Aged, { daily, weekly }: Retention): Aged[] {
  return [
    ...sorted.filter(({ createdAt }) => createdAt > newest.createdAt - DAY_MS),
    ...newestOfEach(sorted, (ms) => Math.floor(ms / DAY_MS), daily),
    ...newestOfEach(sorted, (ms) => Math.floor((ms - MONDAY_MS) / WEEK_MS), weekly),
  ];
}

/**
 * Returns the ids of expired snapshots. Kept are the newest snapshot, the newest of each day and week that has one (so that a gateway that was off
 * for a month loses nothing), and all of the 24 hours before the newest. Good snapshots are also counted separately, so that damaged ones never
 * displace them, and the newest verified snapshot is always kept.
 */
export function expiredSnapshots(snapshots: readonly Aged[], retention: Retention): string[] {
  const byId = snapshots.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const newest = byId.at(-1);
  if (newest === undefined) return [];
  const sorted = snapshots.toSorted((a, b) => a.createdAt - b.createdAt);
  const good = sorted.filter(({ isGood }) => isGood);
  const newestGood = byId.findLast(({ isGood }) => isGood);
  const proven = byId.findLast(({ isGood, isProven }) => isGood && isProven);
  const kept = new Set([
    newest,
    ...keptOf(sorted, newest, retention),
    ...(newestGood === undefined ? [] : keptOf(good, newestGood, retention)),
    ...(proven === undefined ? [] : [proven]),
  ]);
  return sorted.filter((snapshot) => !kept.has(snapshot)).map(({ id }) => id);
}
