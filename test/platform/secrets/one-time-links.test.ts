import { expect, test } from "bun:test";
import { OneTimeLinks } from "../../../src/platform/secrets/one-time-links.ts";

test("a link works once, and only within its time", () => {
  const links = new OneTimeLinks<string>(1_000);
  const secret = links.create("a", 0);
  expect(links.take(secret, 1_000)).toBe("a");
  expect(links.take(secret, 1_000)).toBeUndefined();
  expect(links.take(links.create("b", 0), 1_001)).toBeUndefined();
  expect(links.take("made up", 0)).toBeUndefined();
});

test("the oldest of a hundred links makes room for another", () => {
  const links = new OneTimeLinks<number>(1_000);
  const secrets = Array.from({ length: 101 }, (_, no) => links.create(no, 0));
  expect(secrets.map((secret) => links.take(secret, 0))).toEqual([
    undefined,
    ...Array.from({ length: 100 }, (_, no) => no + 1),
  ]);
});
