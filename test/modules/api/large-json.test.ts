// Stored JSON of small parts takes many times its size when it is parsed: large rows are read a few at a time, and none is left out.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DeviceId } from "../../../src/lib/core/ids.ts";
import { createAttributeChangesRepository } from "../../../src/modules/attributes/attribute-changes.repository.ts";
import { createAttributesRepository } from "../../../src/modules/attributes/attributes.repository.ts";
import { createHeldRepository } from "../../../src/modules/ingest/held.repository.ts";
import { HeldReadings } from "../../../src/modules/ingest/held-readings.ts";
import type { IngestDevice } from "../../../src/modules/ingest/ingest.types.ts";
import { UplinkChangesRepository } from "../../../src/modules/uplinks/uplink-changes.repository.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { parsedTogether } from "../../../src/platform/database/parsed-together.ts";
import { systemClock } from "../../../src/platform/time/clock.ts";
import { openRig, type Rig, tenantId } from "../scheduler/rig.ts";

/** Some 100 KB of JSON. */
const large = Array.from({ length: 33_000 }, () => ({}));

let directory: string;
let rig: Rig;
let devices: DeviceId[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "lineside-large-"));
  rig = openRig(directory, { clock: systemClock });
  rig.addTenant();
  devices = rig.addDevices(5);
});
afterEach(async () => {
  rig.close();
  await rm(directory, { recursive: true, force: true });
});

test("rows are parsed together up to a size, and one in any case", () => {
  const rows = [100, 100, 100, 1_000].map((kib) => ({ bytes: kib * 1024 }));
  expect(parsedTogether(rows)).toEqual(rows.slice(0, 2));
  expect(parsedTogether(rows.slice(3))).toEqual(rows.slice(3));
  expect(parsedTogether([])).toEqual([]);
});

test("large held readings are stored a few at a time", async () => {
  const [deviceId] = devices as [DeviceId];
  const device = { tenantId, deviceId } as IngestDevice;
  let atOnce = 0;
  let atOnceMax = 0;
  const stored: number[] = [];
  const repository = createHeldRepository(rig.database);
  const held = new HeldReadings({
    repository,
    directory: { find: () => device as never },
    async store(_, readings) {
      atOnceMax = Math.max(atOnceMax, ++atOnce);
      await Bun.sleep(1);
      stored.push(...readings.map(({ ts }) => ts));
      atOnce--;
    },
    onDropped: () => undefined,
    durable: async () => undefined,
    clock: systemClock,
    events: { emit: () => undefined },
    log: createLogger("test"),
  });
  const times = [1, 2, 3, 4, 5].map((day) => Date.now() + day * 86_400_000);
  for (const ts of times) await held.hold(device, [{ ts, values: { large } }]);
  await held.storeNow(deviceId);
  expect(stored.toSorted()).toEqual(times);
  expect(atOnceMax).toBe(2);
  expect(repository.sizeOf(deviceId)).toEqual({ messages: 0, bytes: 0 });
});

test("a large held reading takes the room of many small ones at once", async () => {
  const [deviceId] = devices as [DeviceId];
  const device = { tenantId, deviceId } as IngestDevice;
  const drops: Array<number | undefined> = [];
  const repository = createHeldRepository(rig.database);
  const held = new HeldReadings({
    repository,
    directory: { find: () => device as never },
    store: async () => undefined,
    onDropped: (_, { count }) => drops.push(count),
    durable: async () => undefined,
    clock: systemClock,
    events: { emit: () => undefined },
    log: createLogger("test"),
  });
  const ts = Date.now() + 5 * 86_400_000;
  for (let index = 0; index < 700; index++) await held.hold(device, [{ ts, values: { small: index } }]);
  const text = "x".repeat(1024 * 1024);
  for (let index = 0; index < 16; index++) await held.hold(device, [{ ts, values: { text } }]);
  expect(drops).toEqual([701]);
  expect(repository.sizeOf(deviceId).messages).toBe(15);
  await held.hold(device, [{ ts, values: { text } }]);
  expect(drops).toEqual([701, 1]);
  expect(repository.sizeOf(deviceId).messages).toBe(15);
});

test("an uplink reads large attributes and their changes a few at a time", () => {
  const attributes = createAttributesRepository(rig.database);
  const history = createAttributeChangesRepository(rig.database, 100);
  for (const deviceId of devices) {
    const values = new Map([["large", large]]);
    history.record({ deviceId, scope: "SERVER" }, values, { source: "USER", by: "a", at: 1 });
    attributes.save(deviceId, "SERVER", values, 1);
  }
  const changes = new UplinkChangesRepository(rig.database);
  const read: string[][] = [];
  for (let after = ""; ; ) {
    const { rows, last } = changes.attributesBehind(tenantId, after, 100);
    if (last === undefined) break;
    read.push(rows.map(({ deviceId }) => deviceId));
    after = last;
  }
  expect(read.map(({ length }) => length)).toEqual([2, 2, 1]);
  expect(read.flat()).toEqual(devices);
  const first = changes.attributeChanges(tenantId, 0, 100);
  expect([first.rows.length, first.isAtEnd]).toEqual([2, false]);
  const rest = changes.attributeChanges(tenantId, first.rows.at(-1)?.number ?? 0, 100);
  const end = changes.attributeChanges(tenantId, rest.rows.at(-1)?.number ?? 0, 100);
  expect([rest.rows.length, rest.isAtEnd, end.rows.length, end.isAtEnd]).toEqual([2, false, 1, true]);
});
