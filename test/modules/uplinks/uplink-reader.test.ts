import { expect, test } from "bun:test";
import { DeviceCache } from "../../../src/modules/uplinks/device-cache.ts";
import type { MainCalls, UplinkJob } from "../../../src/modules/uplinks/uplink.protocol.ts";
import { UplinkReader } from "../../../src/modules/uplinks/uplink-reader.ts";
import { deviceOf, eventsOf } from "../../support/uplink-batches.ts";

const job: UplinkJob = {
  uplinkId: "uplink-1",
  tenantId: "tenant-1",
  target: { type: "HTTP" } as UplinkJob["target"], // the reader does not look at it
  sendsTelemetry: true,
  deviceIds: [],
  keys: [],
  steps: [],
  order: "LIVE_FIRST",
  bytesPerSecond: null,
  window: null,
  authorities: undefined,
};

const definitions = { devices: [], keys: [], patterns: [] };
const nothing = {
  rows: [],
  definitions,
  deletions: [],
  end: 0,
  isAtEnd: true,
  hasBacklog: false,
};

test("what is written while the reader reads is read next", async () => {
  const reads: string[] = [];
  const cursor = { attributes: 0, alarms: 0, devices: 0, snapshot: null };
  const call = async (name: keyof MainCalls) => {
    if (name === "backlog") return { ranges: [], definitions, rangeCount: 0, oldestTs: null };
    reads.push(name);
    if (reads.length <= 2) reader.wake();
    if (name === "read") return nothing;
    return { records: reads.length > 2 ? eventsOf(deviceOf(), 1) : [], cursor, isAtEnd: true };
  };
  const reader: UplinkReader = new UplinkReader(job, {
    call: call as unknown as ConstructorParameters<typeof UplinkReader>[1]["call"],
    devices: new DeviceCache(async () => []),
    transform: (rows) => rows,
  });
  expect(await reader.next(false)).toBeUndefined();
  expect(await reader.next(false)).toMatchObject({ batch: { points: 0 }, isBarrier: true });
  expect(await reader.next(false)).toBeUndefined();
  expect(reads).toEqual(["changes", "read", "changes", "read"]);
  expect(await reader.next(false)).toBeUndefined();
  expect(reads.length).toBe(4);
});
