import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { ALARM_SEVERITIES } from "../../../../src/lib/alarms/severity.ts";
import type { DeviceId, ProfileId, TenantId } from "../../../../src/lib/core/ids.ts";
import { createAlarmsRepository } from "../../../../src/modules/alarms/alarms.repository.ts";
import { createAlarmLists } from "../../../../src/modules/alarms/alarms.service.ts";
import type { Alarm, AlarmEvent } from "../../../../src/modules/alarms/alarms.types.ts";
import {
  type CountedEvent,
  createAlarmStatisticsRepository,
} from "../../../../src/modules/alarms/statistics/alarm-statistics.repository.ts";
import {
  AlarmCounts,
  createAlarmStatistics,
  type ReadAlarmStatistics,
  type StatisticsRequest,
} from "../../../../src/modules/alarms/statistics/alarm-statistics.ts";
import { UplinkChangesRepository } from "../../../../src/modules/uplinks/uplink-changes.repository.ts";
import type { Principal } from "../../../../src/modules/users/users.types.ts";
import type { MainDatabase } from "../../../../src/platform/database/database.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { openAlarmDatabase } from "../engine-harness.ts";

const MINUTE = 60_000;
const PERIOD = 10 * MINUTE;
const START = Date.UTC(2026, 0, 1);

const event = (ms: number, fields: Partial<CountedEvent> = {}): CountedEvent => ({
  sequence: 0,
  at: START + ms,
  isAcknowledged: false,
  deviceId: "one",
  deviceName: "Press",
  name: "Hot",
  severity: "MAJOR",
  firstRaisedAt: START + ms,
  isCounted: true,
  ...fields,
});
/** The newest first, as they are read. */
const counted = (
  events: readonly CountedEvent[],
  range = { from: START, to: START + 6 * PERIOD, operators: 1 },
) => {
  const counts = new AlarmCounts();
  for (const taken of events.toSorted((a, b) => b.at - a.at)) counts.take(taken);
  return counts.statistics(range);
};

test("without alarms all figures are zero", () => {
  expect(counted([])).toMatchObject({
    raised: 0,
    perOperatorHour: 0,
    busiest: null,
    floods: 0,
    periods: 6,
    frequent: [],
    chattering: [],
    acknowledged: { count: 0, medianMs: null, p90Ms: null },
  });
});

test("eleven alarms in ten minutes are a flood for one operator, and ten are none", () => {
  const eleven = Array.from({ length: 11 }, (_, index) => event(index * 50_000));
  expect(counted(eleven)).toMatchObject({
    raised: 11,
    floods: 1,
    busiest: { from: START, raised: 11 },
    perOperatorHour: 11,
  });
  expect(counted(eleven.slice(1)).floods).toBe(0);
  const two = counted(eleven, { from: START, to: START + 6 * PERIOD, operators: 2 });
  expect([two.floods, two.perOperatorHour]).toEqual([0, 5.5]);
});

test("an alarm that is raised three times within a minute chatters", () => {
  const calm = [0, 61_000, 122_000, 183_000].map((ms) => event(ms, { deviceId: "calm" }));
  const chattering = [0, 30_000, 60_000, 200_000].map((ms) => event(ms, { deviceId: "chatters" }));
  const figures = counted([...calm, ...chattering]);
  expect(figures.chattering).toMatchObject([{ deviceId: "chatters", raised: 4, chatters: 1 }]);
  expect(figures.chatteringCount).toBe(1);
});

test("times to acknowledge have a median and a 90th percentile by nearest rank", () => {
  const waits = Array.from({ length: 10 }, (_, index) =>
    event((index + 1) * MINUTE, { isAcknowledged: true, firstRaisedAt: START }),
  );
  expect(counted(waits).acknowledged).toEqual({ count: 10, medianMs: 5 * MINUTE, p90Ms: 9 * MINUTE });
});

const events = fc.array(
  fc.record({
    ms: fc.integer({ min: 0, max: 6 * PERIOD - 1 }),
    deviceId: fc.constantFrom("a", "b", "c"),
    severity: fc.constantFrom(...ALARM_SEVERITIES),
    isAcknowledged: fc.boolean(),
  }),
  { maxLength: 200 },
);

