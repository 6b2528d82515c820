// Since when an uplink is behind: after a restart, and before it has ever worked.
import { beforeEach, expect, test } from "bun:test";
import { UpToDateTimes } from "../../../src/modules/uplinks/up-to-date-times.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const MINUTE_MS = 60_000;
let clock: FakeClock;
let stored: Record<string, string>;
let writes: number;

beforeEach(() => {
  clock = new FakeClock(Date.parse("2026-03-02T10:00:00Z"));
  [stored, writes] = [{}, 0];
});

/** As the gateway makes them at its start. */
const start = () =>
  new UpToDateTimes({
    clock,
    settings: {
      read: <Value>(name: string) =>
        stored[name] === undefined ? undefined : (JSON.parse(stored[name]) as Value),
      save(name, value) {
        stored[name] = JSON.stringify(value);
        writes++;
      },
    },
  });

test("an uplink that has never worked is behind since its creation", () => {
  const times = start();
  times.begin("u", clock.now() - 5 * MINUTE_MS);
  expect(times.lagOf("u")).toBe(300);
  clock.advance(MINUTE_MS);
  expect(times.lagOf("u")).toBe(360);
  expect(times.lagOf("another")).toBeNull();
});

test("an uplink that has fallen behind is as far behind after a restart", () => {
  const times = start();
  times.begin("u", clock.now());
  times.note("u");
  clock.advance(40 * MINUTE_MS);
  times.keep("u", false);
  const again = start();
  again.begin("u", clock.now() - 90 * MINUTE_MS);
  expect(again.lagOf("u")).toBe(40 * 60);
  again.note("u");
  expect(again.lagOf("u")).toBe(0);
  again.forget("u");
  again.begin("u", clock.now());
  expect(again.lagOf("u")).toBe(0);
});

test("an uplink that is up to date is written every ten minutes at most", () => {
  const times = start();
  times.begin("u", clock.now());
  for (let minute = 0; minute < 60; minute++) {
    clock.advance(MINUTE_MS);
    times.keep("u", true);
  }
  expect(writes).toBeLessThanOrEqual(7);
  const again = start();
  again.begin("u", 0);
  expect(again.lagOf("u")).toBeLessThanOrEqual(600);
});
