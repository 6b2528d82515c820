import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
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
  faults: database.query("SELECT count(*) AS n FROM faults").get(),
  active: database.query("SELECT count(*) AS n FROM device_activity WHERE active").get(),
});
const refuse = (table: string) =>
  database.run(`CREATE TRIGGER no_${table} BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'disk'); END`);

test("what is written in the background is tried again after a failure, and then lost nothing", async () => {
  for (const table of ["faults", "device_activity"]) refuse(table);
  await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
  await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: "no telemetry" });
  clock.advance(5_000);
  expect(written()).toEqual({ faults: { n: 0 }, active: { n: 0 } });
  database.run("DROP TRIGGER no_faults");
  database.run("DROP TRIGGER no_device_activity");
  clock.advance(5_000);
  expect(written()).toEqual({ faults: { n: 1 }, active: { n: 1 } });
});
