import { expect, test } from "bun:test";
import { workShare } from "../../../src/platform/load/fair-share.ts";
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
    turns.run("a", "device", () => {
      done.push(index);
      spin();
    });
  expect(done).toEqual([0]);
  expect(turns.drained("b", "device")).toBeUndefined();
  let rounds = 0;
  const drained = turns.drained("a", "device");
  await until(() => ++rounds > 0 && done.length === 4);
  expect(rounds).toBeGreaterThan(3);
  expect(done).toEqual([0, 1, 2, 3]);
  await drained;
  await until(() => turns.drained("a", "device") === undefined);
});

test("only the cause of work waits for it, and not for work that others add later", async () => {
  const turns = new WorkInTurns();
  const done: string[] = [];
  for (const cause of ["first", "second", "first", "third"])
    turns.run("a", cause, () => {
      done.push(cause);
      spin();
    });
  expect(turns.drained("a", "other")).toBeUndefined();
  await turns.drained("a", "first");
  expect(done).toEqual(["first", "second", "first"]);
  expect(turns.drained("a", "first")).toBeUndefined();
  await turns.drained("a", "third");
  expect(done).toHaveLength(4);
});

test("work beyond a number of pieces is announced instead of run, and nothing is lost beyond twice as many", async () => {
  const turns = new WorkInTurns();
  const done: number[] = [];
  let count = 0;
  const add = (pieces: number) => {
    for (let index = 0; index < pieces; index++) {
      const piece = count++;
      turns.run("a", "device", () => void done.push(piece));
    }
  };
  await until(() => workShare.hasTime);
  turns.run("a", "device", spin);
  add(9_999);
  expect(turns.room("a")).toBeUndefined();
  add(1);
  const room = turns.room("a");
  expect(room).toBeInstanceOf(Promise);
  expect(turns.room("b")).toBeUndefined();
  add(10_000);
  expect(done).toEqual([]);
  add(10);
  expect(done).toEqual(Array.from({ length: 10 }, (_, index) => index));
  await room;
  expect(turns.room("a")).toBeUndefined();
  await turns.drained("a", "device");
  expect(done).toEqual(Array.from({ length: 20_010 }, (_, index) => index));
});
