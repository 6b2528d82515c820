import { expect, test } from "bun:test";
import { WorkInTurns } from "../../../src/platform/load/work-in-turns.ts";
import { until } from "../../support/until.ts";

/** Longer than the work of one round of the event loop. */
const SPIN_MS = 10;
const spin = () => {
  const end = performance.now() + SPIN_MS;
  while (performance.now() < end);
};

test("work runs immediately while there is time, and the rest in later rounds, in its order", async () => {
  const turns = new WorkInTurns();
  const done: number[] = [];
  for (const index of [0, 1, 2, 3])
    turns.run("a", () => {
      done.push(index);
      spin();
    });
  expect(done).toEqual([0]);
  expect(turns.drained("b")).toBeUndefined();
  let rounds = 0;
  const drained = turns.drained("a");
  await until(() => ++rounds > 0 && done.length === 4);
  expect(rounds).toBeGreaterThan(3);
  expect(done).toEqual([0, 1, 2, 3]);
  await drained;
  await until(() => turns.drained("a") === undefined);
});

test("nothing is lost when very much is waiting: the oldest work runs while its sender waits", async () => {
  const turns = new WorkInTurns();
  turns.run("a", spin);
  const done: number[] = [];
  for (let index = 0; index < 10_010; index++) turns.run("a", () => void done.push(index));
  expect(done).toEqual(Array.from({ length: 10 }, (_, index) => index));
  await until(() => done.length === 10_010);
  expect(done).toEqual(Array.from({ length: 10_010 }, (_, index) => index));
});
