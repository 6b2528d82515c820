import { expect, test } from "bun:test";
import { RetainedMessages } from "../../../src/mqtt/broker/retained-messages.ts";

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

test("a tenant keeps its own megabyte when others have used up what all share", () => {
  const retained = new RetainedMessages();
  const keep = (tenant: number, bytes: number) =>
    retained.set({ topic: `tenant~${tenant}/t`, payload: Buffer.alloc(bytes, 1), qos: 0 });
  for (const tenant of [1, 2, 3, 4]) expect(keep(tenant, 15 * MEGABYTE)).toBe(true);
  expect(keep(5, 9 * MEGABYTE - 100)).toBe(true);
  expect(keep(6, MEGABYTE - 100)).toBe(true);
  expect(keep(6, 2 * MEGABYTE)).toBe(false);
  // What one gives back is there for all.
  keep(1, 0);
  expect(keep(6, 2 * MEGABYTE)).toBe(true);
});

test("messages that change or go while others are read are those of then", () => {
  const retained = new RetainedMessages();
  const keep = (topic: string, text: string) =>
    retained.set({ topic: `tenant~1/${topic}`, payload: Buffer.from(text), qos: 0 });
  for (const topic of ["a", "b", "c"]) keep(topic, "before");
  const reading = retained.matching("tenant~1/#");
  const read = () => reading.next().value?.payload.toString();
  expect(read()).toBe("before");
  keep("b", "");
  keep("c", "after");
  keep("d", "later");
  expect([read(), read()]).toEqual(["after", undefined]);
});
