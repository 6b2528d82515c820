import { expect, test } from "bun:test";
import { RetainedMessages } from "../../src/mqtt/retained-messages.ts";

const MEGABYTE = 1024 * 1024;
const message = (topic: string, bytes: number) => ({
  topic: `tenant~1/${topic}`,
  payload: Buffer.alloc(bytes, 1),
  qos: 0 as const,
});

test("a value that does not fit deletes the one before it, which is out of date", () => {
  const retained = new RetainedMessages();
  expect(retained.set(message("small", 1_000))).toBe(true);
  expect(retained.set(message("large", 15 * MEGABYTE))).toBe(true);
  expect(retained.set(message("small", 2 * MEGABYTE))).toBe(false);
  expect(retained.get("tenant~1/small")).toBeUndefined();
  expect(retained.topicsOf("tenant~1")).toEqual(["tenant~1/large"]);
  // Its bytes are free again.
  expect(retained.set(message("other", MEGABYTE - 100))).toBe(true);
});
