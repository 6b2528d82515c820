import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DeviceId, ProfileId, TenantId } from "../../../src/lib/core/ids.ts";
import {
  type AlarmsRepository,
  createAlarmsRepository,
} from "../../../src/modules/alarms/alarms.repository.ts";
import type { Alarm } from "../../../src/modules/alarms/alarms.types.ts";
import type { MainDatabase } from "../../../src/platform/database/database.ts";
import { openAlarmDatabase } from "./engine-harness.ts";

const directory = mkdtempSync(join(tmpdir(), "lineside-alarms-"));
let database: MainDatabase;
let repository: AlarmsRepository;
beforeAll(() => {
  database = openAlarmDatabase(join(directory, "lineside.db"));
  repository = createAlarmsRepository(database);
});
afterAll(() => {
  database.close();
  rmSync(directory, { recursive: true, force: true });
});

const alarm = (alarmId: string, deviceId: string, clearedAt: number | null): Alarm => ({
  alarmId,
  tenantId: "tenant" as TenantId,
  deviceId: deviceId as DeviceId,
  alarmType: alarmId,
  profileId: "profile" as ProfileId,
  severity: "MAJOR",
  status: clearedAt === null ? "ACTIVE_UNACK" : "CLEARED_UNACK",
  messageParts: null,
  message: "hot",
  createdAt: 1,
  raisedAt: 1,
  raiseCount: 1,
  updatedAt: 1,
  acknowledgedAt: null,
  acknowledgedBy: null,
  clearedAt,
  clearedBy: null,
  gatewayId: null,
  escalationLevel: 1,
  escalationSince: null,
});
const ownedBy = (deviceId: string) => alarm("", deviceId, null);
const idsOf = (deviceId: string) =>
  database.sqlite
    .query<{ id: string }, [string]>(
      "SELECT alarm_id AS id FROM alarms WHERE device_id = ? ORDER BY sequence",
    )
    .all(deviceId)
    .map(({ id }) => id);

test("of a device 1,000 alarms that are over are kept, the newest, and all that are open", () => {
  database.transact(() => {
    repository.insert(alarm("open", "one", null));
    repository.insert(alarm("of another", "two", 5));
    for (let index = 0; index < 1_005; index++) repository.insert(alarm(`${index}`, "one", 5));
  });
  const kept = idsOf("one");
  expect(kept).toHaveLength(1_001);
  expect([kept[0], kept[1], kept.at(-1)]).toEqual(["open", "5", "1004"]);
  expect(idsOf("two")).toEqual(["of another"]);
});

const event = {
  eventType: "COMMENT" as const,
  code: "alarm_event.message",
  params: { message: "x" },
  by: null,
  createdAt: 1,
};

test("of a device some 5,000 events are kept, the newest", () => {
  const [many, few] = ["four", "five"] as DeviceId[];
  if (many === undefined || few === undefined) throw new Error("there are two");
  database.transact(() => {
    for (let index = 0; index < 10; index++) repository.insert(alarm(`of many ${index}`, many, null));
    repository.insert(alarm("of few", few, null));
    for (let index = 0; index < 8_000; index++)
      repository.addEvent({ ...event, eventId: `${index}`, alarmId: `of many ${index % 10}` }, ownedBy(many));
    for (let index = 0; index < 10; index++)
      repository.addEvent({ ...event, eventId: `${index}`, alarmId: "of few" }, ownedBy(few));
  });
  const kept = Array.from({ length: 10 }, (_, index) => repository.listEvents(`of many ${index}`)).flat();
  expect(kept.length).toBeGreaterThanOrEqual(5_000);
  expect(kept.length).toBeLessThan(6_000);
  const oldest = Math.min(...kept.map(({ eventId }) => Number(eventId)));
  expect(oldest).toBe(8_000 - kept.length);
  expect(repository.listEvents("of few")).toHaveLength(10);
});

test("a device that has far too many events gets down to some 5,000 with a few new ones, also after restarts", () => {
  const deviceId = "six" as DeviceId;
  const countKept = () =>
    Array.from({ length: 40 }, (_, index) => repository.listEvents(`of six ${index}`)).flat().length;
  database.transact(() => {
    for (let index = 0; index < 40; index++) repository.insert(alarm(`of six ${index}`, deviceId, null));
    for (let index = 0; index < 24_000; index++)
      database.sqlite.run(
        "INSERT INTO alarm_events (event_id, alarm_id, tenant_id, event_type, code, params, created_at) VALUES (?, ?, 't', 'COMMENT', '', '{}', 1)",
        [`${index}`, `of six ${index % 40}`],
      );
    for (let night = 0; night < 5; night++)
      createAlarmsRepository(database).addEvent(
        { ...event, eventId: "new", alarmId: "of six 0" },
        ownedBy(deviceId),
      );
  });
  expect(countKept()).toBe(5_000);
  database.transact(() => {
    for (let night = 0; night < 5; night++) {
      const restarted = createAlarmsRepository(database);
      for (let index = 0; index < 900; index++)
        restarted.addEvent({ ...event, eventId: "new", alarmId: `of six ${index % 40}` }, ownedBy(deviceId));
    }
  });
  expect(countKept()).toBeLessThan(6_000);
});

test("of an alarm 1,000 events are kept, the newest", () => {
  database.transact(() => {
    repository.insert(alarm("long", "three", null));
    for (let index = 0; index < 1_005; index++)
      repository.addEvent({ ...event, eventId: `${index}`, alarmId: "long" }, ownedBy("three"));
  });
  const kept = repository.listEvents("long").map(({ eventId }) => eventId);
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([1_000, "5", "1004"]);
});

test("alarms are found by their ids without reading the tenant's other alarms", () => {
  const prepare = spyOn(database.sqlite, "prepare");
  repository.findMany("tenant" as TenantId, ["open"]);
  const [[sql = ""] = []] = prepare.mock.calls;
  prepare.mockRestore();
  const plan = database.sqlite.prepare<{ detail: string }, [string, string]>(`EXPLAIN QUERY PLAN ${sql}`);
  expect(plan.all("tenant", '["open"]')[0]?.detail).toMatch(/^SEARCH alarms USING INDEX .*\(alarm_id=\?\)$/);
});
