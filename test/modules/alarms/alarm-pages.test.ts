import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { ALARM_SEVERITIES } from "../../../src/lib/alarms/severity.ts";
import type { DeviceId, ProfileId, TenantId } from "../../../src/lib/core/ids.ts";
import { createAlarmPages } from "../../../src/modules/alarms/alarm-pages.ts";
import { createAlarmsRepository } from "../../../src/modules/alarms/alarms.repository.ts";
import {
  ALARM_SORT_FIELDS,
  ALARM_STATUSES,
  type Alarm,
  type AlarmFilter,
} from "../../../src/modules/alarms/alarms.types.ts";
import type { MainDatabase } from "../../../src/platform/database/database.ts";
import { openAlarmDatabase } from "./engine-harness.ts";

const ALARMS = 200;
const directory = mkdtempSync(join(tmpdir(), "lineside-alarm-pages-"));
const tenantId = "one" as TenantId;
const names = ["Press", "press", "Oven", "Äther"];
const devices = names.map((name, index) => ({
  deviceId: `d${index}` as DeviceId,
  name,
  deviceType: `type ${index % 2}`,
}));
let database: MainDatabase;
let repository: ReturnType<typeof createAlarmsRepository>;
/** In the order in which they were raised. */
const stored: Alarm[] = [];

function alarmOf(index: number): Alarm {
  const status = ALARM_STATUSES[index % ALARM_STATUSES.length] ?? "ACTIVE_UNACK";
  const raisedAt = 1_000 + ((index * 37) % 50);
  return {
    alarmId: `a${index}`,
    tenantId,
    deviceId: devices[index % devices.length]?.deviceId as DeviceId, // within its bounds
    profileId: "p" as ProfileId,
    alarmType: `${index % 3 === 0 ? "Hot" : "hot"} ${status.startsWith("ACTIVE") ? index : index % 7}`,
    severity: ALARM_SEVERITIES[index % ALARM_SEVERITIES.length] ?? "MAJOR",
    status,
    message: `message ${index % 11}`,
    messageParts: null,
    createdAt: raisedAt,
    raisedAt,
    raiseCount: 1,
    updatedAt: raisedAt + (index % 5),
    acknowledgedAt: status.endsWith("_ACK") ? raisedAt : null,
    acknowledgedBy: null,
    clearedAt: status.startsWith("CLEARED") ? raisedAt + 20 : null,
    clearedBy: null,
    gatewayId: index % 6 === 0 ? (devices[3]?.deviceId ?? null) : null,
    escalationLevel: 1,
    escalationSince: null,
  };
}

beforeAll(() => {
  database = openAlarmDatabase(join(directory, "lineside.db"));
  repository = createAlarmsRepository(database);
  database.transact(() => {
    for (const [index, { deviceId, name, deviceType }] of devices.entries())
      database.sqlite.run(
        `INSERT INTO devices (device_id, tenant_id, profile_id, name, device_type, role, tags, token_hash, token_sealed, created_at, updated_at)
         VALUES (?, 'one', 'p', ?, ?, 'DEVICE', '[]', ?, '', 1, 1)`,
        [deviceId, name, deviceType, String(index)],
      );
    for (let index = 0; index < ALARMS; index++) {
      stored.push(alarmOf(index));
      repository.insert(alarmOf(index));
      repository.insert({
        ...alarmOf(index),
        alarmId: `other ${index}`,
        tenantId: "two" as TenantId,
        deviceId: `x${index}` as DeviceId,
      });
    }
  });
});
afterAll(() => {
  database.close();
  rmSync(directory, { recursive: true, force: true });
});

const nameOf = (id: string) => devices.find(({ deviceId }) => deviceId === id)?.name ?? "";
const folded = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const keyOf: Record<(typeof ALARM_SORT_FIELDS)[number], (alarm: Alarm) => string | number> = {
  raisedAt: (alarm) => stored.indexOf(alarm),
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt,
  severity: ({ severity }) => ALARM_SEVERITIES.indexOf(severity),
  status: ({ status }) => status,
  name: ({ alarmType }) => folded(alarmType),
  deviceName: ({ deviceId }) => folded(nameOf(deviceId)),
};

