import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** An API key of an owner creates nothing that signs in or sends data away by itself after the key was deleted. */

let fixture: TestApp;
let key: string;

beforeAll(async () => {
  fixture = await createTestApp();
  const { token } = await fixture.signIn("TENANT_OWNER");
  const body = { name: "script", role: "TENANT_OWNER" };
  ({ key } = (await fixture.call("POST", "/api/api-keys", { token, body })).body);
});
afterAll(() => fixture.stop());

const refusal = async (method: string, path: string, body?: unknown) => {
  const response = await fixture.call(method, path, { token: key, ...(body !== undefined && { body }) });
  return [response.status, response.body.code];
};

test("a key cannot create, change or delete MQTT clients", async () => {
  const client = {
    name: "x",
    signIn: "PASSWORD",
    username: "x",
    password: "a-long-password",
    subscribe: ["#"],
  };
  for (const [method, path, body] of [
    ["POST", "/api/mqtt/clients", { ...client, publish: [] }],
    ["PATCH", "/api/mqtt/clients/any", { name: "y" }],
    ["DELETE", "/api/mqtt/clients/any", undefined],
  ] as const)
    expect(await refusal(method, path, body)).toEqual([403, "auth.person_needed"]);
});

test("a key cannot create, change, test or delete uplinks", async () => {
  const uplink = { name: "x", target: { kind: "mqtt", url: "mqtt://198.51.100.1" } };
  for (const [method, path, body] of [
    ["POST", "/api/uplinks", uplink],
    ["POST", "/api/uplinks/test", uplink],
    ["PATCH", "/api/uplinks/any", { name: "y" }],
    ["DELETE", "/api/uplinks/any", undefined],
  ] as const)
    expect(await refusal(method, path, body)).toEqual([403, "auth.person_needed"]);
});

const webhook = (url: string) => ({ type: "webhook_forward", url });

const alarmRules = (...urls: readonly string[]) => [
  {
    alarmType: "Hot",
    createRules: [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: 8 } }],
    actions: urls.map((url) => ({ on: "CREATED", type: "webhook", url })),
  },
];

test("a key cannot send data to an address that no person has set", async () => {
  const { token } = await fixture.signIn("TENANT_OWNER");
  const bridge = (brokerUrl: string) => ({ mqtt: { brokerUrl, topicFilter: "a/#" } });
  const mqtt = { name: "bridge", type: "MQTT", settings_json: bridge("mqtt://198.51.100.1") };
  const messenger = { name: "x", kind: "NTFY", server: "https://198.51.100.1", topic: "plant" };
  const messaging = { url: "https://198.51.100.1/{to}", body: "{}" };
  for (const [method, path, body] of [
    ["POST", "/api/data-pipelines", { name: "x", steps: [webhook("https://198.51.100.1")] }],
    ["POST", "/api/integrations", mqtt],
    ["POST", "/api/notifications/messengers", messenger],
    ["PATCH", "/api/notifications/settings", { messaging }],
    ["POST", "/api/device-profiles", { name: "x", alarmRules: alarmRules("https://198.51.100.1") }],
  ] as const)
    expect([path, ...(await refusal(method, path, body))]).toEqual([path, 403, "auth.person_needed"]);

  const created = async (path: string, body: unknown) => {
    const response = await fixture.call("POST", path, { token, body });
    expect([path, response.status]).toEqual([path, 201]);
    return response.body;
  };
  const steps = [webhook("https://198.51.100.2")];
  const { profileId } = await created("/api/device-profiles", {
    name: "ours",
    alarmRules: alarmRules("https://198.51.100.2"),
  });
  const { pipelineId } = await created("/api/data-pipelines", { name: "ours", steps });
  const { integrationId } = await created("/api/integrations", {
    ...mqtt,
    settings_json: bridge("mqtt://198.51.100.2"),
  });
  const { messengerId } = await created("/api/notifications/messengers", messenger);
  const change = (path: string, body: unknown) => refusal("PATCH", path, body);
  const refused = [403, "auth.person_needed"];
  const profile = `/api/device-profiles/${profileId}`;
  const rules = alarmRules("https://198.51.100.2", "https://198.51.100.3");
  expect(await change(profile, { alarmRules: rules })).toEqual(refused);
  expect((await change(profile, { alarmRules: alarmRules("https://198.51.100.2") }))[0]).toBe(200);
  const moved = [webhook("https://198.51.100.2"), webhook("https://198.51.100.3")];
  expect(await change(`/api/data-pipelines/${pipelineId}`, { steps: moved })).toEqual(refused);
  const settings_json = bridge("mqtt://198.51.100.3");
  expect(await change(`/api/integrations/${integrationId}`, { settings_json })).toEqual(refused);
  expect(await change(`/api/notifications/messengers/${messengerId}`, { topic: "other" })).toEqual(refused);

  // What sends nothing anywhere else stays open.
  const kept = { name: "renamed", steps: [{ type: "drop_keys", keys: ["x"] }, ...steps] };
  for (const [path, body] of [
    [`/api/data-pipelines/${pipelineId}`, kept],
    [`/api/integrations/${integrationId}`, { name: "renamed", settings_json: bridge("mqtt://198.51.100.2") }],
    [`/api/notifications/messengers/${messengerId}`, { isEnabled: false }],
  ] as const)
    expect([path, (await change(path, body))[0]]).toEqual([path, 200]);
});

test("a key reads both, and publishes messages", async () => {
  for (const path of ["/api/mqtt/clients", "/api/uplinks", "/api/mqtt/topics"])
    expect((await fixture.call("GET", path, { token: key })).status).toBe(200);
  const body = { topic: "plant/hello", payload: "1" };
  expect((await fixture.call("POST", "/api/mqtt/publish", { token: key, body })).status).toBe(200);
});
