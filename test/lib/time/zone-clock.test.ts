import { expect, test } from "bun:test";
import fc from "fast-check";
import { zoneOffset } from "../../../src/lib/time/calendar-interval.ts";
import { ZoneClock } from "../../../src/lib/time/zone-clock.ts";

const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/St_Johns",
  "America/Sao_Paulo",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Asia/Tehran",
  "Pacific/Apia",
  "Africa/Casablanca",
] as const;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** All moments at which clocks show the time, by trying every quarter of an hour. */
function allMoments(wall: number, offset: (ts: number) => number): number[] {
  const moments: number[] = [];
  for (let shift = -26 * 60; shift <= 26 * 60; shift += 15) {
    const moment = wall + shift * MINUTE_MS;
    if (moment + offset(moment) === wall) moments.push(moment);
  }
  return moments;
}

test("tells every moment at which clocks show a time", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: Date.UTC(1990, 0, 1) / MINUTE_MS, max: Date.UTC(2037, 0, 1) / MINUTE_MS }),
      fc.integer({ min: 0, max: 59_999 }),
      (timezone, minute, ms) => {
        const wall = minute * MINUTE_MS + ms;
        const moments = allMoments(wall, zoneOffset(timezone));
        const found = new ZoneClock(timezone).moments(wall);
        if ("end" in found) expect(moments).toEqual([]);
        else expect([found.first, found.last]).toEqual([moments[0]!, moments.at(-1)!]);
      },
    ),
    { numRuns: 1_000 },
  );
});

test("around each change of the clocks of ten zones in four years", () => {
  for (const timezone of zones) {
    const offset = zoneOffset(timezone);
    const clock = new ZoneClock(timezone);
    for (let day = Date.UTC(2011, 0, 1); day < Date.UTC(2015, 0, 1); day += DAY_MS) {
      if (offset(day) === offset(day + DAY_MS)) continue;
      for (let wall = day - DAY_MS; wall < day + 2 * DAY_MS; wall += 15 * MINUTE_MS) {
        const moments = allMoments(wall, offset);
        const found = clock.moments(wall);
        const expected = moments.length === 0 ? "skipped" : [moments[0], moments.at(-1)];
        expect([timezone, wall, "end" in found ? "skipped" : [found.first, found.last]]).toEqual([
          timezone,
          wall,
          expected as never,
        ]);
        if ("end" in found) {
          expect(found.end + offset(found.end)).toBeGreaterThanOrEqual(wall);
          expect(found.end - 1 + offset(found.end - 1)).toBeLessThan(wall);
        }
      }
    }
  }
});
