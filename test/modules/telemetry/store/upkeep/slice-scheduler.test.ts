import { describe, expect, test } from "bun:test";
import { sorted } from "../../../../../src/modules/telemetry/store/upkeep/keys-task.ts";
import {
  SliceScheduler,
  type Steps,
} from "../../../../../src/modules/telemetry/store/upkeep/slice-scheduler.ts";

const SLICE_MS = 2;
const never = () => false;

/** A clock that only the work moves on, so that a busy machine does not change who has had how much time. */
let clock = 0;
const schedulerByClock = () => new SliceScheduler(() => clock);

/** Work that takes `slices` slices. */
function* busy(slices: number): Steps<number> {
  for (let slice = 0; slice < slices; slice++) {
    clock += SLICE_MS;
    yield;
  }
  return slices;
}

describe("queries", () => {
  test("of a tenant that asks for a lot do not hold up those of another", async () => {
    const scheduler = schedulerByClock();
    const done: string[] = [];
    const ask = (tenant: string, slices: number) =>
      scheduler.query(tenant, busy(slices), never).then(() => done.push(tenant));
    const greedy = Array.from({ length: 20 }, () => ask("greedy", 5));
    const modest = ask("modest", 5);
    await modest;
    // Twenty queries take turns within the half that is theirs: none of them has ended.
    expect(done).toEqual(["modest"]);
    await Promise.all(greedy);
  });

  test("a tenant that comes late gets no time for what it did not ask for before", async () => {
    const scheduler = schedulerByClock();
    const done: string[] = [];
    const ask = (tenant: string, slices: number) =>
      scheduler.query(tenant, busy(slices), never).then(() => done.push(tenant));
    await ask("first", 20);
    const pending = [ask("late", 6), ask("first", 2)];
    await Promise.all(pending);
    expect(done).toEqual(["first", "first", "late"]);
  });

  test("that are long are finished a few at a time, and short ones go between them", async () => {
    const scheduler = schedulerByClock();
    const slices = Array.from({ length: 12 }, () => 0);
    const inTheMiddle = () => slices.filter((count) => count > 8 && count < 20).length;
    const begun = Promise.withResolvers<void>();
    let most = 0;
    function* long(index: number): Steps<void> {
      for (let slice = 0; slice < 20; slice++) {
        slices[index] = slice + 1;
        most = Math.max(most, inTheMiddle());
        if (most > 0) begun.resolve();
        yield* busy(1);
      }
    }
    const all = slices.map((_, index) => scheduler.query("a", long(index), never));
    await begun.promise;
    await scheduler.query("a", busy(1), never);
    expect(slices.filter((count) => count === 20)).toEqual([]);
    await Promise.all(all);
    expect(most).toBe(4);
  });

  test("that are cancelled take no more time", async () => {
    const scheduler = schedulerByClock();
    let steps = 0;
    let isCancelled = false;
    function* endless(): Steps<void> {
      for (;;) {
        steps++;
        yield* busy(1);
      }
    }
    scheduler.query("a", endless(), () => isCancelled).catch(() => undefined);
    await scheduler.query("b", busy(2), never);
    isCancelled = true;
    await scheduler.query("b", busy(2), never);
    const before = steps;
    await scheduler.query("b", busy(2), never);
    expect(steps).toBe(before);
  });
});

test("deletions of one tenant do not put off the gateway's own work, and one ends before the next begins", async () => {
  const scheduler = schedulerByClock();
  const done: string[] = [];
  const run = (tenant: string, name: string) =>
    scheduler.background(tenant, busy(3)).then(() => done.push(name));
  const deletions = Array.from({ length: 10 }, (_, index) => run("greedy", `deletion ${index}`));
  await run("", "sealing");
  expect(done.length).toBeLessThanOrEqual(3);
  expect(done.slice(0, -1)).toEqual(["deletion 0", "deletion 1"].slice(0, done.length - 1));
  await Promise.all(deletions);
  expect(done.filter((name) => name !== "sealing")).toEqual(deletions.map((_, index) => `deletion ${index}`));
});

test("names are sorted as if at once", () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `key ${(index * 7_919) % 10_000}`);
  const steps = sorted(names);
  let pauses = 0;
  for (;;) {
    const { done, value } = steps.next();
    if (done !== true) {
      pauses++;
      continue;
    }
    expect(value).toEqual([...names].sort());
    break;
  }
  expect(pauses).toBeGreaterThan(10);
});
