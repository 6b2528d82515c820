import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { FairShare } from "../../src/platform/fair-share.ts";

function createShare() {
  const time = { ms: 0 };
  return { time, share: new FairShare(() => time.ms) };
}

test("what fits into a turn does not wait", () => {
  const { share } = createShare();
  for (let index = 0; index < 1_000; index++) expect(share.enter()).toBeUndefined();
});

test("messages that arrive together have one long piece of work in each turn, in their order", async () => {
  const { time, share } = createShare();
  const done: number[] = [];
  async function message(number: number): Promise<void> {
    const turn = share.enter();
    if (turn !== undefined) await turn;
    time.ms += 20;
    done.push(number);
  }
  const all = [1, 2, 3, 4].map(message);
  expect(done).toEqual([1]);
  for (const expected of [2, 3, 4]) {
    await setImmediate();
    expect(done.length).toBeLessThanOrEqual(expected);
  }
  await Promise.all(all);
  expect(done).toEqual([1, 2, 3, 4]);
});

test("who comes later does not overtake those who wait", async () => {
  const { time, share } = createShare();
  const done: string[] = [];
  expect(share.enter()).toBeUndefined();
  time.ms += 20;
  const first = share.enter()?.then(() => done.push("first"));
  time.ms = 0;
  const second = share.enter()?.then(() => done.push("second"));
  await Promise.all([first, second]);
  expect(done).toEqual(["first", "second"]);
});

test("tenants take turns, and so do the users of a tenant", async () => {
  const { time, share } = createShare();
  const done: string[] = [];
  expect(share.enter()).toBeUndefined();
  time.ms += 20;
  const owners = ["a1", "a1", "a1", "a2", "b1"];
  const tasks = owners.map(async (userId) => {
    await share.enter({ tenantId: userId.charAt(0), userId });
    time.ms += 20;
    done.push(userId);
  });
  await Promise.all(tasks);
  expect(done).toEqual(["a1", "b1", "a2", "a1", "a1"]);
});

test("begun and new tasks take turns", async () => {
  const { time, share } = createShare();
  const done: string[] = [];
  expect(share.enter()).toBeUndefined();
  time.ms += 20;
  const waiting = [share.next(), share.next(), share.enter(), share.enter()];
  const names = ["begun", "begun", "new", "new"];
  await Promise.all(waiting.map((turn, index) => turn?.then(() => done.push(names[index] ?? ""))));
  expect(done).toEqual(["new", "begun", "new", "begun"]);
});
