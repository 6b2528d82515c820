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
  await call("POST", "/mqtt/clients", { ...account, publish: ["#"], subscribe: ["#", "lineside/#"] }, token);
  const connected = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
    username,
    password: account.password,
    protocolVersion: 5,
    reconnectPeriod: 0,
  });
  open.push(connected);
  return connected;
}

async function discover(
  prefix: string,
  settings: Record<string, unknown> = {},
  token = owner,
): Promise<string> {
  const { body, status } = await call(
    "POST",
    "/integrations",
    {
      ...{ name: `discovery ${crypto.randomUUID()}`, type: "MQTT", status: "active" },
      settings_json: {
        ...{ format: "home-assistant", autoCreateDevice: true },
        ...settings,
        mqtt: { brokerUrl: "local:", topicFilter: `${prefix}/#` },
      },
    },
    token,
  );
  expect(status).toBe(201);
  const id = body.integrationId as string;
  await untilAnswer(
    () => call("GET", `/integrations/${id}`, undefined, token),
    (response) => response.body.bridge?.status === "connected",
  );
  return id;
}

const announce = (topic: string, body: unknown, retain = true) =>
  client.publishAsync(topic, body === "" ? "" : JSON.stringify(body), { qos: 1, retain });
const say = (topic: string, body: unknown) =>
  client.publishAsync(topic, typeof body === "string" ? body : JSON.stringify(body), { qos: 1 });

const deviceOf = async (name: string, token = owner) =>
  (await call("GET", `/devices?search=${encodeURIComponent(name)}`, undefined, token)).body.find(
    (device: { name: string }) => device.name === name,
  );
const latestOf = async (name: string) => {
  const device = await deviceOf(name);
  return device && (await call("GET", `/devices/${device.deviceId}/telemetry/latest`)).body.values;
};
const keysOf = async (name: string) => {
  const device = await deviceOf(name);
  const { body } = await call("GET", `/device-profiles/${device.profileId}`);
  return new Map(body.keyMetadata.map((entry: { key: string }) => [entry.key, entry]));
};
const errorsOf = async (id: string) =>
  (await call("GET", `/integrations/${id}/events?status=ERROR`)).body as { message: string }[];

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  client = await connect("field");
});
afterAll(async () => {
  for (const each of open) await each.endAsync(true);
  await fixture.stop();
});

test("an announced device is created with its values, units, names and states", async () => {
  await discover("ha1");
  const dev = { ids: ["pump-17"], name: "Well pump", mf: "Aqua", mdl: "WP3" };
  await announce("ha1/sensor/pump-17/pressure/config", {
    ...{ "~": "plant/pump-17", stat_t: "~/state", val_tpl: "{{ value_json.p | float | round(2) }}", dev },
    ...{ name: "Pressure", unit_of_meas: "bar", dev_cla: "pressure", stat_cla: "measurement" },
    ...{ sug_dsp_prc: 1, uniq_id: "pump-17-p", avty_t: "~/online" },
  });
  await announce("ha1/switch/pump-17/run/config", {
    ...{ "~": "plant/pump-17", stat_t: "~/run", cmd_t: "~/run/set", dev, name: "Run", uniq_id: "pump-17-r" },
    ...{ pl_on: "go", pl_off: "halt" },
  });
  await say("plant/pump-17/state", { p: "2.347" });
  await say("plant/pump-17/run", "go");
  await say("plant/pump-17/online", "online");
  expect(await latestOf("Well pump")).toEqual({ pressure: 2.35, run: true, online: true });
  expect(await deviceOf("Well pump")).toMatchObject({ deviceType: "Aqua WP3" });
  const keys = await keysOf("Well pump");
  expect(keys.get("pressure")).toEqual({
    ...{ key: "pressure", name: "Pressure", unit: "bar", decimals: 1, kind: "gauge" },
  });
  expect(keys.get("run")).toMatchObject({
    states: [
      { value: true, name: "go" },
      { value: false, name: "halt" },
    ],
  });
});

test("a command publishes the announced payload to the announced topic", async () => {
  const received: [string, string][] = [];
  client.on("message", (topic, payload) => void received.push([topic, String(payload)]));
  await client.subscribeAsync(["plant/pump-17/run/set"], { qos: 1 });
  const { deviceId } = await deviceOf("Well pump");
  const send = (method: string, params: unknown) =>
    call("POST", `/devices/${deviceId}/commands`, { method, params });
  const stateOf = async (commandId: string) =>
    untilAnswer(
      () => call("GET", `/devices/${deviceId}/commands`),
      ({ body }) =>
        body.find((command: { commandId: string }) => command.commandId === commandId)?.status !== "QUEUED",
    );
  const first = await send("setValue", { key: "run", value: false });
  expect(first.status).toBe(201);
  await untilAnswer(
    () => received,
    (messages) => messages.length === 1,
  );
  expect(received).toEqual([["plant/pump-17/run/set", "halt"]]);
  const wrong = await send("setValue", { key: "run", value: "sideways" });
  await stateOf(wrong.body.commandId);
  const missing = await send("dance", null);
  await stateOf(missing.body.commandId);
  expect(received).toHaveLength(1);
});

