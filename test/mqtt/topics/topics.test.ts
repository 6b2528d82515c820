import { expect, test } from "bun:test";
import { filterMatches } from "../../../src/lib/mqtt/topic-filters.ts";
import {
  deviceMaySubscribe,
  ingestTopic,
  longForm,
  shortForm,
  spaceOf,
  toBroker,
} from "../../../src/mqtt/topics/topics.ts";

test.each([
  ["v1/devices/me/attributes", "DEVICE", true],
  ["v1/devices/me/attributes/response/+", "DEVICE", true],
  ["v1/devices/me/rpc/request/+", "DEVICE", true],
  ["v1/devices/me/#", "DEVICE", true],
  ["v2/r/req/+", "DEVICE", true],
  ["v1/devices/me/telemetry", "DEVICE", false],
  ["v1/devices/+/attributes", "DEVICE", false],
  ["v1/#", "DEVICE", false],
  ["+/devices/me/attributes", "DEVICE", false],
  ["#", "GATEWAY", false],
  ["v1/gateway/rpc", "DEVICE", false],
  ["v1/gateway/rpc", "GATEWAY", true],
  ["v1/gateway/attributes/response", "GATEWAY", true],
] as const)("filter %s of a %s is allowed: %p", (filter, role, allowed) => {
  expect(deviceMaySubscribe(filter, role)).toBe(allowed);
});

test("short and long topics stand for each other", () => {
  expect(longForm("v2/a/req/5")).toBe("v1/devices/me/attributes/request/5");
  expect(longForm("v1/devices/me/rpc/response/1")).toBe("v1/devices/me/rpc/response/1");
  expect(shortForm("v1/devices/me/rpc/request/1")).toBe("v2/r/req/1");
  expect(shortForm("v1/devices/me/attributes")).toBe("v2/a");
  expect(shortForm("v1/gateway/rpc")).toBeUndefined();
});

test("ingest topics are told by their bytes", () => {
  const kind = (topic: string) => ingestTopic(new TextEncoder().encode(`xx${topic}`), 2, topic.length);
  expect(kind("v1/devices/me/telemetry")).toBe("telemetry");
  expect(kind("v2/t")).toBe("telemetry");
  expect(kind("v2/t/j")).toBe("telemetry");
  expect(kind("v2/a/j")).toBe("attributes");
  expect(kind("v2/t/p")).toBeUndefined();
  expect(kind("v1/devices/me/attributes")).toBe("attributes");
  expect(kind("v2/a")).toBe("attributes");
  expect(kind("v1/devices/ME/telemetry")).toBeUndefined();
  expect(kind("v2/x")).toBeUndefined();
});

test("topics that begin with a dollar sign share the space, not its wildcards", () => {
  expect(spaceOf(toBroker("s", "a/b"))).toBe("s");
  expect(spaceOf(toBroker("s", "$a/b"))).toBe("s");
  expect(filterMatches(toBroker("s", "#"), toBroker("s", "$a/b"))).toBe(false);
  expect(filterMatches(toBroker("s", "$a/#"), toBroker("s", "$a/b"))).toBe(true);
});
