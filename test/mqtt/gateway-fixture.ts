import { afterAll, beforeAll } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import type { GatewayDevice } from "./gateway-client.ts";

export let fixture: TestApp;
export let owner: string;

export const createGateway = (fields: Record<string, unknown> = {}, token = owner): Promise<GatewayDevice> =>
  fixture.createDevice(token, { role: "GATEWAY", deviceType: "gateway", ...fields });

export const get = async (path: string, token = owner) => (await fixture.call("GET", path, { token })).body;

export const children = (gateway: GatewayDevice, token = owner) =>
  get(`/api/devices/${gateway.deviceId}/children?limit=10000`, token);

export const child = async (gateway: GatewayDevice, name: string) =>
  (await children(gateway)).find((device: { childName?: string }) => device.childName === name);

export const latest = async (gateway: GatewayDevice, name: string) => {
  const { deviceId } = await child(gateway, name);
  return (await get(`/api/devices/${deviceId}/telemetry/latest`)).values;
};

export const rejections = (deviceId: string) => get(`/api/devices/${deviceId}/rejections`);

export const codes = async (deviceId: string) =>
  (await rejections(deviceId)).map(({ code }: { code: string }) => code);

export const setAttributes = (deviceId: string, scope: string, attributes: unknown) =>
  fixture.call("POST", `/api/devices/${deviceId}/attributes`, { token: owner, body: { scope, attributes } });

let names = 0;

/** Names of devices are the tenant's: every test has its own. */
export const fresh = () => `child ${++names}`;

/** Starts the app of a test file with an owner. */
export function useGateways(): void {
  beforeAll(async () => {
    fixture = await createTestApp();
    owner = (await fixture.signIn("TENANT_OWNER")).token;
  });
  afterAll(() => fixture.stop());
}