test("an announcement that cannot be read is named with its reason", async () => {
  const id = await discover("ha2");
  const dev = { ids: "odd" };
  await announce("ha2/sensor/odd/a/config", { stat_t: "odd/a", val_tpl: "{{ states('sensor.x') }}", dev });
  await announce("ha2/sensor/odd/b/config", { stat_t: "odd/#/x", dev });
  const errors = await errorsOf(id);
  expect(errors).toHaveLength(2);
  expect(JSON.stringify(errors)).toContain("value_template");
  expect(await deviceOf("odd")).toBeUndefined();
});

test("a removed component is marked as gone, and a changed one follows its new topic", async () => {
  await discover("ha3");
  const dev = { ids: "tank", name: "Tank" };
  await announce("ha3/sensor/tank/level/config", {
    stat_t: "t/level",
    unit_of_meas: "cm",
    name: "Level",
    dev,
  });
  await announce("ha3/sensor/tank/temp/config", { stat_t: "t/temp", unit_of_meas: "°C", name: "Temp", dev });
  await say("t/level", "12");
  await announce("ha3/sensor/tank/level/config", { stat_t: "t/lvl", unit_of_meas: "mm", name: "Level", dev });
  await announce("ha3/sensor/tank/temp/config", "");
  await say("t/level", "13");
  await say("t/lvl", "140");
  await say("t/temp", "20");
  expect(await latestOf("Tank")).toEqual({ level: 140 });
  expect((await keysOf("Tank")).get("level")).toMatchObject({ unit: "mm" });
  const { deviceId } = await deviceOf("Tank");
  const { body } = await call("GET", `/devices/${deviceId}/attributes?scope=CLIENT`);
  expect(JSON.stringify(body)).toContain('"key":"entitiesGone","value":["temp"]');
});

test("an integration that is created later finds what is announced already, and only of its tenant", async () => {
  const stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  await announce("ha4/device/kiln/config", {
    dev: { ids: "kiln", name: "Kiln" },
    o: { name: "test" },
    cmps: { heat: { p: "sensor", uniq_id: "kiln-heat", unit_of_meas: "°C", val_tpl: "{{ value_json.h }}" } },
    stat_t: "kiln/state",
  });
  await discover("ha4", {}, stranger);
  await discover("ha4");
  await untilAnswer(
    () => deviceOf("Kiln"),
    (device) => device !== undefined,
  );
  await say("kiln/state", { h: 900 });
  expect(await latestOf("Kiln")).toEqual({ heat: 900 });
  expect(await deviceOf("Kiln", stranger)).toBeUndefined();
});

test("the gateway's devices are announced, follow changes, and are announced again to a started Home Assistant", async () => {
  const received = new Map<string, string>();
  let announcements = 0;
  client.on("message", (topic, payload) => {
    if (!topic.startsWith("ha5/device/")) return;
    received.set(topic, String(payload));
    announcements++;
  });
  await client.subscribeAsync("ha5/#", { qos: 1 });
  const { body: profile } = await call("POST", "/device-profiles", {
    name: "Oven",
    keyMetadata: [{ key: "temp", name: "Core", unit: "Cel", decimals: 1, kind: "gauge" }],
  });
  const { body: device } = await call("POST", "/devices", {
    ...{ name: "Oven 1", deviceType: "oven", profileId: profile.profileId },
  });
  const id = await discover("ha5", { announceDevices: true });
  const values = { temp: 180.5, door: false, text: "ok" };
  await fixture.call("POST", `/api/v1/${device.credentials.token}/telemetry`, { body: values });
  const topic = `ha5/device/lineside_${device.deviceId}/config`;
  await call("PATCH", `/devices/${device.deviceId}`, { label: "Big oven" });
  await untilAnswer(
    () => received.get(topic) ?? "",
    (text) => text.includes("Big oven") && text.includes("door"),
  );
  const announced = JSON.parse(received.get(topic) ?? "");
  expect(announced.state_topic).toBe(`lineside/devices/${device.deviceId}/telemetry`);
  expect(announced.components.temp).toMatchObject({
    ...{ platform: "sensor", name: "Core", unit_of_measurement: "°C", device_class: "temperature" },
    ...{ state_class: "measurement", suggested_display_precision: 1 },
  });
  expect(announced.components.door).toMatchObject({ platform: "binary_sensor" });
  // What came in by an announcement, or belongs to another tenant, is not announced.
  expect([...received.values()].join()).not.toContain("Well pump");
  const before = announcements;
  await client.publishAsync("ha5/status", "online", { qos: 1 });
  await untilAnswer(
    () => announcements,
    (count) => count > before,
  );
  await call("DELETE", `/devices/${device.deviceId}`);
  await untilAnswer(
    () => received.get(topic),
    (text) => text === "",
  );
  await call("DELETE", `/integrations/${id}`);
});

