import { expect, test } from "bun:test";
import { withTimeLimit } from "../../../src/platform/network/time-limit.ts";

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("work that ends in time keeps its result and its error", async () => {
  expect(await withTimeLimit(60_000, async () => 7)).toBe(7);
  const refused = new Error("refused");
  expect(withTimeLimit(60_000, () => Promise.reject(refused))).rejects.toBe(refused);
});

test("work that takes too long is aborted, and the error says after how long", async () => {
  const late = withTimeLimit(20, untilAborted);
  await expect(late).rejects.toMatchObject({ code: "network_error.no_response_within", params: { ms: 20 } });
});

test("work is aborted with its caller, also with one that has gone before", async () => {
  const caller = new AbortController();
  const work = withTimeLimit(60_000, untilAborted, caller.signal);
  caller.abort(new Error("gone"));
  await expect(work).rejects.toThrow("gone");
  await withTimeLimit(60_000, async (signal) => expect(signal.aborted).toBe(true), caller.signal);
});
