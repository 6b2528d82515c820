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

const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);
const weekOf = (ms: number): number => Math.floor((ms - MONDAY_MS) / WEEK_MS);

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
    ...newestOfEach(sorted, dayOf, daily),
    ...newestOfEach(sorted, weekOf, weekly),
  ];
}

/** Returns the snapshots that the rules keep of all, and of the good ones alone. */
function keptOfAll(sorted: readonly Aged[], retention: Retention): Aged[] {
  const good = sorted.filter(({ isGood }) => isGood);
  return [sorted, good].flatMap((list) => {
    const newest = list.toSorted((a, b) => (a.id < b.id ? -1 : 1)).at(-1);
    return newest === undefined ? [] : keptOf(list, newest, retention);
  });
}

/** Returns whether snapshots alone have as many days and weeks as are kept. */
const fillsPlaces = (snapshots: readonly Aged[], { daily, weekly }: Retention): boolean =>
  newestOfEach(snapshots, dayOf, daily).length === daily &&
  newestOfEach(snapshots, weekOf, weekly).length === weekly;

/**
 * Returns the ids of expired snapshots. Kept are the newest snapshot, the newest of each day and week that has one (so that a gateway that was off
 * for a month loses nothing), and all of the 24 hours before the newest. Good snapshots are also counted separately, so that damaged ones never
 * displace them, and the newest verified snapshot is always kept. Snapshots that seem later than the newest were made while a clock was wrong. They
 * are counted separately, too, until later snapshots fill all places: otherwise they would take the places of right ones until their time comes.
 */
export function expiredSnapshots(snapshots: readonly Aged[], retention: Retention): string[] {
  const byId = snapshots.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const newest = byId.at(-1);
  if (newest === undefined) return [];
  const sorted = snapshots.toSorted((a, b) => a.createdAt - b.createdAt);
  const proven = byId.findLast(({ isGood, isProven }) => isGood && isProven);
  const ahead = sorted.filter(({ createdAt }) => createdAt > newest.createdAt);
  const right = sorted.filter((snapshot) => !ahead.includes(snapshot));
  const since = byId.slice(byId.findLastIndex((snapshot) => ahead.includes(snapshot)) + 1);
  const isReplaced = fillsPlaces(
    since.filter(({ isGood }) => isGood),
    retention,
  );
  const kept = new Set([
    newest,
    ...keptOfAll(right, retention),
    ...(isReplaced ? [] : keptOfAll(ahead, retention)),
    ...(proven === undefined ? [] : [proven]),
  ]);
  return sorted.filter((snapshot) => !kept.has(snapshot)).map(({ id }) => id);
}
