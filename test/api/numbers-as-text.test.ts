import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** Bodies that are checked by code instead of a schema also refuse numbers in place of strings. */

let fixture: TestApp;
let token: string;
let deviceId: string;

beforeAll(async () => {
  fixture = await createTestApp();
  token = (await fixture.signIn("TENANT_OWNER")).token;
  deviceId = (await fixture.createDevice(token)).deviceId;
});
afterAll(() => fixture.stop());

const condition = { key: "a", op: "GT", value: 1 };
const profile = (rule: object) => ({
  name: `numbers ${JSON.stringify(rule)}`,
  alarmRules: [{ alarmType: "a", createRules: [{ severity: "MAJOR", condition, ...rule }] }],
});
const generator = (config: object, metric: object = {}) => ({
  name: "numbers",
  type: "data_generator",
  enabled: true,
  status: "draft",
  config: { intervalSeconds: 10, metrics: [{ key: "a", min: 0, max: 9, ...metric }], ...config },
});
const job = (schedule: object, action: object = {}) => ({
  name: "numbers",
  schedule: { kind: "interval", everyMs: 60_000, timezone: "UTC", ...schedule },
  action: { type: "command", deviceIds: [deviceId], command: { method: "a", ...action } },
});
const integration = (settings_json: object) => ({ name: "numbers", type: "CHIRPSTACK", settings_json });
const mqtt = { brokerUrl: "mqtt://broker.example", topicFilter: "a" };
const pipeline = (step: object) => ({ name: "numbers", steps: [step] });
const url = "https://receiver.example";
const widget = (fields: object) => ({
  name: "numbers",
  layout: [{ i: "w", x: 0, y: 0, w: 1, h: 1, ...fields }],
});

test.each([
  ["the time of a condition", "/api/device-profiles", () => profile({ kind: "DURATION", forMs: "5000" })],
  ["the count of a condition", "/api/device-profiles", () => profile({ kind: "REPEATING", count: "3" })],
  [
    "the silence of a condition",
    "/api/device-profiles",
    () => profile({ condition: { noData: { key: "a", forMs: "5000" } } }),
  ],
  ["the interval of a generator", "/api/rule-chains", () => generator({ intervalSeconds: "10" })],
  ["the least value of a generator", "/api/rule-chains", () => generator({}, { min: "0" })],
  ["the decimals of a generator", "/api/rule-chains", () => generator({}, { decimals: "2" })],
  ["the interval of a job", "/api/scheduler", () => job({ everyMs: "60000" })],
  ["the retries of a job's command", "/api/scheduler", () => job({}, { retries: "2" })],
  ["the port of an integration", "/api/integrations", () => integration({ downlink: { fPort: "10" } })],
  [
    "the quality of an integration",
    "/api/integrations",
    () => ({ ...integration({ mqtt: { ...mqtt, qos: "1" } }), type: "MQTT" }),
  ],
  [
    "the keep-alive of an integration",
    "/api/integrations",
    () => ({ ...integration({ mqtt: { ...mqtt, keepAliveS: "60" } }), type: "MQTT" }),
  ],
  [
    "the factor of a step",
    "/api/data-pipelines",
    () => pipeline({ type: "scale_keys", keys: ["a"], factor: "2" }),
  ],
  [
    "the limit of a step",
    "/api/data-pipelines",
    () => pipeline({ type: "clamp_range", keys: ["a"], max: "2" }),
  ],
  [
    "the time of a webhook",
    "/api/data-pipelines",
    () => pipeline({ type: "webhook_forward", url, timeoutMs: "5000" }),
  ],
  ["the place of a widget", "/api/dashboards", () => widget({ x: "0" })],
  [
    "the time window of a dashboard",
    "/api/dashboards",
    () => ({ name: "numbers", timeWindow: { from: "0", to: "1" } }),
  ],
  [
    "the length of a time window",
    "/api/dashboards",
    () => ({ name: "numbers", timeWindow: { mode: "live", durationMs: "60000" } }),
  ],
])("%s is not accepted as text", async (_, path, bodyOf) => {
  const body = bodyOf();
  const response = await fixture.call("POST", path, { token, body });
  expect([response.status, response.body.statusCode]).toEqual([400, 400]);
  const withNumbers = JSON.parse(JSON.stringify(body).replaceAll(/"(\d+)"/g, "$1"));
  const accepted = await fixture.call("POST", path, { token, body: withNumbers });
  expect([accepted.status, accepted.body.message]).toEqual([201, undefined]);
});
