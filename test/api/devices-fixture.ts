import { afterAll, beforeAll } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

export let fixture: TestApp;
export let owner: string;
export let writer: string;
export let reader: string;
export let stranger: string;
export let limited: string;
export let pump: { deviceId: string; token: string };
export let gateway: { deviceId: string; token: string };
export let foreign: { deviceId: string; token: string };
export const create = (body: unknown, token = owner) => ({
  method: "POST",
  path: "/api/devices",
  token,
  body,
});

/** Starts the app of a test file with a user of every role, a pump, a gateway and a device of another tenant. */
export function useDevices(): void {
  beforeAll(async () => {
    fixture = await createTestApp();
    owner = (await fixture.signIn("TENANT_OWNER")).token;
    writer = (await fixture.signIn("TENANT_RW")).token;
    reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
    stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
    pump = await fixture.createDevice(owner, {
      name: "Pump 7",
      deviceType: "pump",
      assetId: "hall-1",
      tags: ["north"],
    });
    gateway = await fixture.createDevice(owner, { name: "Gateway", deviceType: "gateway", role: "GATEWAY" });
    foreign = await fixture.createDevice(stranger, { name: "Foreign", deviceType: "pump", type: "GATEWAY" });
    limited = (await fixture.signIn("TENANT_RW", { devices: [pump.deviceId] })).token;
  });
  afterAll(() => fixture.stop());
}
