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
