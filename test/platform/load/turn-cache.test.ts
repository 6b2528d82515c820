import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { TurnCache } from "../../../src/platform/load/turn-cache.ts";

function createCache() {
  const state = { changes: 0, reads: 0 };
  const cache = new TurnCache<string>(() => state.changes);
  const ask = (question: string) =>
    cache.get(question, (asked) => {
      state.reads++;
      return `${asked} ${state.changes}`;
    });
  return { state, ask };
}

test("reads once for all who ask the same in one turn", () => {
  const { state, ask } = createCache();
  expect([ask("a"), ask("b"), ask("a"), ask("b")]).toEqual(["a 0", "b 0", "a 0", "b 0"]);
  expect(state.reads).toBe(2);
});

test("reads again after a change", () => {
  const { state, ask } = createCache();
  ask("a");
  state.changes++;
  expect([ask("a"), state.reads]).toEqual(["a 1", 2]);
});

test("reads again in the next turn", async () => {
  const { state, ask } = createCache();
  ask("a");
  await setImmediate();
  ask("a");
  ask("a");
  expect(state.reads).toBe(2);
});