test("each raise is in exactly one bar, one period and one severity, and the most frequent come first", () => {
  fc.assert(
    fc.property(events, fc.integer({ min: 1, max: 5 }), (taken, operators) => {
      const all = taken.map(({ ms, ...fields }) => event(ms, fields));
      const figures = counted(all, { from: START, to: START + 6 * PERIOD, operators });
      const raises = all.filter(({ isAcknowledged }) => !isAcknowledged);
      const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
      expect(figures.raised).toBe(raises.length);
      expect(sum(figures.bars.raised)).toBe(raises.length);
      expect(sum(figures.severities.map(({ raised }) => raised))).toBe(raises.length);
      expect(sum(figures.frequent.map(({ raised }) => raised))).toBe(raises.length);
      const inPeriod = (index: number) =>
        raises.filter((raise) => Math.floor((raise.at - START) / PERIOD) === index).length;
      const periods = Array.from({ length: 6 }, (_, index) => inPeriod(index));
      expect(figures.bars.raised).toEqual(periods);
      expect(figures.busiest?.raised ?? 0).toBe(Math.max(...periods));
      expect(figures.floods).toBe(periods.filter((raised) => raised > 10 * operators).length);
      const counts = figures.frequent.map(({ raised }) => raised);
      expect(counts).toEqual(counts.toSorted((a, b) => b - a));
      for (const { deviceId, chatters } of figures.frequent) {
        const times = raises
          .filter((raise) => raise.deviceId === deviceId)
          .map((raise) => raise.at)
          .sort((a, b) => a - b);
        expect(chatters).toBe(
          times.filter((time, index) => index >= 2 && time - times[index - 2]! <= MINUTE).length,
        );
      }
    }),
    { numRuns: 300 },
  );
});

const alarmOf = (alarmType: string, tenant: string, raisedAt: number): Alarm => ({
  alarmId: `${tenant} ${alarmType}`,
  tenantId: tenant as TenantId,
  deviceId: tenant as DeviceId,
  profileId: "p" as ProfileId,
  alarmType,
  severity: "MAJOR",
  status: "ACTIVE_UNACK",
  messageParts: null,
  message: "hot",
  createdAt: raisedAt,
  raisedAt,
  raiseCount: 1,
  updatedAt: raisedAt,
  acknowledgedAt: null,
  acknowledgedBy: null,
  clearedAt: null,
  clearedBy: null,
  gatewayId: null,
  escalationLevel: 1,
  escalationSince: null,
});

