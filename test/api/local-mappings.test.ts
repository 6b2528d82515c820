import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

let fixture: TestApp;
let owner: string;
let client: MqttClient;
const open: MqttClient[] = [];

const call = (method: string, path: string, body?: unknown, token = owner) =>
  fixture.call(method, `/api${path}`, { token, body });

async function connect(username: string, token = owner): Promise<MqttClient> {
  const account = { name: username, signIn: "PASSWORD", username, password: "sesame street" };
  await call("POST", "/mqtt/clients", { ...account, publish: ["#"], subscribe: ["#"] }, token);
  const connected = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
    username,
    password: account.password,
    protocolVersion: 5,
    reconnectPeriod: 0,
  });
  open.push(connected);
  return connected;
}

const mapping = async (settings: Record<string, unknown>, mqtt: Record<string, unknown>) => {
  const { body, status } = await call("POST", "/integrations", {
    ...{ name: `mapping ${crypto.randomUUID()}`, type: "MQTT", status: "active" },
    settings_json: { autoCreateDevice: true, ...settings, mqtt: { brokerUrl: "local:", ...mqtt } },
  });
  expect(status).toBe(201);
  const id = body.integrationId as string;
  await untilAnswer(
    () => call("GET", `/integrations/${id}`),
    (response) => response.body.bridge?.status === "connected",
  );
  return id;
};

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  client = await connect("field");
});
afterAll(async () => {
  for (const each of open) await each.endAsync(true);
  await fixture.stop();
});

const latestOf = async (name: string) => {
  const found = (await call("GET", `/devices?search=${name}`)).body.find(
    (device: { name: string }) => device.name === name,
  );
  return found && (await call("GET", `/devices/${found.deviceId}/telemetry/latest`)).body.values;
};

test("a message is stored when its publisher gets the acknowledgement", async () => {
  await mapping({}, { topicFilter: "hall/+/climate", topicTemplate: "hall/{device}/climate" });
  for (let n = 1; n <= 20; n++) {
    await client.publishAsync("hall/north/climate", JSON.stringify({ temperature: n }), {
      qos: n % 2 ? 1 : 2,
    });
    expect((await latestOf("north"))?.temperature).toBe(n);
  }
});

test("subscribers receive what is mapped, too, and other topics are left alone", async () => {
  const id = await mapping({}, { topicFilter: "cold/#", topicTemplate: "cold/{device}" });
  const received: string[] = [];
  client.on("message", (topic) => received.push(topic));
  await client.subscribeAsync("#", { qos: 1 });
  await client.publishAsync("cold/store", '{"temperature": 4}', { qos: 1 });
  await client.publishAsync("warm/store", '{"temperature": 40}', { qos: 1 });
  await untilAnswer(
    () => received,
    (topics) => topics.length === 2,
  );
  const { body } = await call("GET", `/integrations/${id}`);
  expect(body.bridge.counts).toMatchObject({ received: 1, ignored: 0 });
  await client.unsubscribeAsync("#");
});

test("what clients of another tenant publish is not taken", async () => {
  const id = await mapping({}, { topicFilter: "shared/#", topicTemplate: "shared/{device}" });
  const stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  const other = await connect("stranger", stranger);
  await other.publishAsync("shared/x", '{"n": 1}', { qos: 1 });
  await client.publishAsync("shared/y", '{"n": 2}', { qos: 1 });
  expect((await call("GET", `/integrations/${id}`)).body.bridge.counts.received).toBe(1);
  expect(await latestOf("x")).toBeUndefined();
});

test("a paused mapping takes no messages, and a started one takes retained messages if it is set to", async () => {
  await client.publishAsync("kept/pump", '{"pressure": 3}', { qos: 1, retain: true });
  const id = await mapping({}, { topicFilter: "kept/#", topicTemplate: "kept/{device}", takeRetained: true });
  await untilAnswer(
    () => latestOf("pump"),
    (values) => values?.pressure === 3,
  );
  await call("POST", `/integrations/${id}/pause`);
  await untilAnswer(
    () => call("GET", `/integrations/${id}`),
    (response) => response.body.bridge?.status !== "connected",
  );
  await client.publishAsync("kept/pump", '{"pressure": 4}', { qos: 1 });
  expect((await latestOf("pump")).pressure).toBe(3);
});

test("an invalid message is listed and does not end the connection", async () => {
  const id = await mapping({ format: "tasmota" }, { topicFilter: "tele/#" });
  await client.publishAsync("tele/plug/SENSOR", Buffer.from([0xff, 0xfe]), { qos: 1 });
  await client.publishAsync("tele/plug/SENSOR", '{"ENERGY": {"Power": 7}}', { qos: 1 });
  expect((await latestOf("plug")).ENERGY_Power).toBe(7);
  const { body } = await call("GET", `/integrations/${id}/events?status=ERROR`);
  expect(body).toHaveLength(1);
});

test("devices that publish are listed until a mapping reads them, and it starts with their newest messages", async () => {
  const discovered = async (token = owner) =>
    (await call("GET", "/integrations/discovered", undefined, token)).body.networks;
  await client.publishAsync("zigbee2mqtt/cellar", '{"humidity": 70}', { qos: 1 });
  await client.publishAsync("zigbee2mqtt/cellar", '{"humidity": 71}', { qos: 1 });
  await client.publishAsync("zigbee2mqtt/attic", `{"note": "${"x".repeat(5_000)}"}`, { qos: 1 });
  const [network] = await discovered();
  expect(network).toMatchObject({ format: "zigbee2mqtt", devices: ["attic", "cellar"], deviceCount: 2 });
  expect(await discovered((await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token)).toEqual([]);
  const sentAt = Date.parse(network.lastMessageAt);
  const id = await mapping({ format: "zigbee2mqtt" }, { topicFilter: "zigbee2mqtt/#" });
  await untilAnswer(
    () => latestOf("cellar"),
    (values) => values?.humidity === 71,
  );
  const [device] = (await call("GET", "/devices?search=cellar")).body;
  const range = `/devices/${device.deviceId}/telemetry/range?keys=humidity&from=${sentAt - 60_000}&to=${sentAt}`;
  expect(JSON.stringify((await call("GET", range)).body)).toContain("71");
  // Only the first bytes of a large message are known.
  expect(await latestOf("attic")).toBeUndefined();
  expect(await discovered()).toEqual([]);
  await client.publishAsync("zigbee2mqtt/cellar", '{"humidity": 72}', { qos: 1 });
  await call("POST", `/integrations/${id}/pause`);
  expect(await discovered()).toMatchObject([{ format: "zigbee2mqtt" }]);
  await client.publishAsync("zigbee2mqtt/cellar", '{"humidity": 99}', { qos: 1 });
  await call("POST", `/integrations/${id}/start`);
  await client.publishAsync("zigbee2mqtt/other", '{"humidity": 1}', { qos: 1 });
  await untilAnswer(
    () => latestOf("other"),
    (values) => values?.humidity === 1,
  );
  expect((await latestOf("cellar")).humidity).toBe(72);
});

test("the address of a broker may be that of the embedded one", async () => {
  const settings = (brokerUrl: string) => ({
    ...{ name: "x", type: "MQTT" },
    settings_json: { mqtt: { brokerUrl, topicFilter: "a" } },
  });
  expect((await call("POST", "/integrations", settings("local:"))).status).toBe(201);
  for (const brokerUrl of ["local", "local://x", "localhost:"])
    expect([brokerUrl, (await call("POST", "/integrations", settings(brokerUrl))).status]).toEqual([
      brokerUrl,
      400,
    ]);
});
