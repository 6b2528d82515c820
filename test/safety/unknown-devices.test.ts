// What happens to telemetry whose device the device table does not have.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until, untilAnswer } from "../support/until.ts";

const UNKNOWN = "/api/gateway/unknown-telemetry";
let directory: string;
let fixture: TestApp;
let owner: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-unknown-"));
});
afterEach(async () => {
  await fixture.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function start(): Promise<void> {
  fixture = await createTestApp({ host: "one", directory });
}

/** Creates a device with a value, stops the gateway, and changes its database. */
async function withDatabase(change: (database: Database, deviceId: string) => void): Promise<string> {
  await start();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  const { deviceId, token } = await fixture.createDevice(owner);
  expect((await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { a: 1 } })).status).toBe(200);
  await fixture.stop();
  const database = new Database(join(directory, "lineside.db"));
  database.run("PRAGMA foreign_keys=ON");
  change(database, deviceId);
  database.close();
  await start();
  return deviceId;
}

const check = () => fixture.call("GET", "/api/gateway/check", { token: owner });
const stored = () => fixture.app.services.store.deviceIds() as Promise<string[]>;

test("telemetry of a device that the table has lost is kept and named until an owner deletes it", async () => {
  const deviceId = await withDatabase((database) => {
    database.run("DELETE FROM devices");
    database.run("DELETE FROM deleted_devices"); // an older file knows nothing of it
  });
  await untilAnswer(check, ({ body }) => body.unknownDevices === 1);
  expect(await stored()).toEqual([deviceId]);
  const { warnings } = (await fixture.call("GET", "/readyz")).body;
  expect(warnings).toContainEqual(expect.objectContaining({ code: "storage.unknown_devices" }));
  const { body } = await fixture.call("DELETE", UNKNOWN, { token: owner });
  expect([body.unknownDevices, await stored()]).toEqual([0, []]);
});

test("the deletion of a device that a crash interrupted is finished by the next start", async () => {
  await withDatabase((database, deviceId) => {
    database.run("DELETE FROM devices WHERE device_id = ?", [deviceId]);
    expect(database.query("SELECT device_id AS id FROM deleted_devices").all()).toEqual([{ id: deviceId }]);
  });
  await until(async () => (await stored()).length === 0);
  expect((await check()).body.unknownDevices).toBe(0);
});

test("whatever deletes a device notes it: the cascade from a tenant, too", async () => {
  const deviceId = await withDatabase(() => undefined);
  const database = new Database(join(directory, "lineside.db"), { readonly: true });
  const tenantOf = database.query<{ id: string }, []>("SELECT tenant_id AS id FROM devices").get()?.id ?? "";
  database.close();
  await fixture.stop();
  const writable = new Database(join(directory, "lineside.db"));
  writable.run("PRAGMA foreign_keys=ON");
  writable.run("DELETE FROM tenants WHERE tenant_id = ?", [tenantOf]);
  expect(writable.query("SELECT device_id AS id FROM deleted_devices").all()).toContainEqual({
    id: deviceId,
  });
  writable.close();
  fixture = await createTestApp({ directory });
});
