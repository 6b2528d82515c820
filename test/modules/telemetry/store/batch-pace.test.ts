import { expect, test } from "bun:test";
import { BatchPace } from "../../../../src/modules/telemetry/store/group-committer.ts";

/** Notes commits at a rate of messages a ms that depends on whether groups wait, and returns for how many ms of each second they did. */
function run(
  seconds: number,
  {
    apart,
    together,
    messages = 10,
    pauseMs = 0,
  }: { apart: number; together: number; messages?: number; pauseMs?: number },
): number[] {
  const pace = new BatchPace();
  const waited = new Array<number>(seconds).fill(0);
  let commits = 0;
  for (let ms = 0; ms < seconds * 1_000; ) {
    const { waits } = pace;
    // Each 70th commit takes longer, whatever the pace.
    const stepMs = messages / (waits ? together : apart) + (commits++ % 70 === 0 ? pauseMs : 0);
    if (waits) waited[Math.floor(ms / 1_000)]! += stepMs;
    ms += stepMs;
    pace.note(messages, ms);
  }
  return waited.map(Math.round);
}

test("lets groups wait where that does not lower the rate, except for a trial every ten seconds in the end", () => {
  const waited = run(60, { apart: 30, together: 30 });
  expect(Math.min(...waited)).toBeGreaterThan(750);
  expect(waited.slice(30).reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(29_500);
});

test("stops waiting within eleven seconds after waiting begins to lower the rate", () => {
  const pace = new BatchPace();
  let ms = 0;
  const pass = (endMs: number, together: number) => {
    for (; ms < endMs; pace.note(10, ms)) ms += 10 / (pace.waits ? together : 30);
  };
  pass(60_000, 30);
  expect(pace.waits).toBe(true);
  pass(71_000, 15);
  expect(pace.waits).toBe(false);
});

test("groups do not wait where that lowers the rate, but for a trial every ten seconds in the end", () => {
  const waited = run(60, { apart: 100, together: 50 });
  expect(waited.slice(0, 30).reduce((sum, ms) => sum + ms, 0)).toBeLessThan(800);
  expect(waited.slice(30).reduce((sum, ms) => sum + ms, 0)).toBeLessThan(400);
});

test("repeats a trial at once when waiting seemed slower", () => {
  const pace = new BatchPace();
  let ms = 0;
  const pass = (endMs: number, together: number) => {
    for (; ms < endMs; pace.note(10, ms)) ms += 10 / (pace.waits ? together : 40);
  };
  pass(200, 25);
  pass(500, 40);
  expect(pace.waits).toBe(true);
});

test("pauses that have nothing to do with the waiting do not end it", () => {
  expect(Math.min(...run(10, { apart: 30, together: 30, pauseMs: 15 }))).toBeGreaterThan(700);
});

test("groups of few messages never wait", () => {
  expect(run(10, { apart: 3, together: 3, messages: 2 })).toEqual(new Array(10).fill(0));
});

test("a few small groups end the waiting, one does not", () => {
  const pace = new BatchPace();
  for (let ms = 0; ms < 300; ms++) pace.note(ms % 10 === 0 ? 1 : 20, ms);
  expect(pace.waits).toBe(true);
  for (let ms = 300; ms < 304; ms++) pace.note(1, ms);
  expect(pace.waits).toBe(false);
});
