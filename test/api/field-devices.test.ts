import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { readPayload } from "../../src/lib/sparkplug/sparkplug-payload.ts";
import { float, payload } from "../modules/integrations/adapters/sparkplug-writer.ts";
import { createMosquitto, hasMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

const brokers = [
  { name: "somebody else's broker", isEmbedded: false },
  { name: "the embedded broker", isEmbedded: true },
].filter(({ isEmbedded }) => isEmbedded || hasMosquitto);

/** Devices as they are bought, at a real broker: they become devices here without any mapping. */
describe.each(brokers)("devices at $name", ({ isEmbedded }) => {
  let fixture: TestApp;
  let broker: Mosquitto | undefined;
  let field: MqttClient;
  let token: string;
  beforeAll(async () => {
    fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1" } });
    token = (await fixture.signIn("TENANT_OWNER")).token;
    broker = isEmbedded ? undefined : await createMosquitto();
    field = await (broker?.client() ?? embeddedClient());
  });
  afterAll(async () => {
    await field.endAsync(true);
    await fixture.stop();
    await broker?.stop();
  });

  async function embeddedClient(): Promise<MqttClient> {
    const patterns = { publish: ["#"], subscribe: ["#"] };
    const account = { name: "field", signIn: "PASSWORD", username: "field", password: "sesame street" };
    await call("POST", "/mqtt/clients", { ...account, ...patterns });
    const { username, password } = account;
    return connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, { username, password });
  }

  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fixture.call(method, `/api${path}`, { token, body });
    if (response.status >= 300)
      throw new Error(`${method} ${path} answered ${response.status} ${response.text}`);
    return response.body;
  };
  async function connect(format: string, topicFilter: string): Promise<void> {
    const { integrationId } = await call("POST", "/integrations", {
      ...{ name: format, type: "MQTT", status: "active" },
      settings_json: {
        ...{ format, autoCreateDevice: true, deviceType: format },
        mqtt: { brokerUrl: broker ? `mqtt://127.0.0.1:${broker.port}` : "local:", topicFilter },
      },
    });
    await untilAnswer(
      () => call("GET", `/integrations/${integrationId}`),
      ({ bridge }) => bridge?.status === "connected",
    );
  }
  const say = (topic: string, body: object | string | Buffer) =>
    field.publishAsync(
      topic,
      typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      { qos: 1 },
    );
  /** The device's newest values, once all of these keys are there. */
  async function valuesOf(
    name: string,
    deviceType: string,
    keys: string[],
  ): Promise<Record<string, unknown>> {
    const [device] = await untilAnswer(
      async () =>
        (await call("GET", `/devices?deviceType=${deviceType}`)).filter(
          (item: { name: string }) => item.name === name,
        ),
      ({ length }) => length > 0,
    );
    const latest = await untilAnswer(
      () => call("GET", `/devices/${device.deviceId}/telemetry/latest`),
      ({ values }) => keys.every((key) => values?.[key] !== undefined),
    );
    return latest.values;
  }

  test("Tasmota", async () => {
    await connect("tasmota", "tele/#");
    await say("tele/plug-1/SENSOR", { Time: "2026-01-01T00:00:00", ENERGY: { Power: 12 } });
    await say("tele/plug-1/STATE", { POWER: "ON", Wifi: { Signal: -60 } });
    expect(await valuesOf("plug-1", "tasmota", ["ENERGY_Power", "POWER"])).toMatchObject({
      ENERGY_Power: 12,
      POWER: true,
    });
  });

  test("a command goes back to a device, and waits while its integration is paused", async () => {
    const { integrationId } = (await call("GET", "/integrations")).find(
      ({ name }: { name: string }) => name === "tasmota",
    );
    const [{ deviceId }] = await call("GET", "/devices?deviceType=tasmota");
    const received: string[] = [];
    field.on("message", (topic, body) => received.push(`${topic} ${body.toString()}`));
    await field.subscribeAsync("cmnd/plug-1/#", { qos: 1 });
    const command = { method: "POWER", params: "OFF" };
    const { commandId } = await call("POST", `/devices/${deviceId}/commands`, command);
    const statusOf = async (id: string) => (await call("GET", `/devices/${deviceId}/commands/${id}`)).status;
    await untilAnswer(
      () => statusOf(commandId),
      (status) => status === "SUCCESSFUL",
    );
    await untilAnswer(
      () => received,
      ([message]) => message === "cmnd/plug-1/POWER OFF",
    );
    await call("POST", `/integrations/${integrationId}/pause`);
    const later = await call("POST", `/devices/${deviceId}/commands`, { ...command, params: "ON" });
    expect(await statusOf(later.commandId)).toBe("QUEUED");
    await call("POST", `/integrations/${integrationId}/start`);
    await untilAnswer(
      () => statusOf(later.commandId),
      (status) => status === "SUCCESSFUL",
    );
    await untilAnswer(
      () => received,
      (messages) => messages[1] === "cmnd/plug-1/POWER ON",
    );
  });

  test("Zigbee2MQTT", async () => {
    await connect("zigbee2mqtt", "zigbee2mqtt/#");
    await say("zigbee2mqtt/hall/door", { contact: false, battery: 90 });
    await say("zigbee2mqtt/hall/door/availability", { state: "online" });
    const keys = ["contact", "battery", "online"];
    expect(await valuesOf("hall/door", "zigbee2mqtt", keys)).toMatchObject({
      contact: false,
      battery: 90,
      online: true,
    });
  });

  test("Shelly", async () => {
    await connect("shelly", "shelly/#");
    const params = { ts: Date.now() / 1000, "switch:0": { id: 0, apower: 8.5, aenergy: { total: 1.5 } } };
    await say("shelly/plug/events/rpc", { src: "x", method: "NotifyStatus", params });
    const keys = ["switch_0_apower", "switch_0_aenergy_total"];
    expect(await valuesOf("shelly/plug", "shelly", keys)).toMatchObject({ switch_0_apower: 8.5 });
  });

  test("Shelly of the first generation, and its command", async () => {
    await connect("shelly", "shellies/#");
    const id = "shellyplug-s-041A2B";
    await say(`shellies/${id}/announce`, { id, model: "SHPLG-S", mac: "A4CF12041A2B", fw_ver: "v1.14.0" });
    await say(`shellies/${id}/online`, "true");
    await say(`shellies/${id}/relay/0`, "off");
    await say(`shellies/${id}/relay/0/power`, "42.5");
    await say(`shellies/${id}/relay/0/energy`, "120");
    const keys = ["online", "relay_0", "relay_0_power", "relay_0_energy"];
    expect(await valuesOf(id, "shelly", keys)).toMatchObject({ relay_0: false, relay_0_energy: 2 });
    const received = new Set<string>();
    field.on("message", (topic, body) => received.add(`${topic} ${body.toString()}`));
    await field.subscribeAsync(`shellies/${id}/relay/0/command`, { qos: 1 });
    const [{ deviceId }] = await call("GET", `/devices?search=${id}`);
    await call("POST", `/devices/${deviceId}/commands`, { method: "relay_0", params: true });
    await untilAnswer(
      () => received,
      (messages) => messages.has(`shellies/${id}/relay/0/command on`),
    );
    const attributes = await call("GET", `/devices/${deviceId}/attributes?scope=CLIENT`);
    expect(JSON.stringify(attributes)).toContain("SHPLG-S");
  });

  test("Sparkplug B, whose edge node is asked to be born again when it is not known", async () => {
    await connect("sparkplug", "spBv1.0/works/#");
    const asked = Promise.withResolvers<Buffer>();
    field.on("message", (_topic, body) => asked.resolve(body));
    await field.subscribeAsync("spBv1.0/works/NCMD/line-1", { qos: 0 });
    const now = Date.now();
    const data = { alias: 1, value: float(21.5), timestamp: now };
    await say("spBv1.0/works/NDATA/line-1", Buffer.from(payload([data], { seq: 7, timestamp: now })));
    expect(readPayload(await asked.promise).metrics).toMatchObject([
      { name: "Node Control/Rebirth", value: true },
    ]);
    const birth = { ...data, name: "temperature", type: 9 };
    await say("spBv1.0/works/NBIRTH/line-1", Buffer.from(payload([birth], { seq: 0, timestamp: now })));
    const next = { ...data, value: float(22.25), timestamp: now + 1 };
    await say("spBv1.0/works/NDATA/line-1", Buffer.from(payload([next], { seq: 1, timestamp: now + 1 })));
    expect(await valuesOf("line-1", "sparkplug", ["temperature", "online"])).toMatchObject({ online: true });
    await untilAnswer(
      async () => (await valuesOf("line-1", "sparkplug", ["temperature"])).temperature,
      (value) => value === 22.25,
    );
  });
});
