import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createDevicesRepository } from "../../src/modules/devices/devices.repository.ts";
import { createLogger } from "../../src/platform/core/log.ts";
import { openMainDatabase } from "../../src/platform/database/database.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

const call = async (method: string, path: string, body?: unknown) => {
  const response = await fixture.call(method, path, { token: owner, body });
  expect([path, response.status < 300]).toEqual([path, true]);
  return response.body;
};

/** Everything that the gateway has written, its logs ahead of the databases included. */
const written = () =>
  readdirSync(fixture.directory)
    .filter((name) => !name.endsWith("-shm") && name !== "ballast" && name !== "secrets")
    .map((name) => readFileSync(join(fixture.directory, name)));

async function createSecrets(): Promise<Record<string, string>> {
  const device = await fixture.createDevice(owner);
  const input = await fixture.createDevice(owner);
  const credentials = `/api/devices/${input.deviceId}/credentials`;
  await call("PUT", credentials, { type: "ACCESS_TOKEN", token: "token-that-a-person-gave-1" });
  const rotated = await call("POST", `${credentials}/rotate`);
  const dashboard = await call("POST", "/api/dashboards", { name: "shared" });
  const share = await call("POST", `/api/dashboards/${dashboard.id}/shares`, {});
  const [profile] = await call("GET", "/api/device-profiles");
  const provisioning = await call("PUT", `/api/device-profiles/${profile.profileId}/provisioning`, {
    mode: "ALLOW_NEW",
  });
  const invitation = await call("POST", "/api/users", {
    fullName: "New",
    email: "new@one.example",
    role: "TENANT_RW",
  });
  const factor = await call("POST", "/api/auth/second-factor", { password: PASSWORD });
  const { secret: webhook } = await call("POST", "/api/tenant/integration/rotate-secret", {});
  const { key } = await call("POST", "/api/api-keys", { name: "key", role: "TENANT_RW" });
  return {
    "a device's token": device.token,
    "a token that a person gave": "token-that-a-person-gave-1",
    "a rotated token": rotated.token,
    "a link to a dashboard": share.path.split("/").at(-1),
    "the secret of provisioning": provisioning.secret,
    "a temporary password in a mail that is kept": invitation.temporaryPassword,
    "the secret of a second factor": factor.secret,
    "a webhook secret": webhook,
    "an API key": key,
  };
}

test("no secret stands in a file as it is", async () => {
  const secrets = await createSecrets();
  const files = written();
  for (const [name, secret] of Object.entries(secrets)) {
    expect([name, secret.length]).toEqual([name, expect.any(Number)]);
    expect([name, files.some((bytes) => bytes.includes(secret))]).toEqual([name, false]);
  }
});

test("a token is shown again to those who may connect devices, and opens after a restart", async () => {
  const directory = fixture.directory;
  const device = await fixture.createDevice(owner);
  const shown = await call("GET", `/api/devices/${device.deviceId}`);
  expect(shown.credentials.token).toBe(device.token);
  await fixture.app.stop();
  const again = await createTestApp({ directory });
  const { status } = await again.call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
  await again.stop();
  fixture = await createTestApp({ directory });
  expect(status).toBe(200);
});

test("whoever has the database without its key finds no device by a token", async () => {
  const device = await fixture.createDevice(owner);
  const copy = openMainDatabase(join(fixture.directory, "lineside.db"), "lineside", createLogger("test"));
  const other = { ...copy, secrets: (purpose: string) => copy.secrets(`another key, ${purpose}`) };
  const [own, stranger] = [createDevicesRepository(copy), createDevicesRepository(other)];
  expect(own.findByTokenHash(own.hashOf(device.token))?.deviceId).toBe(device.deviceId as never);
  expect(stranger.findByTokenHash(stranger.hashOf(device.token))).toBeUndefined();
  expect(stranger.find(device.deviceId as never)?.token).toBe("");
  copy.close();
});

test("what the gateway writes is for its own user alone", () => {
  const names = readdirSync(fixture.directory, { recursive: true, encoding: "utf8" });
  expect(names.length).toBeGreaterThan(8);
  for (const name of [".", ...names])
    expect([name, statSync(join(fixture.directory, name)).mode & 0o077]).toEqual([name, 0]);
});
