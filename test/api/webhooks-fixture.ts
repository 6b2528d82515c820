import { afterAll, beforeAll, expect } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

export let fixture: TestApp;
export let token: string;
export let tenantId: string;
export let secret: string;
export let stranger: string;

export const api = (method: string, path: string, body?: unknown) =>
  fixture.call(method, path, { token, ...(body !== undefined && { body }) });

export async function integration(fields: Record<string, unknown> = {}) {
  const settings_json = { autoCreateDevice: true, ...(fields.settings_json as object) };
  const apiResponse = await api("POST", "/api/integrations", {
    name: "hook",
    type: "HTTP",
    status: "active",
    ...fields,
    settings_json,
  });
  expect([apiResponse.status, apiResponse.text]).toEqual([201, expect.any(String)]);
  return apiResponse.body.integrationId as string;
}

interface Posted {
  readonly kind?: string;
  readonly id?: string | undefined;
  readonly body?: unknown;
  readonly raw?: string | Uint8Array;
  readonly headers?: Record<string, string>;
  readonly query?: string;
}

export const post = ({ kind = "generic", id, body, raw, headers, query = "" }: Posted) =>
  fixture.call("POST", `/api/v1/integrations/${kind}/${id === undefined ? "" : `${id}/`}telemetry${query}`, {
    ...(raw === undefined ? { body } : { raw }),
    headers: { "x-tenant-id": tenantId, "x-webhook-secret": secret, ...headers },
  });

export const eventsOf = async (id: string, query = "") =>
  (await api("GET", `/api/integrations/${id}/events${query}`)).body;

export async function latestOf(name: string) {
  const [device] = (await api("GET", `/api/devices?search=${encodeURIComponent(name)}`)).body;
  return (await api("GET", `/api/devices/${device.deviceId}/telemetry/latest`)).body.values;
}

export const eui = (n: number) => n.toString(16).padStart(16, "0");
let counter = 0xa0;

export const uplink = (fields: Record<string, unknown> = {}) => ({
  deduplicationId: crypto.randomUUID(),
  time: "2026-01-05T10:00:00Z",
  deviceInfo: { deviceName: `node ${++counter}`, devEui: eui(counter), deviceProfileName: "probe" },
  fCnt: 3,
  fPort: 2,
  data: "AQID",
  object: { temperature: 20.5 },
  rxInfo: [{ gatewayId: "0016c001f153a14c", rssi: -70, snr: 9.5 }],
  txInfo: { frequency: 868_100_000, modulation: { lora: { spreadingFactor: 7, bandwidth: 125_000 } } },
  ...fields,
});

/** Starts the app of a test file with an owner, the secret of the webhooks and a stranger. */
export function useWebhooks(): void {
  beforeAll(async () => {
    fixture = await createTestApp();
    const owner = await fixture.signIn("TENANT_OWNER");
    token = owner.token;
    tenantId = owner.user.tenantId ?? "";
    stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
    secret = (await fixture.call("POST", "/api/tenant/integration/rotate-secret", { token })).body.secret;
  });
  afterAll(() => fixture.stop());
}
