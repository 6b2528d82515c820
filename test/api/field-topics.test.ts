import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

/** Messages from the field on their own topics, from the embedded broker to the stored values. */

let fixture: TestApp;
let owner: string;
let client: MqttClient;
const call = async (method: string, path: string, body?: unknown) => {
  const response = await fixture.call(method, `/api${path}`, { token: owner, body });
  if (response.status >= 300)
    throw new Error(`${method} ${path} answered ${response.status} ${response.text}`);
  return response.body;
};

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  const account = { name: "field", signIn: "PASSWORD", username: "field", password: "sesame street" };
  await call("POST", "/mqtt/clients", { ...account, publish: ["#"], subscribe: ["#"] });
  client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
    username: account.username,
    password: account.password,
    reconnectPeriod: 0,
  });
});
afterAll(async () => {
  await client.endAsync(true);
  await fixture.stop();
});

type Said = readonly [topic: string, body: string | Uint8Array];
interface Event {
  readonly topic: string;
  readonly status: string;
  readonly message: string;
}

/** Returns the newest values of all devices of an integration, by device, and its events, once it has read all messages. */
async function readAs(
  format: string,
  settings: { filter: string; template?: string },
  said: readonly Said[],
) {
  const name = `${format} ${settings.filter}`;
  const mqtt = {
    brokerUrl: "local:",
    topicFilter: settings.filter,
    ...(settings.template !== undefined && { topicTemplate: settings.template }),
  };
  const { integrationId } = await call("POST", "/integrations", {
    ...{ name, type: "MQTT", status: "active" },
    settings_json: { format, autoCreateDevice: true, deviceType: name, mqtt },
  });
  await untilAnswer(
    () => call("GET", `/integrations/${integrationId}`),
    ({ bridge }) => bridge?.status === "connected",
  );
  // Kept, so that what follows an announcement is read even if its topic is not subscribed to yet.
  for (const [topic, body] of said)
    await client.publishAsync(topic, Buffer.from(body), { qos: 1, retain: true });
  const topics = new Set(said.map(([topic]) => topic));
  const events = await untilAnswer(
    async () => {
      const all: Event[] = await call("GET", `/integrations/${integrationId}/events?limit=100`);
      return all.filter(({ topic }) => topics.has(topic));
    },
    ({ length }) => length >= said.length,
  );
  const devices = await call("GET", `/devices?deviceType=${encodeURIComponent(name)}`);
  const values: Record<string, Record<string, unknown>> = {};
  for (const device of devices)
    values[device.name] = (await call("GET", `/devices/${device.deviceId}/telemetry/latest`)).values;
  await call("POST", `/integrations/${integrationId}/pause`);
  return { values, events: events.toReversed() };
}

const statuses = (events: readonly Event[]) => events.map(({ status }) => status);

describe("generic topics", () => {
  test("two measurements are two keys, and a lone value is named by its topic", async () => {
    const motors = await readAs("generic", { filter: "k/#", template: "k/{device}/#" }, [
      ["k/press/motor/temperature", "80"],
      ["k/press/oil/temperature", "45"],
      ["k/room/t", "21.5"],
      ["k/room/t", "nan"],
      ["k/room/t", "NaN"],
    ]);
    expect(motors.values).toEqual({
      press: { motor_temperature: 80, oil_temperature: 45 },
      room: { t: 21.5 },
    });
    expect(statuses(motors.events)).toEqual(["OK", "OK", "OK", "DROPPED", "DROPPED"]);
    const battery = await readAs("generic", { filter: "N/#", template: "N/{device}/#" }, [
      ["N/e0ff/battery/512/Dc/0/Voltage", '{"value":12.8}'],
      ["N/e0ff/battery/512/Dc/0/Current", '{"value":-3.4}'],
    ]);
    expect(battery.values).toEqual({
      e0ff: { battery_512_Dc_0_Voltage: 12.8, battery_512_Dc_0_Current: -3.4 },
    });
  });
});

