// A gateway that boots without the correct time, and the owner who confirms the system's clock.
import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** Newest time that the gateway has seen. */
const NEWEST = "2027-06-01T12:00:00.000Z";
let directory: string;
let fixture: TestApp;
let owner: string;

/** Starts a gateway whose system shows a time. */
async function boot(systemTime: string): Promise<FakeClock> {
  directory = mkdtempSync(join(tmpdir(), "lineside-clock-"));
  const newest = String(Date.parse(NEWEST));
  writeFileSync(
    join(directory, "clock"),
    `${newest} ${Bun.hash.crc32(newest).toString(16).padStart(8, "0")}`,
  );
  const clock = new FakeClock(Date.parse(systemTime));
  fixture = await createTestApp({ clock, directory, host: "one" });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  return clock;
}
afterEach(async () => {
  await fixture.stop();
  rmSync(directory, { recursive: true, force: true });
});

const call = (method: string, path = "") =>
  fixture.call(method, `/api/gateway/clock${path}`, { token: owner });
const warnings = async () =>
  ((await fixture.call("GET", "/readyz")).body.warnings ?? []).map(({ code }: { code: string }) => code);

test("refuses to confirm a time at which no Lineside ran", async () => {
  await boot("1970-01-01T00:00:00.000Z");
  const { status, body } = await call("POST", "/confirm");
  expect([status, body.code]).toEqual([409, "system.clock_too_early"]);
});

test("uses the system's time once an owner has confirmed it", async () => {
  const systemTime = "2027-05-01T12:00:00.000Z";
  await boot(systemTime);
  expect((await call("GET")).body).toEqual({ isSet: false, time: NEWEST, systemTime });
  expect(await warnings()).toContain("system.clock_unset");
  const { status, body } = await call("POST", "/confirm");
  expect([status, body]).toEqual([200, { isSet: true, time: systemTime, systemTime }]);
  expect(await warnings()).not.toContain("system.clock_unset");
});

test("deletes no finished commands when it boots far ahead of the newest time", async () => {
  const clock = await boot(NEWEST);
  const { deviceId } = await fixture.createDevice(owner);
  const body = { method: "x", timeoutMs: 1_000, expiresInMs: 1_000 };
  const { status } = await fixture.call("POST", `/api/devices/${deviceId}/commands`, { token: owner, body });
  expect(status).toBe(201);
  clock.advance(60_000);
  await fixture.stop();

  fixture = await createTestApp({ clock: new FakeClock(Date.parse("2029-06-01T12:00:00.000Z")), directory });
  expect(await warnings()).toContain("system.clock_ahead");
  const database = new Database(join(directory, "lineside.db"), { readonly: true });
  expect(database.query("SELECT status FROM commands").all()).toEqual([{ status: "EXPIRED" }]);
  database.close();
});
