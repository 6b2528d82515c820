import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { DeviceId, ProfileId, TenantId } from "../../../src/lib/ids.ts";
import { DeviceRejections } from "../../../src/modules/devices/device-rejections.ts";
import { createRejectionsRepository } from "../../../src/modules/devices/rejections.repository.ts";
import type { IngestDevice } from "../../../src/modules/ingest/ingest.types.ts";
import { openMainDatabase } from "../../../src/platform/database.ts";
import { createEventBus } from "../../../src/platform/event-bus.ts";
import { createLogger } from "../../../src/platform/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";

const clock = new FakeClock(Date.now());
let fixture: TestApp;
let token: string;
let device: { deviceId: string; token: string };
let database: Database;

beforeEach(async () => {
  fixture = await createTestApp({ clock });
  token = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(token);
  database = new Database(join(fixture.directory, "lineside.db"));
});
afterEach(async () => {
  database.close();
  await fixture.stop();
});

const written = () => ({
  rejections: database.query("SELECT count(*) AS n FROM device_rejections").get(),
  active: database.query("SELECT count(*) AS n FROM device_activity WHERE active").get(),
});
const refuse = (table: string) =>
  database.run(`CREATE TRIGGER no_${table} BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'disk'); END`);

test("what is written in the background is tried again after a failure, and then lost nothing", async () => {
  for (const table of ["device_rejections", "device_activity"]) refuse(table);
  await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
  await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: "no telemetry" });
  clock.advance(5_000);
  expect(written()).toEqual({ rejections: { n: 0 }, active: { n: 0 } });
  database.run("DROP TRIGGER no_device_rejections");
  database.run("DROP TRIGGER no_device_activity");
  clock.advance(5_000);
  expect(written()).toEqual({ rejections: { n: 1 }, active: { n: 1 } });
});

test("a flood of refused messages is written in slices, all of it at the stop", async () => {
  const log = createLogger();
  const main = openMainDatabase(join(fixture.directory, "lineside.db"), "lineside", log);
  const slices = new FakeClock();
  const rejections = new DeviceRejections({
    repository: createRejectionsRepository(main),
    devices: { ensureVisible: (_, deviceId) => deviceId as DeviceId },
    transact: main.transact,
    clock: slices,
    events: createEventBus(log),
    log,
  });
  rejections.start();
  for (let count = 0; count < 50; count++) {
    const { deviceId } = await fixture.createDevice(token);
    const flooding: IngestDevice = {
      deviceId: deviceId as DeviceId,
      tenantId: "tenant" as TenantId,
      profileId: "profile" as ProfileId,
      name: deviceId,
      role: "DEVICE",
      payload: "JSON",
      store: { tenantId: "tenant" as TenantId, deviceId: deviceId as DeviceId, no: 1 },
      revoked: false,
    };
    for (let no = 0; no < 60; no++)
      rejections.record(flooding, { source: "mqtt", where: "t", code: "c", params: { no } });
  }
  const writtenAfter = (ms: number) => {
    slices.advance(ms);
    return written().rejections;
  };
  expect(writtenAfter(1_000)).toEqual({ n: 1_000 });
  expect(writtenAfter(1_000)).toEqual({ n: 2_000 });
  rejections.stop();
  expect(written().rejections).toEqual({ n: 2_500 });
  const oldest = database
    .query("SELECT min(json_extract(params, '$.no')) AS no FROM device_rejections")
    .get();
  expect(oldest).toEqual({ no: 10 });
  main.close();
});

test("a flood of one tenant keeps no other tenant's refused messages off their list", () => {
  const log = createLogger();
  const rejections = new DeviceRejections({
    repository: { list: () => [], insert: () => undefined, trim: () => undefined },
    devices: { ensureVisible: (_, deviceId) => deviceId as DeviceId },
    transact: (work) => work(),
    clock: new FakeClock(),
    events: createEventBus(log),
    log,
  });
  const refuse = (tenant: string, deviceId: string) => {
    const tenantId = tenant as TenantId;
    const refused = { deviceId, tenantId, revoked: false } as IngestDevice;
    rejections.record(refused, { source: "mqtt", where: "t", code: "c", params: {} });
  };
  for (let no = 0; no < 300; no++) for (let count = 0; count < 50; count++) refuse("greedy", `device ${no}`);
  refuse("modest", "theirs");
  const listed = (deviceId: string) => rejections.list(undefined as never, deviceId).length;
  expect(listed("theirs")).toBe(1);
  expect([listed("device 0"), listed("device 299")]).toEqual([50, 0]);
});