describe("plugs and radios", () => {
  test("probes, phases, heat pumps, infrared and rules of Tasmota", async () => {
    const { values, events } = await readAs("tasmota", { filter: "+/+/+" }, [
      [
        "tele/plug/SENSOR",
        '{"Time":"2026-11-20T10:00:00","SI7021-00":{"Temperature":17.1,"Humidity":70.0},"SI7021-02":{"Temperature":nan,"Humidity":nan},"TempUnit":"C"}',
      ],
      [
        "tele/meter/SENSOR",
        '{"Time":"2026-11-20T10:00:00","ENERGY":{"Total":12.5,"Power":[101,202,303],"Voltage":[229,231,230]}}',
      ],
      [
        "tele/ac/SENSOR",
        '{"Time":"2026-11-20T10:00:00","MiElHVAC":{"Power":"on","Mode":"heat","SetTemperature":21}}',
      ],
      [
        "tele/ir/RESULT",
        '{"IrReceived":{"Protocol":"COOLIX","IRHVAC":{"Vendor":"COOLIX","Mode":"Cool","Temp":22}}}',
      ],
      ["stat/x/DOOR", "ON"],
      ["stat/x/MOTION", "OFF"],
      ["tele/x/POWER_LOW", "ON"],
    ]);
    expect(values).toEqual({
      plug: { "SI7021-00_Temperature": 17.1, "SI7021-00_Humidity": 70 },
      meter: {
        ENERGY_Total: 12.5,
        ...{ ENERGY_Power_1: 101, ENERGY_Power_2: 202, ENERGY_Power_3: 303 },
        ...{ ENERGY_Voltage_1: 229, ENERGY_Voltage_2: 231, ENERGY_Voltage_3: 230 },
      },
      ac: { MiElHVAC_Power: "on", MiElHVAC_Mode: "heat", MiElHVAC_SetTemperature: 21 },
      ir: {
        IrReceived_Protocol: "COOLIX",
        IrReceived_IRHVAC_Vendor: "COOLIX",
        IrReceived_IRHVAC_Mode: "Cool",
        IrReceived_IRHVAC_Temp: 22,
      },
      x: { DOOR: true, MOTION: false, POWER_LOW: true },
    });
    expect(new Set(statuses(events))).toEqual(new Set(["OK"]));
  });

  test("truncated JSON from Zigbee2MQTT is reported as such", async () => {
    const { events } = await readAs("zigbee2mqtt", { filter: "zigbee2mqtt/#" }, [
      ["zigbee2mqtt/kitchen", '{"temperature":21,"humi'],
    ]);
    expect(events).toMatchObject([
      { status: "ERROR", message: expect.stringContaining("not well-formed JSON") },
    ]);
  });
});

describe("Home Assistant discovery", () => {
  const announcement = (component: string, id: string, config: object): Said => [
    `homeassistant/${component}/${id}/config`,
    JSON.stringify({
      ...{ uniq_id: id, name: id, stat_t: `ha/${id}`, device: { ids: ["X"], name: "X", mdl: "m" } },
      ...config,
    }),
  ];

  test("filters as state topics, templates with blanks, texts and missing values", async () => {
    const isOn = "{% if value_json.x > 3 %} ON {% else %} OFF {% endif %}";
    const { values, events } = await readAs("home-assistant", { filter: "homeassistant/#" }, [
      announcement("sensor", "temperature", {
        stat_t: "+/+/RTL_433toMQTT/X/0/102",
        val_tpl: "{{ value_json.temperature_C | is_defined }}",
        unit_of_meas: "°C",
      }),
      announcement("binary_sensor", "contact", { val_tpl: isOn }),
      announcement("fan", "fan", { stat_val_tpl: isOn, cmd_t: "ha/fan/set" }),
      announcement("select", "mode", {
        cmd_t: "ha/mode/set",
        options: ["a", "b"],
        val_tpl: "{% if value == '1' %} a {% else %} b {% endif %}",
      }),
      announcement("sensor", "door", {
        val_tpl: "{%- if value == '1' -%} open {%- else -%} closed {%- endif -%}",
      }),
      announcement("sensor", "version", {}),
      announcement("sensor", "serial", {}),
      announcement("sensor", "agent", {}),
      announcement("sensor", "count", {}),
      announcement("sensor", "heat", {
        stat_t: "ha/shared",
        val_tpl: "{{ value_json.temperature }}",
        unit_of_meas: "°C",
      }),
      announcement("sensor", "battery", {
        stat_t: "ha/shared",
        val_tpl: "{{ value_json.battery }}",
        unit_of_meas: "%",
      }),
      ["homeassistant/sensor/latin/config", Buffer.from('{"unit_of_meas":"\xb0C"}', "latin1")],
      ["home/OMG1/RTL_433toMQTT/X/0/102", '{"temperature_C":21.4}'],
      ["ha/contact", '{"x":5}'],
      ["ha/fan", '{"x":5}'],
      ["ha/mode", "1"],
      ["ha/door", "1"],
      ["ha/version", "1.10"],
      ["ha/serial", "00123456789012345678"],
      ["ha/agent", "007"],
      ["ha/count", "42"],
      ["ha/shared", '{"temperature":nan,"battery":61}'],
    ]);
    expect(values).toEqual({
      X: {
        temperature: 21.4,
        contact: true,
        fan: true,
        mode: "a",
        door: "open",
        version: "1.10",
        serial: "00123456789012345678",
        agent: "007",
        count: 42,
        battery: 61,
      },
    });
    expect(events.filter(({ status }) => status === "ERROR")).toMatchObject([
      { message: expect.stringContaining("UTF-8") },
    ]);
  });
});
