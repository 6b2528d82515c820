import { expect, test } from "bun:test";
import type { LogLine } from "../../../../src/web/features/system/log-api.ts";
import { messageOf, withNewest, withoutNewer } from "../../../../src/web/features/system/log-page.tsx";

/** A line of a start of the gateway, whose day in January is `start`. */
const line = (sequence: number, start = 1): LogLine => {
  const time = `2026-01-0${start}T00:00:00.000Z`;
  return { sequence, time, level: "info", logger: "web", text: `${time} INFO    web: line ${sequence}` };
};
const lines = (...sequences: number[]) => sequences.map((sequence) => line(sequence));

test("puts new lines in front of those that are shown", () => {
  expect(withNewest(lines(3, 2, 1), lines(5, 4, 3))).toEqual(lines(5, 4, 3, 2, 1));
  expect(withNewest(lines(3, 2, 1), lines(3, 2))).toEqual(lines(3, 2, 1));
  expect(withNewest([], lines(2, 1))).toEqual(lines(2, 1));
});

test("leaves out older lines where lines between them may be missing", () => {
  expect(withNewest(lines(3, 2, 1), lines(9, 8))).toEqual(lines(9, 8));
  expect(withNewest(lines(3, 2, 1), [])).toEqual([]);
});

test("does not take a line for one with the same number of an earlier start", () => {
  const afterRestart = [line(2, 2), line(1, 2)];
  expect(withNewest(lines(3, 2, 1), afterRestart)).toEqual(afterRestart);
});

test("shows at most as many lines as the gateway keeps", () => {
  const shown = Array.from({ length: 2_000 }, (_, index) => line(2_000 - index));
  const next = withNewest(shown, [line(2_001), line(2_000)]);
  expect([next.length, next[0]?.sequence, next.at(-1)?.sequence]).toEqual([2_000, 2_001, 2]);
});

test("adds older lines without newer ones in front of the reader's place", () => {
  expect(withoutNewer(lines(3, 2), lines(5, 4, 3, 2, 1))).toEqual(lines(3, 2, 1));
  expect(withoutNewer(lines(3, 2), lines(9, 8))).toEqual(lines(9, 8));
  expect(withoutNewer([], lines(2, 1))).toEqual(lines(2, 1));
});

test("shows the text of a line without its time and level", () => {
  expect(messageOf(line(7))).toBe("web: line 7");
  expect(messageOf({ ...line(7), text: "something else" })).toBe("something else");
});
