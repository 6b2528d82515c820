import { afterAll, beforeAll, expect } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { createWebhookReceiver, type Received, type WebhookReceiver } from "../support/webhook-receiver.ts";

export const KEY = "NNSXS.the-key-of-the-network-server";
export let fixture: TestApp;
export let network: WebhookReceiver;
export let owner: string;
let secret: string;
let tenantId: string;

export const call = (method: string, path: string, body?: unknown, token = owner) =>
  fixture.call(method, path, { token, ...(body !== undefined && { body }) });

/** The things that a network server says back, to the integration's own address. */
export const report = (
  kind: "lorawan-a" | "lorawan-b",
  integrationId: string,
  body: unknown,
  query = "",
  headers = {},
) =>
  fixture.call("POST", `/api/v1/integrations/${kind}/${integrationId}/telemetry${query}`, {
    body,
    headers: { "x-webhook-secret": secret, "x-tenant-id": tenantId, ...headers },
  });

/** Counts what was set up, for names that are unique. */
export let number = 0;

export async function setUp(type: "CHIRPSTACK" | "THE_THINGS_STACK", downlink: Record<string, unknown> = {}) {
  number++;
  const devEui = number.toString(16).padStart(16, "0");
  const device = await fixture.createDevice(owner, { name: `${type} ${number}`, lorawanDevEui: devEui });
  const apiResponse = await call("POST", "/api/integrations", {
    ...{ name: `${type} ${number}`, type, status: "active" },
    settings_json: { downlink: { url: network.url, apiKey: KEY, ...downlink } },
  });
  expect([apiResponse.status, apiResponse.text]).toEqual([201, expect.any(String)]);
  const { integrationId } = apiResponse.body;
  return {
    ...{ devEui, deviceId: device.deviceId, integrationId },
    send: (body: Record<string, unknown>) =>
      call("POST", `/api/integrations/${integrationId}/downlink`, body),
    async latest() {
      const listed = await call("GET", `/api/integrations/${integrationId}/downlinks`);
      expect(listed.status).toBe(200);
      return listed.body[0];
    },
  };
}

export const last = (): Received => network.received.at(-1)!;

export const chirpstackTakes = (id: string) => {
  network.answer = () => Response.json({ id });
};

/** Starts the app of a test file with a network server that records what it gets. */
export function useDownlinks(): void {
  beforeAll(async () => {
    network = createWebhookReceiver();
    fixture = await createTestApp({ host: "one", config: { outbound_allow: "127.0.0.1" } });
    const signedIn = await fixture.signIn("TENANT_OWNER");
    owner = signedIn.token;
    tenantId = signedIn.user.tenantId ?? "";
    secret = (await fixture.call("POST", "/api/tenant/integration/rotate-secret", { token: owner })).body
      .secret;
  });
  afterAll(async () => {
    await fixture.stop();
    await network.stop();
  });
}
