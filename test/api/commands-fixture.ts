import { afterAll, beforeAll } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

export let fixture: TestApp;
export let owner: string;

export interface Device {
  readonly deviceId: string;
  readonly token: string;
}

export const send = (
  device: Device,
  body: unknown,
  options: { token?: string; query?: string; app?: TestApp } = {},
) =>
  (options.app ?? fixture).call("POST", `/api/devices/${device.deviceId}/commands${options.query ?? ""}`, {
    token: options.token ?? owner,
    body,
  });

export const read = async (device: Device, commandId: string, app = fixture, token = owner) =>
  (await app.call("GET", `/api/devices/${device.deviceId}/commands/${commandId}`, { token })).body;

/** Starts the app of a test file with an owner. */
export function useCommands(): void {
  beforeAll(async () => {
    fixture = await createTestApp();
    owner = (await fixture.signIn("TENANT_OWNER")).token;
  });
  afterAll(() => fixture.stop());
}
