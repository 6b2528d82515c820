import { afterEach, beforeEach } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "./program.ts";
import { createTestApp, type TestApp } from "./test-app.ts";

export const INTEGRATION_SECRET = "an-integration-password-4711";
/** Data directory of the running test. */
export let data: string;
let fixture: TestApp | undefined;

/** Gives each test of the file an empty data directory, and stops its gateway. */
export function useDataDirectory(): void {
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), "lineside-keys-"));
  });
  afterEach(async () => {
    await fixture?.app.stop();
    fixture = undefined;
    rmSync(data, { recursive: true, force: true });
  });
}

export const open = async () => {
  fixture = await createTestApp({ host: "one", directory: data, config: { outbound_allow: "127.0.0.1" } });
  return fixture;
};
export const close = async () => {
  await fixture?.app.stop();
  fixture = undefined;
};

export const run = (...args: string[]) => {
  const command = [...PROGRAM, ...args, "--data", data];
  // A command that waits forever fails its test.
  const options = { env: { PATH: process.env.PATH ?? "" }, timeout: 30_000 };
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, options);
  return { exitCode, text: `${stdout}${stderr}` };
};

/** Fills a gateway with one secret of several kinds. */
export async function fill() {
  const { call, signIn, createDevice } = await open();
  const { token } = await signIn("TENANT_OWNER");
  const device = await createDevice(token);
  const factor = await call("POST", "/api/auth/second-factor", {
    token,
    body: { password: "a long enough password 7" },
  });
  const integration = await call("POST", "/api/integrations", {
    token,
    body: {
      name: "hall",
      type: "MQTT",
      status: "paused",
      settings_json: {
        mqtt: {
          brokerUrl: "mqtt://127.0.0.1:1",
          topicFilter: "a/#",
          topicDeviceRegex: "^a/(.+)",
          credentials: { username: "user", password: INTEGRATION_SECRET },
        },
      },
    },
  });
  return { token, device, factor, integration };
}

export const keyOf = (name: string) => readFileSync(join(data, "secrets", name));