/** The page as a loop over all alarms finds it. */
function expectedPage(filter: AlarmFilter, visible: ReadonlySet<string> | "all") {
  const { sort = "-raisedAt", search, from, to } = filter;
  const key = keyOf[sort.replace("-", "") as keyof typeof keyOf]; // one of the fields
  const listed = stored.filter(
    (alarm) =>
      (visible === "all" || visible.has(alarm.deviceId)) &&
      (filter.statuses?.includes(alarm.status) ?? true) &&
      (filter.severities?.includes(alarm.severity) ?? true) &&
      (filter.deviceId === undefined || [alarm.deviceId, alarm.gatewayId].includes(filter.deviceId)) &&
      (filter.deviceType === undefined ||
        devices.find(({ deviceId }) => deviceId === alarm.deviceId)?.deviceType === filter.deviceType) &&
      (from === undefined || alarm.clearedAt === null || alarm.clearedAt >= from) &&
      (to === undefined || alarm.createdAt <= to) &&
      (!search || alarm.message.includes(search)),
  );
  const sign = sort.startsWith("-") ? -1 : 1;
  listed.sort((left, right) => {
    const [one, other] = [key(left), key(right)];
    return sign * (Number(one > other) - Number(one < other)) || stored.indexOf(right) - stored.indexOf(left);
  });
  const page = listed.slice(filter.offset, filter.offset + filter.limit);
  return { total: listed.length, alarmIds: page.map(({ alarmId }) => alarmId) };
}

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const filters: fc.Arbitrary<AlarmFilter> = fc.record({
  statuses: optional(fc.uniqueArray(fc.constantFrom(...ALARM_STATUSES), { minLength: 1 })),
  severities: optional(fc.uniqueArray(fc.constantFrom(...ALARM_SEVERITIES), { minLength: 1 })),
  deviceId: optional(fc.constantFrom(...devices.map(({ deviceId }) => deviceId))),
  deviceType: optional(fc.constantFrom("type 0", "type 1", "none")),
  search: optional(fc.constantFrom("", "message 3", "nothing")),
  from: optional(fc.integer({ min: 1_000, max: 1_080 })),
  to: optional(fc.integer({ min: 990, max: 1_060 })),
  sort: optional(fc.constantFrom(...ALARM_SORT_FIELDS.flatMap((field) => [field, `-${field}`]))),
  limit: fc.integer({ min: 1, max: 40 }),
  offset: fc.integer({ min: 0, max: 120 }),
});
const visibilities = fc.constantFrom<ReadonlySet<DeviceId> | "all">(
  "all",
  new Set(devices.slice(1, 3).map(({ deviceId }) => deviceId)),
  new Set(Array.from({ length: 60 }, (_, index) => `d${2 * index}` as DeviceId)),
);

test("a page that is found in slices is the one that a loop over all alarms finds", async () => {
  await fc.assert(
    fc.asyncProperty(
      filters,
      visibilities,
      fc.integer({ min: 1, max: 300 }),
      async (filter, visible, atOnce) => {
        const find = createAlarmPages(repository, atOnce);
        const { total, sequences } = await find({ tenantId, devices: visible, userId: "user" }, filter);
        const alarmIds = repository.listBySequence(sequences).map(({ alarmId }) => alarmId);
        expect({ total, alarmIds }).toEqual(expectedPage(filter, visible));
      },
    ),
    { numRuns: 300 },
  );
});

test("the event loop turns while a page is found, at least once for each slice", async () => {
  const find = createAlarmPages(repository, 10);
  const viewer = { tenantId, devices: "all", userId: "user" } as const;
  for (const filter of [{ search: "message" }, { sort: "severity" }, { deviceType: "type 0" }]) {
    let isFound = false;
    let turns = 0;
    const page = find(viewer, { ...filter, limit: 5, offset: 0 }).then(() => {
      isFound = true;
    });
    while (!isFound) {
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
    }
    await page;
    expect(turns).toBeGreaterThanOrEqual(ALARMS / 10);
  }
});

test("pages of one user are found one after the other, and those of others in between", async () => {
  const find = createAlarmPages(repository, 10);
  const found: string[] = [];
  const page = async (userId: string, name: string, search: string) => {
    await find({ tenantId, devices: "all", userId }, { search, sort: "name", limit: 5, offset: 0 });
    found.push(name);
  };
  await Promise.all([
    page("ann", "ann 1", "message"),
    page("ann", "ann 2", "message"),
    page("bob", "bob", "message"),
  ]);
  expect(found.indexOf("bob")).toBeLessThan(found.indexOf("ann 2"));
  expect(found.indexOf("ann 1")).toBeLessThan(found.indexOf("ann 2"));
});

test("a page whose reader has left is found no further, and none behind it is begun", async () => {
  const sift = spyOn(repository, "sift");
  const find = createAlarmPages(repository, 10);
  const leaving = new AbortController();
  const pages = Array.from({ length: 5 }, () =>
    find(
      { tenantId, devices: "all", userId: "ann" },
      { search: "message", limit: 5, offset: 0 },
      leaving.signal,
    ),
  );
  await new Promise((resolve) => setImmediate(resolve));
  leaving.abort();
  const outcomes = await Promise.allSettled(pages);
  expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => "rejected"));
  expect(sift.mock.calls.length).toBeLessThan(ALARMS / 10);
  sift.mockRestore();
  const next = await find(
    { tenantId, devices: "all", userId: "ann" },
    { search: "message", limit: 5, offset: 0 },
  );
  expect(next.sequences).toHaveLength(5);
});
