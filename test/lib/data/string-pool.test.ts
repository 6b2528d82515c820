import { expect, test } from "bun:test";
import { StringPool } from "../../../src/lib/data/string-pool.ts";

test("returns what is equal to the string", () => {
  const pool = new StringPool();
  expect(pool.of("GATEWAY")).toBe("GATEWAY");
  expect(pool.of(["GATE", "WAY"].join(""))).toBe("GATEWAY");
  expect(pool.of("DEVICE")).toBe("DEVICE");
});

test("goes on after more different strings than it keeps", () => {
  const pool = new StringPool();
  for (let index = 0; index < 25_000; index++) expect(pool.of(`name ${index}`)).toBe(`name ${index}`);
});
