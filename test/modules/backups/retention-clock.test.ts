// Snapshots that were made while the clock was ahead must not take the places of right ones until their time comes.
import { expect, test } from "bun:test";
import { type Aged, expiredSnapshots } from "../../../src/modules/backups/retention.ts";
import { DAY_MS } from "./backup-fixture.ts";

const START = Date.parse("2026-03-02T03:30:00Z");
const YEARS = 10 * 365 * DAY_MS;
const retention = { daily: 7, weekly: 4 };

/** Makes a snapshot each day, and prunes after each as a run does. Returns the day and whether it is ahead of those that remain. */
function run(days: number, offsetOf: (day: number) => number): { day: number; isAhead: boolean }[] {
  let kept: (Aged & { day: number; isAhead: boolean })[] = [];
  for (let day = 0; day < days; day++) {
    const offset = offsetOf(day);
    kept.push({
      id: String(day).padStart(6, "0"),
      createdAt: START + day * DAY_MS + offset,
      isGood: true,
      isProven: false,
      day,
      isAhead: offset > 0,
    });
    const expired = new Set(expiredSnapshots(kept, retention));
    kept = kept.filter(({ id }) => !expired.has(id));
  }
  return kept.map(({ day, isAhead }) => ({ day, isAhead }));
}

const daysOf = (kept: readonly { day: number }[]) => kept.map(({ day }) => day);

test("a month with the clock ahead leaves all places to the days after it, and goes once they are full", () => {
  const [ahead, right] = [30, 10];
  const month = (day: number) => (day < ahead ? YEARS : 0);
  const soon = run(ahead + right, month);
  // The newest seven days of each, and what is left of their weeks.
  expect(daysOf(soon.filter(({ isAhead }) => !isAhead)).slice(-7)).toEqual([33, 34, 35, 36, 37, 38, 39]);
  expect(daysOf(soon.filter(({ isAhead }) => isAhead)).slice(-7)).toEqual([23, 24, 25, 26, 27, 28, 29]);
  const later = run(ahead + 40, month);
  expect(later.filter(({ isAhead }) => isAhead)).toEqual([]);
  expect(daysOf(later)).toEqual(daysOf(run(ahead + 40, () => 0)));
});

test("a clock that is behind for a day deletes no right snapshot that is still kept with a right one", () => {
  const behind = run(40, (day) => (day === 35 ? -YEARS : 0));
  const right = run(40, () => 0).filter(({ day }) => day !== 35);
  expect(daysOf(behind)).toEqual(expect.arrayContaining(daysOf(right)));
});