/** Returns the query plans of the statements that an action prepares. */
async function plansOf({ sqlite }: MainDatabase, action: () => void | Promise<void>): Promise<string[]> {
  const prepare = spyOn(sqlite, "prepare");
  await action();
  const prepared = new Set(prepare.mock.calls.map(([text]) => text));
  prepare.mockRestore();
  return [...prepared].map((text) => {
    const statement = sqlite.prepare<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`);
    const steps = statement.all().map(({ detail }) => detail);
    statement.finalize();
    return steps.join("\n");
  });
}

describe("in a database with the alarms of two tenants", () => {
  const directory = mkdtempSync(join(tmpdir(), "lineside-statistics-"));
  const clock = new FakeClock(START);
  let database: MainDatabase;
  let statistics: ReadAlarmStatistics;
  const viewerOf = (tenantId: string) =>
    ({ tenantId, userId: "user", devices: "all" }) as unknown as Principal;
  const DAY = 86_400_000;

  beforeAll(() => {
    database = openAlarmDatabase(join(directory, "lineside.db"));
    const alarms = createAlarmsRepository(database);
    const devices = { ensureVisible: (_: Principal, deviceId: string) => deviceId as DeviceId };
    statistics = createAlarmStatistics({
      repository: createAlarmStatisticsRepository(database),
      alarms: createAlarmLists({ repository: alarms, devices }),
      clock,
    });
    database.transact(() => {
      for (const tenantId of ["one", "two"]) {
        database.sqlite.run(
          `INSERT INTO devices (device_id, tenant_id, profile_id, name, device_type, role, tags, token_hash, token_sealed, created_at, updated_at)
           VALUES ('${tenantId}', '${tenantId}', 'p', 'Press', 'press', 'DEVICE', '[]', '${tenantId}', '', 1, 1)`,
        );
        // One that was raised and acknowledged 1,500 times within two hours, and one that has stood for two days.
        alarms.insert(alarmOf("standing", tenantId, clock.now() - 2 * DAY));
        alarms.insert(alarmOf("frequent", tenantId, clock.now() - 7_200_000));
        for (let index = 0; index < 1_500; index++)
          for (const eventType of ["REOPENED", "COMMENT", "ACK"] as const)
            database.sqlite.run(
              "INSERT INTO alarm_events (event_id, alarm_id, tenant_id, event_type, code, params, created_at) VALUES ('', ?, ?, ?, '', '{}', ?)",
              [`${tenantId} frequent`, tenantId, eventType, clock.now() - index * 4_000],
            );
      }
    });
  });
  afterAll(() => {
    database.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test("the alarms of one are counted, over several pages of events", async () => {
    const figures = await statistics(viewerOf("one"), {});
    expect(figures).toMatchObject({
      isComplete: true,
      raised: 1_500,
      frequent: [{ deviceId: "one", name: "frequent", raised: 1_500 }],
      acknowledged: { count: 1_500 },
      standing: { total: 1, alarms: [{ name: "standing", raisedAt: clock.now() - 2 * DAY }] },
    });
    const others = await statistics(viewerOf("three"), {});
    expect([others.raised, others.isComplete]).toEqual([0, true]);
  });

  test("an uplink does not read the changed attributes of others", async () => {
    const uplinks = new UplinkChangesRepository(database);
    const [plan] = await plansOf(database, () => void uplinks.attributeChanges("one" as TenantId, 0, 500));
    expect(plan).toMatch(
      /SEARCH attribute_changes USING INDEX attribute_changes_tenant \(tenant_id=\? AND change_id>\?\)/,
    );
  });

  test("the events of others are neither read nor sorted", async () => {
    const plan = await plansOf(database, async () => void (await statistics(viewerOf("one"), {})));
    const uplinks = new UplinkChangesRepository(database);
    const plans = [
      ...plan,
      ...(await plansOf(database, () => void uplinks.alarmEvents("one" as TenantId, 0, 500))),
    ].filter((steps) => steps.includes("alarm_events"));
    expect(plans).toHaveLength(3); // the first page, the next ones, and an uplink's
    for (const steps of plans)
      expect(steps).toMatch(
        /SEARCH alarm_events USING INDEX alarm_events_(counted|tenant) \(tenant_id=\? AND (\(?created_at|sequence)/,
      );
    expect(plans.join()).not.toContain("TEMP B-TREE");
  });

  describe("after events were deleted because there were too many", () => {
    /** Adds a device with alarms of its own, as a tenant's only device. */
    function addDevice(tenantId: string, found: readonly Alarm[]) {
      const alarms = createAlarmsRepository(database);
      database.sqlite.run(
        `INSERT INTO devices (device_id, tenant_id, profile_id, name, device_type, role, tags, token_hash, token_sealed, created_at, updated_at)
         VALUES ('${tenantId}', '${tenantId}', 'p', 'Press', 'press', 'DEVICE', '[]', '${tenantId}', '', 1, 1)`,
      );
      for (const alarm of found) alarms.insert(alarm);
      return (alarm: Alarm, createdAt: number, eventType: AlarmEvent["eventType"] = "REOPENED") =>
        alarms.addEvent(
          { eventId: "", alarmId: alarm.alarmId, eventType, code: "", params: {}, by: null, createdAt },
          alarm,
        );
    }
    const hour = 60 * MINUTE;
    const isCompleteFor = async (tenantId: string, request: StatisticsRequest) =>
      (await statistics(viewerOf(tenantId), request)).isComplete;

    test("a range is incomplete though its alarm chattered later", async () => {
      const begin = clock.now() - DAY;
      const alarm = alarmOf("hot", "later", begin);
      database.transact(() => {
        const addEvent = addDevice("later", [alarm]);
        for (let minute = 0; minute < 60; minute++) addEvent(alarm, begin + minute * MINUTE);
        for (let second = 0; second < 1_000; second++) addEvent(alarm, begin + 2 * hour + second * 1_000);
      });
      const range = { from: begin, to: begin + hour };
      expect(await statistics(viewerOf("later"), range)).toMatchObject({ isComplete: false, raised: 0 });
      expect(await isCompleteFor("later", { from: begin + hour })).toBe(true);
      expect(await isCompleteFor("two", range)).toBe(true); // another tenant's devices
    });

    test("a severity is incomplete though alarms of another severity chattered", async () => {
      const begin = clock.now() - DAY;
      const critical: Alarm = { ...alarmOf("fire", "mixed", begin), severity: "CRITICAL" };
      const minor = Array.from(
        { length: 10 },
        (_, index): Alarm => ({
          ...alarmOf(`door ${index}`, "mixed", begin),
          severity: "MINOR",
        }),
      );
      database.transact(() => {
        const addEvent = addDevice("mixed", [critical, ...minor]);
        for (let minute = 0; minute < 60; minute++) addEvent(critical, begin + minute * MINUTE);
        for (let second = 0; second < 6_500; second++)
          for (const alarm of minor.slice(second % 10, (second % 10) + 1))
            addEvent(alarm, begin + hour + second * 1_000);
      });
      const request: StatisticsRequest = { from: begin, severities: ["CRITICAL"] };
      expect(await statistics(viewerOf("mixed"), request)).toMatchObject({ isComplete: false, raised: 0 });
    });

    test("a range is incomplete after its cleared alarms were deleted", async () => {
      const begin = clock.now() - DAY;
      const cleared = Array.from(
        { length: 1_001 },
        (_, index): Alarm => ({
          ...alarmOf(`cleared ${index}`, "cleared", begin + index * 1_000),
          clearedAt: begin + index * 1_000,
        }),
      );
      database.transact(() => void addDevice("cleared", cleared));
      expect(await isCompleteFor("cleared", { from: begin - hour })).toBe(false);
      expect(await isCompleteFor("cleared", { from: begin + hour })).toBe(true);
    });

    test("a filter is incomplete only because of the devices that it selects", async () => {
      const begin = clock.now() - DAY;
      const flapping = (id: string): Alarm => ({
        ...alarmOf("hot", "filtered", begin),
        alarmId: id,
        deviceId: id as DeviceId,
        gatewayId: id === "moved" ? ("hall" as DeviceId) : null,
      });
      const alarms = createAlarmsRepository(database);
      database.transact(() => {
        for (const [id, parent, profile, tag] of [
          ["hall", null, "gateways", "b"],
          ["yard", null, "gateways", "b"],
          ["pump", "hall", "pumps", "a"],
          ["moved", "yard", "pumps", "c"],
        ] as const)
          database.sqlite.run(
            `INSERT INTO devices (device_id, tenant_id, profile_id, name, device_type, role, tags, parent_device_id, token_hash, token_sealed, created_at, updated_at)
             VALUES (?, 'filtered', ?, ?, ?, 'DEVICE', ?, ?, ?, '', 1, 1)`,
            [id, profile, id, profile, JSON.stringify([tag]), parent, id],
          );
        for (const id of ["pump", "moved"]) {
          const alarm = flapping(id);
          alarms.insert(alarm);
          const first = id === "moved" ? begin - DAY : begin;
          for (let second = 0; second < 1_100; second++) {
            const createdAt = first + second * 1_000;
            alarms.addEvent(
              { eventId: "", alarmId: id, eventType: "REOPENED", code: "", params: {}, by: null, createdAt },
              alarm,
            );
          }
        }
      });
      // From here on, only events of the pump below the hall's gateway are missing.
      const found = await Promise.all(
        [
          {},
          { gatewayId: "hall" },
          { gatewayId: "yard" },
          { tag: "a" },
          { tag: "b" },
          { deviceType: "pumps" },
          { deviceType: "gateways" },
          { profileId: "pumps" },
          { profileId: "gateways" },
          { gatewayId: "hall", tag: "b" },
          { name: "cold" },
        ].map((filter) => isCompleteFor("filtered", { from: begin - hour, ...filter })),
      );
      expect(found).toEqual([false, false, true, false, true, false, true, false, true, true, false]);
      // The alarms of the device that was moved to the yard were propagated to the hall.
      const moved = await Promise.all(
        ["hall", "yard", "pump"].map((gatewayId) =>
          isCompleteFor("filtered", { from: begin - 2 * DAY, tag: "c", gatewayId }),
        ),
      );
      expect(moved).toEqual([false, false, true]);
    });

    test("deleted comments leave the figures complete", async () => {
      const begin = clock.now() - DAY;
      const alarm = alarmOf("hot", "comments", begin);
      database.transact(() => {
        const addEvent = addDevice("comments", [alarm]);
        for (let second = 0; second < 1_100; second++) addEvent(alarm, begin + second * 1_000, "COMMENT");
      });
      expect(await isCompleteFor("comments", { from: begin - hour })).toBe(true);
    });
  });

  test("a range begins with its period of ten minutes, so that none is counted in part", async () => {
    const figures = await statistics(viewerOf("one"), { from: clock.now() - 15 * MINUTE });
    expect(figures).toMatchObject({ from: clock.now() - 2 * PERIOD, raised: 301 });
    expect(figures.bars.raised).toEqual([150, 151]);
  });

  test("only those of the range are", async () => {
    const range = { from: clock.now() - PERIOD, to: clock.now() - 20_000 };
    expect(await statistics(viewerOf("two"), range)).toMatchObject({ raised: 146, floods: 1, periods: 1 });
  });
});
