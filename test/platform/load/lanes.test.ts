import { expect, test } from "bun:test";
import { Lanes } from "../../../src/platform/load/lanes.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("an owner's tasks run a few at a time and in order, and those of another owner beside them", async () => {
  const lanes = new Lanes(2);
  const begun: string[] = [];
  const ends: Array<() => void> = [];
  const run = (owner: string, name: string) =>
    lanes.run(owner, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  const tasks = [run("ann", "a1"), run("ann", "a2"), run("ann", "a3"), run("bob", "b1"), run("ann", "a4")];
  await turn();
  expect(begun).toEqual(["a1", "a2", "b1"]);
  while (begun.length < tasks.length || ends.length > 0) {
    ends.shift()?.();
    await turn();
  }
  expect(await Promise.all(tasks)).toEqual(["a1", "a2", "a3", "b1", "a4"]);
  expect(begun).toEqual(["a1", "a2", "b1", "a3", "a4"]);
});

test("a task that fails lets the next one begin, and one whose signal is aborted does not begin", async () => {
  const lanes = new Lanes(1);
  const leaving = new AbortController();
  const begun: string[] = [];
  const failing = lanes.run("ann", async () => {
    await turn();
    throw new Error("failed");
  });
  const left = lanes.run("ann", async () => void begun.push("left"), { signal: leaving.signal });
  const next = lanes.run("ann", async () => void begun.push("next"));
  leaving.abort();
  const outcomes = await Promise.allSettled([failing, left, next]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
  expect(begun).toEqual(["next"]);
});

test("patient tasks wait for all others, and those that wait are counted", async () => {
  const lanes = new Lanes(1);
  const begun: string[] = [];
  const run = (name: string, isPatient: boolean) =>
    lanes.run(
      "ann",
      async () => {
        begun.push(name);
        await turn();
      },
      { isPatient },
    );
  const tasks = [run("first", false), run("stranger 1", true), run("second", false), run("stranger 2", true)];
  expect([lanes.waiting("ann"), lanes.waiting("ann", true), lanes.waiting("bob")]).toEqual([1, 2, 0]);
  await Promise.all(tasks);
  expect(begun).toEqual(["first", "second", "stranger 1", "stranger 2"]);
  expect(lanes.waiting("ann", true)).toBe(0);
});
