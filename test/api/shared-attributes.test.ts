import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { createMosquitto, hasMosquitto } from "../support/mosquitto.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

let fixture: TestApp;
let token: string;
let field: MqttClient;
let integrationId: string;
let deviceId: string;
const received: string[] = [];

const call = (method: string, path: string, body?: unknown) =>
  fixture.call(method, `/api${path}`, { token, body });

beforeAll(async () => {
  fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1" } });
  token = (await fixture.signIn("TENANT_OWNER")).token;
  const account = { name: "field", signIn: "PASSWORD", username: "field", password: "sesame street" };
  await call("POST", "/mqtt/clients", { ...account, publish: ["#"], subscribe: ["#"] });
  field = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
    username: account.username,
    password: account.password,
  });
  field.on("message", (topic, body) => received.push(`${topic} ${body.toString()}`));
  await field.subscribeAsync("cfg/#", { qos: 1 });
  const created = await call("POST", "/integrations", {
    ...{ name: "pumps", type: "MQTT", status: "active" },
    settings_json: {
      autoCreateDevice: true,
      paths: { attributes: "about" },
      mqtt: {
        brokerUrl: "local:",
        topicFilter: "pumps/+",
        topicTemplate: "pumps/{device}",
        attributesTopic: "cfg/{device}",
      },
    },
  });
  integrationId = created.body.integrationId;
  await untilAnswer(
    () => call("GET", `/integrations/${integrationId}`),
    ({ body }) => body.bridge?.status === "connected",
  );
  await field.publishAsync("pumps/p1", '{"pressure": 3, "about": {"firmware": "2.1"}}', { qos: 1 });
  deviceId = (await call("GET", "/devices?search=p1")).body[0].deviceId;
});
afterAll(async () => {
  await field.endAsync(true);
  await fixture.stop();
});

const set = (id: string, scope: string, attributes: object) =>
  call("POST", `/devices/${id}/attributes`, { scope, attributes });
const share = (values: object) => set(deviceId, "SHARED", values);
const until = (message: string) =>
  untilAnswer(
    () => received,
    (messages) => messages.includes(message),
  );

test("the attributes of a message become attributes of its device", async () => {
  const { body } = await call("GET", `/devices/${deviceId}/attributes?scope=CLIENT`);
  expect(body).toMatchObject([{ key: "firmware", value: "2.1" }]);
});

test("a change of a shared attribute goes to the topic of the integration", async () => {
  expect((await share({ interval: 60 })).status).toBeLessThan(300);
  await until('cfg/p1 {"interval":60}');
});

test("changes during a pause go out with the device's next message", async () => {
  await call("POST", `/integrations/${integrationId}/pause`);
  await share({ interval: 90, mode: "eco" });
  await share({ interval: 120 });
  await call("POST", `/integrations/${integrationId}/start`);
  await untilAnswer(
    () => call("GET", `/integrations/${integrationId}`),
    ({ body }) => body.bridge?.status === "connected",
  );
  await field.publishAsync("pumps/p1", '{"pressure": 4}', { qos: 1 });
  await until('cfg/p1 {"interval":120,"mode":"eco"}');
  expect(received.some((message) => message.includes("90"))).toBe(false);
});

test("attributes of another scope, and of devices elsewhere, are not sent", async () => {
  const before = received.length;
  await set(deviceId, "SERVER", { place: "hall" });
  const { body } = await call("POST", "/devices", { name: "other" });
  await set(body.deviceId, "SHARED", { interval: 1 });
  await share({ interval: 5 });
  await until('cfg/p1 {"interval":5}');
  expect(received.slice(before)).toEqual(['cfg/p1 {"interval":5}']);
});

test.skipIf(!hasMosquitto)("a change without a connection goes out when the broker is back", async () => {
  const broker = await createMosquitto();
  const remote = await broker.client();
  const { body } = await call("POST", "/integrations", {
    ...{ name: "elsewhere", type: "MQTT", status: "active" },
    settings_json: {
      ...{ format: "tasmota", autoCreateDevice: true },
      mqtt: {
        brokerUrl: `mqtt://127.0.0.1:${broker.port}`,
        topicFilter: "tele/#",
        attributesTopic: "cmnd/{device}/{key}",
      },
    },
  });
  const statusOf = async () => (await call("GET", `/integrations/${body.integrationId}`)).body.bridge?.status;
  await untilAnswer(statusOf, (status) => status === "connected");
  await remote.publishAsync("tele/plug/STATE", '{"POWER": "ON"}', { qos: 1 });
  const [plug] = await untilAnswer(
    async () => (await call("GET", "/devices?search=plug")).body,
    (devices) => devices.length === 1,
  );
  await broker.kill("SIGTERM");
  await untilAnswer(statusOf, (status) => status !== "connected");
  await set(plug.deviceId, "SHARED", { TelePeriod: 60 });
  await broker.start();
  const again = await broker.client();
  again.on("message", (topic, payload) => received.push(`${topic} ${payload.toString()}`));
  await again.subscribeAsync("cmnd/#", { qos: 1 });
  await until("cmnd/plug/TelePeriod 60");
  await remote.endAsync(true);
  await again.endAsync(true);
  await broker.stop();
});

test.each([
  ["attributesTopic", "cfg/x"],
  ["attributesTopic", "cfg/{device}/#"],
  ["attributesTopic", "{device}/{device}"],
  ["topicFilter", "pumps/+\nother/#"],
])("%s %j is refused", async (name, value) => {
  const mqtt = { brokerUrl: "local:", topicFilter: "pumps/+", [name]: value };
  const { status, text } = await call("POST", "/integrations", {
    name: "x",
    type: "MQTT",
    settings_json: { mqtt },
  });
  expect([status, text]).toEqual([400, expect.stringContaining(name)]);
});
