import { afterAll, beforeAll, expect, test } from "bun:test";
import { renderIn } from "../../src/lib/texts/catalogues.ts";
import type { Text } from "../../src/lib/texts/text.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** Reasons within answers and stored entries are codes and parameters, which are rendered in the reader's language. */

let fixture: TestApp;
let token: string;
let tenantId: string;

beforeAll(async () => {
  fixture = await createTestApp();
  const owner = await fixture.signIn("TENANT_OWNER");
  token = owner.token;
  tenantId = owner.user.tenantId ?? "";
});
afterAll(() => fixture.stop());

const call = (method: string, path: string, body?: unknown) =>
  fixture.call(method, path, { token, ...(body !== undefined && { body }) });
const inGerman = ({ code, params }: Text) => renderIn("de", { code, params });

test("the preview of an integration says in codes why a message is ignored", async () => {
  const { body } = await call("POST", "/api/integrations/preview", {
    type: "CHIRPSTACK",
    payload: { deviceInfo: { devEui: "0000000000000001" } },
    event: "dance",
  });
  expect(body).toMatchObject({
    ignored: "The event “dance” contains nothing to store.",
    ignoredText: { code: "ignored.event_unknown", params: { event: "dance" } },
  });
  expect(inGerman(body.ignoredText)).toBe("Das Ereignis „dance“ enthält nichts zu speichern.");
});

test("the preview of an integration says in codes which steps fail and what drops a message", async () => {
  const { body } = await call("POST", "/api/integrations/preview", {
    type: "HTTP",
    payload: { externalDeviceId: "d", telemetry: { mode: "eco" } },
    mappingSteps: [
      { type: "derive_key", key: "x", expression: "mode - 1" },
      { type: "conditional_drop", condition: { key: "mode", op: "EQ", value: "eco" } },
    ],
  });
  expect(body.warningTexts.map(inGerman)).toEqual([
    "Schritt 1 wurde ausgelassen: - braucht Zahlen, keine Texte.",
    "Ein Schritt der Zuordnung hat die Nachricht verworfen.",
  ]);
  const lenient = await call("POST", "/api/integrations/preview", {
    ...{ type: "HTTP", encoding: "LENIENT_JSON" },
    payloadText: "{'deviceToken': 'a', 't': nan, 'u': 2,}",
  });
  expect(lenient.body).toMatchObject({ normalized: [{ telemetry: { u: 2 } }] });
  const wrong = await call("POST", "/api/integrations/preview", { type: "CHIRPSTACK", payloadText: "text" });
  expect(wrong.body.errors).toMatchObject([
    { stage: "adapter", code: "integration.body_not_json", params: { server: "ChirpStack" } },
  ]);
});

test("a stored event of an integration says in codes what was ignored and which step was skipped", async () => {
  const { secret } = (await call("POST", "/api/tenant/integration/rotate-secret")).body;
  const headers = { "x-tenant-id": tenantId, "x-webhook-secret": secret };
  const { integrationId } = (
    await call("POST", "/api/integrations", {
      name: "hook",
      type: "HTTP",
      status: "active",
      settings_json: { autoCreateDevice: true },
      mappingSteps: [{ type: "derive_key", key: "x", expression: "mode - 1" }],
    })
  ).body;
  const post = (body: unknown) =>
    fixture.call("POST", `/api/v1/integrations/generic/${integrationId}/telemetry`, { headers, body });
  expect((await post({ externalDeviceId: "press", telemetry: { mode: "eco" } })).status).toBe(200);
  await post([]);
  const { body: events } = await call("GET", `/api/integrations/${integrationId}/events`);
  expect(events.map(inGerman)).toEqual([
    "Die Nachricht wurde ignoriert: Der Inhalt enthält keine Werte.",
    "press. Schritt 1 wurde ausgelassen: - braucht Zahlen, keine Texte.",
  ]);
});

test("a list of devices with a mistake names the rule by its code within the error", async () => {
  const { status, body } = await call("POST", "/api/devices/bulk/import", {
    rows: [{ name: "a", deviceType: "t", inactivityTimeoutMs: "soon" }],
  });
  expect(status).toBe(400);
  expect(body.params.mistake).toMatchObject({
    code: "bulk.mistake_field",
    params: { row: 1, field: "inactivityTimeoutMs", rule: { code: expect.stringMatching(/^rule\./) } },
  });
});
