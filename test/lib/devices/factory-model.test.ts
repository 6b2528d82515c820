import { expect, test } from "bun:test";
import { createFactory } from "../../../src/lib/devices/factory-model.ts";

const MONDAY = Date.parse("2026-01-05T00:00:00Z");
const sampleDay = (seed: number) =>
  createFactory(12, seed).map((machine) =>
    Array.from({ length: 24 * 12 }, (_, index) => machine.sample(MONDAY + index * 300_000)),
  );

test("the same seed is the same plant, another seed another", () => {
  expect(sampleDay(1)).toEqual(sampleDay(1));
  expect(sampleDay(1)).not.toEqual(sampleDay(2));
});

test("machines warm up in the shift and cool down at night, and values look like a sensor's", () => {
  const [press = []] = sampleDay(1);
  const atTime = (hour: number) => Number(press[hour * 12]?.temperature);
  expect(atTime(12)).toBeGreaterThan(atTime(4) + 20);
  expect(atTime(23)).toBeLessThan(atTime(12));
  expect(press[10]?.state).toBe("idle");
  for (const values of press)
    expect(Math.round(Number(values.temperature) * 10) / 10).toBe(Number(values.temperature));
});

test.each(["shifts", "always"] as const)(
  "the counters of a plant that is created again, %s, go on where they stood",
  (pace) => {
    const create = () => createFactory(6, 1, { pace });
    const running = create();
    for (let ts = MONDAY; ts < MONDAY + 12 * 3_600_000; ts += 7_000) {
      const values = running.map((machine) => machine.sample(ts));
      if (ts % 1_001_000 >= 7_000) continue;
      const again = create().map((machine) => machine.sample(ts));
      expect(again.map(({ cycles, energy }) => [cycles, energy])).toEqual(
        values.map(({ cycles, energy }) => [cycles, energy]),
      );
    }
  },
);

test("a counter never falls, and over a month something fails and is repaired", () => {
  const [machine] = createFactory(1, 3);
  let cycles = 0;
  const states = new Set<unknown>();
  for (let ts = MONDAY; ts < MONDAY + 30 * 86_400_000; ts += 60_000) {
    const values = machine?.sample(ts) ?? {};
    expect(Number(values.cycles)).toBeGreaterThanOrEqual(cycles);
    cycles = Number(values.cycles);
    states.add(values.state);
  }
  expect([...states].sort()).toEqual(["fault", "idle", "running"]);
});