test("announcements belong to one running integration of a tenant", async () => {
  const first = await discover("ha6");
  const body = (topicFilter: string, status: string) => ({
    ...{ name: "second", type: "MQTT", status },
    settings_json: { format: "home-assistant", mqtt: { brokerUrl: "local:", topicFilter } },
  });
  const create = (topicFilter: string, status: string, token = owner) =>
    call("POST", "/integrations", body(topicFilter, status), token);
  expect(await create("ha6/+/x/#", "active")).toMatchObject({ status: 409 });
  const stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "three" })).token;
  expect(await create("ha6/#", "active", stranger)).toMatchObject({ status: 201 });
  const { body: draft } = await create("ha6/#", "draft");
  const { body: elsewhere } = await create("ha7/#", "active");
  const start = () => call("POST", `/integrations/${draft.integrationId}/start`);
  expect((await start()).status).toBe(409);
  const settings_json = body("ha6/#", "").settings_json;
  expect((await call("PATCH", `/integrations/${elsewhere.integrationId}`, { settings_json })).status).toBe(
    409,
  );
  await call("POST", `/integrations/${first}/pause`);
  expect((await start()).status).toBe(200);
});

test("devices are announced at the embedded broker only", async () => {
  const settings = (mqtt: object, format: string) => ({
    ...{ name: "x", type: "MQTT" },
    settings_json: { format, announceDevices: true, mqtt: { topicFilter: "homeassistant/#", ...mqtt } },
  });
  for (const body of [
    settings({ brokerUrl: "mqtt://broker.example:1883" }, "home-assistant"),
    settings({ brokerUrl: "local:" }, "tasmota"),
  ])
    expect((await call("POST", "/integrations", body)).status).toBe(400);
});

const announceValue = (prefix: string, ids: string, dev: object = {}) =>
  announce(`${prefix}/sensor/${ids}/t/config`, {
    ...{ stat_t: `state/${prefix}/${ids}`, name: "stolen", unit_of_meas: "°C", uniq_id: `${prefix}-${ids}` },
    dev: { ids, ...dev },
  });

test("an announcement does not reach a device by its id or name, nor the profile that a person made", async () => {
  const { body: profile } = await call("POST", "/device-profiles", { name: "Turbine" });
  const { body: device } = await call("POST", "/devices", {
    ...{ name: "turbine-1", deviceType: "Turbine", profileId: profile.profileId },
  });
  await discover("ha8");
  for (const ids of [device.deviceId, "turbine-1"]) {
    await announceValue("ha8", ids, { name: `Pretended ${ids}`, mdl: "Turbine" });
    await say(`state/ha8/${ids}`, "4343");
    expect(await latestOf(`Pretended ${ids}`)).toEqual({ t: 4343 });
  }
  expect((await call("GET", `/devices/${device.deviceId}/telemetry/latest`)).body.values).toEqual({});
  const attributes = (await call("GET", `/devices/${device.deviceId}/attributes?scope=SERVER`)).text;
  expect(attributes).not.toContain("integration.");
  expect((await keysOf("turbine-1")).size).toBe(0);
});

test("an announcement does not reach a device of another integration with the same id", async () => {
  const first = await discover("ha9");
  await announceValue("ha9", "boiler", { name: "Boiler" });
  await say("state/ha9/boiler", "60");
  await discover("ha10");
  await announceValue("ha10", "boiler", { name: "Pretended boiler" });
  await say("state/ha10/boiler", "99");
  expect(await latestOf("Boiler")).toEqual({ t: 60 });
  expect(await latestOf("Pretended boiler")).toEqual({ t: 99 });
  await say("state/ha9/boiler", "61");
  expect(await latestOf("Boiler")).toEqual({ t: 61 });
  // One that takes the place of a deleted integration has its devices.
  await call("POST", `/integrations/${first}/pause`);
  expect((await call("DELETE", `/integrations/${first}`)).status).toBe(200);
  await discover("ha9");
  await announceValue("ha9", "boiler", { name: "Boiler" });
  await say("state/ha9/boiler", "62");
  expect(await latestOf("Boiler")).toEqual({ t: 62 });
});

test("a person lets a device follow the announcements of an integration", async () => {
  const { body: device } = await call("POST", "/devices", { name: "adopted", deviceType: "meter" });
  const id = await discover("ha11");
  const attributes = { "integration.external_id": "meter-7", "integration.owner": id };
  await call("POST", `/devices/${device.deviceId}/attributes`, { scope: "SERVER", attributes });
  await announceValue("ha11", "meter-7");
  await say("state/ha11/meter-7", "7");
  expect(await latestOf("adopted")).toEqual({ t: 7 });
});
