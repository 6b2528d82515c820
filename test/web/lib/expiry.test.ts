import { expect, test } from "bun:test";
import { expiryTime } from "../../../src/web/lib/expiry.ts";

const NOW = Date.parse("2026-03-01T10:00:00Z");

test("a key never expires, in so many days, or at the end of a day", () => {
  expect(expiryTime("0", "", NOW)).toBeNull();
  expect(expiryTime("30", "", NOW)).toBe("2026-03-31T10:00:00.000Z");
  const end = new Date(expiryTime("date", "2026-05-04", NOW) ?? 0);
  expect([end.getFullYear(), end.getMonth(), end.getDate(), end.getHours(), end.getMinutes()]).toEqual([
    2026, 4, 4, 23, 59,
  ]);
});

test("a day that is none is not taken for never", () => {
  for (const day of ["", "soon", "04.05.2026"]) expect(expiryTime("date", day, NOW)).toBeUndefined();
});
