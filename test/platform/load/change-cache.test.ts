import { expect, test } from "bun:test";
import { ChangeCache } from "../../../src/platform/load/change-cache.ts";

function createCache() {
  const source = { state: "0", reads: 0, responses: new Map([["a", "one"]]) };
  const cache = new ChangeCache<string>(() => source.state);
  const ask = (question: string) =>
    cache.get(question, (asked) => {
      source.reads++;
      return source.responses.get(asked);
    });
  return { source, ask };
}

test("reads once until something changes", () => {
  const { source, ask } = createCache();
  expect([ask("a"), ask("a"), source.reads]).toEqual(["one", "one", 1]);
  source.responses.set("a", "two");
  source.state = "1";
  expect([ask("a"), ask("a"), source.reads]).toEqual(["two", "two", 2]);
});

test("asks again for what is not there", () => {
  const { source, ask } = createCache();
  expect([ask("b"), ask("b"), source.reads]).toEqual([undefined, undefined, 2]);
});

test("keeps a bounded number of answers", () => {
  const { source, ask } = createCache();
  for (let index = 0; index < 5_000; index++) source.responses.set(`key ${index}`, "value");
  for (let index = 0; index < 5_000; index++) expect(ask(`key ${index}`)).toBe("value");
  expect(source.reads).toBe(5_000);
  ask("key 0");
  expect(source.reads).toBe(5_001);
});
