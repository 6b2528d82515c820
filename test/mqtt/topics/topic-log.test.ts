import { expect, test } from "bun:test";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import { TopicLog } from "../../../src/mqtt/topics/own-topics.ts";
import { ManualClock } from "../mqtt-fixture.ts";

const tenantId = "tenant" as TenantId;
const messageOn = (topic: string, payload = Buffer.from("x")) => ({
  topic,
  payload,
  qos: 0 as const,
  retain: false,
});

test("keeps the newest topics, and no more than 16 MB of them", () => {
  const log = new TopicLog(new ManualClock());
  const long = "x".repeat(60_000);
  for (let count = 0; count < 1_000; count++) log.record(tenantId, messageOn(`${count}/${long}`));
  const topics = log.list(tenantId, "");
  const characters = topics.reduce((sum, { topic }) => sum + topic.length, 0);
  expect(characters).toBeLessThanOrEqual(16 * 1024 * 1024);
  expect(characters).toBeGreaterThan(15 * 1024 * 1024);
  expect(topics.some(({ topic }) => topic.startsWith("999/"))).toBe(true);
  for (let count = 0; count < 6_000; count++) log.record(tenantId, messageOn(`short/${count}`));
  expect(log.list(tenantId, "").length).toBe(5_000);
});

test("keeps a copy of a payload whose bytes are used again", () => {
  const log = new TopicLog(new ManualClock());
  const payload = Buffer.from("first");
  log.record(tenantId, messageOn("topic", payload));
  payload.fill("-");
  expect(Buffer.from(log.list(tenantId, "")[0]?.payload ?? []).toString()).toBe("first");
});
