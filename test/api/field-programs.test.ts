import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect as openSocket } from "node:net";
import { connectAsync, type MqttClient } from "mqtt";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until, untilAnswer } from "../support/until.ts";

/** Programs of the field with their default settings. */

let fixture: TestApp;
let owner: string;
let client: MqttClient;
const call = (method: string, path: string, body?: unknown) =>
  fixture.call(method, `/api${path}`, { token: owner, body });

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

const text = (value: string) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
};
const packet = (header: number, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([header, body.length]), body]);
};

test("a bridge gets the messages of others with their retain flag, and none of its own back", async () => {
  const socket = openSocket(fixture.app.mqttPort, "127.0.0.1");
  let received = Buffer.alloc(0);
  socket.on("data", (data: Buffer) => {
    received = Buffer.concat([received, data]);
  });
  // As Mosquitto 2.0 connects: level 0x84.
  const flags = Buffer.from([0x84, 0xc2, 0, 60]);
  socket.write(packet(0x10, text("MQTT"), flags, text("bridge"), text("field"), text("sesame street")));
  await until(() => received.includes(Buffer.from("20020000", "hex")));
  socket.write(packet(0x82, Buffer.from([0, 1]), text("bridged/#"), Buffer.from([0])));
  await until(() => received.includes(Buffer.from("9003000100", "hex")));
  socket.write(packet(0x30, text("bridged/own"), Buffer.from("1")));
  await client.publishAsync("bridged/other", "2", { qos: 1, retain: true });
  const other = packet(0x31, text("bridged/other"), Buffer.from("2"));
  await until(() => received.includes(other));
  expect(received.includes("bridged/own")).toBe(false);
  socket.destroy();
});

test("clients of InfluxDB 2 find a server that passes", async () => {
  const { status, body } = await fixture.call("GET", "/health");
  expect([status, body.status, body.name]).toEqual([200, "pass", "influxdb"]);
});

describe("a renamed Zigbee device", () => {
  const deviceNamed = (friendly_name: string) => [
    {
      friendly_name,
      ieee_address: "0x00158d0001",
      type: "EndDevice",
      definition: { model: "M1", vendor: "V" },
    },
  ];
  const devices = async (): Promise<{ deviceId: string; name: string }[]> =>
    (await call("GET", "/devices?limit=100")).body.filter(({ name }: { name: string }) =>
      ["0x00158d0001", "cellar", "attic"].includes(name),
    );

  test("stays one device", async () => {
    const { body } = await call("POST", "/integrations", {
      name: "zigbee",
      type: "MQTT",
      status: "active",
      settings_json: {
        format: "zigbee2mqtt",
        autoCreateDevice: true,
        mqtt: { brokerUrl: "local:", topicFilter: "zigbee2mqtt/#" },
      },
    });
    await untilAnswer(
      () => call("GET", `/integrations/${body.integrationId}`),
      (response) => response.body.bridge?.status === "connected",
    );
    const say = (topic: string, value: unknown) =>
      client.publishAsync(`zigbee2mqtt/${topic}`, JSON.stringify(value), { qos: 1 });
    await say("bridge/devices", deviceNamed("0x00158d0001"));
    await say("0x00158d0001", { temperature: 20 });
    await say("bridge/devices", deviceNamed("cellar"));
    await say("cellar", { temperature: 21 });
    const [device, second] = await devices();
    expect(second).toBeUndefined();
    const { values } = (await call("GET", `/devices/${device?.deviceId}/telemetry/latest`)).body;
    expect(values.temperature).toBe(21);
    // And again, under a name that it has had before.
    await say("bridge/devices", deviceNamed("attic"));
    await say("bridge/devices", deviceNamed("cellar"));
    await say("cellar", { temperature: 22 });
    const latest = (await call("GET", `/devices/${device?.deviceId}/telemetry/latest`)).body;
    expect(latest.values.temperature).toBe(22);
  });
});

describe("a vendor's codec", () => {
  let secret: string;
  beforeAll(async () => {
    secret = (await call("POST", "/tenant/integration/rotate-secret")).body.secret;
  });

  async function decode(
    type: "CHIRPSTACK" | "THE_THINGS_STACK",
    source: string,
    as: "script" | "library" = "script",
  ) {
    const { body: codec } =
      as === "library"
        ? await call("POST", "/integrations/codecs", { name: crypto.randomUUID(), source })
        : { body: {} };
    const { body } = await call("POST", "/integrations", {
      name: crypto.randomUUID(),
      type,
      status: "active",
      settings_json: {
        autoCreateDevice: true,
        radioMetadata: false,
        ...(as === "script"
          ? { scriptTransform: { enabled: true, source } }
          : { codecs: [{ codecId: codec.codecId }] }),
      },
    });
    const devEui = crypto.randomUUID().replaceAll("-", "").slice(0, 16);
    const uplinks = {
      CHIRPSTACK: { deviceInfo: { devEui, deviceName: devEui }, fPort: 1, data: "Fg==" },
      THE_THINGS_STACK: {
        end_device_ids: { device_id: devEui, dev_eui: devEui },
        uplink_message: { f_port: 1, frm_payload: "Fg==" },
      },
    };
    const kind = type === "CHIRPSTACK" ? "lorawan-a" : "lorawan-b";
    const { status } = await fixture.call(
      "POST",
      `/api/v1/integrations/${kind}/${body.integrationId}/telemetry`,
      { headers: { "x-webhook-secret": secret }, body: uplinks[type] },
    );
    const [event] = (await call("GET", `/integrations/${body.integrationId}/events?limit=1`)).body;
    return { status, event, stored: event.result?.stored?.[0] };
  }

  test.each([
    ["function decodeUplink(i){return {data:{values:{t:1},battery:90}}}", { values: { t: 1 }, battery: 90 }],
    [
      "function decodeUplink(i){return {data:{telemetry:{t:2},deviceName:'x',battery:92}}}",
      { telemetry: { t: 2 }, deviceName: "x", battery: 92 },
    ],
    ["function Decoder(bytes, port){return {t: bytes[0], values: {a: 1}}}", { t: 22, values: { a: 1 } }],
    ["function decodeUplink(i){return {data:{ts: 5, t: 1}}}", { ts: 5, t: 1 }],
  ])("%s gives the same as script and in the library", async (source, telemetry) => {
    for (const as of ["script", "library"] as const) {
      const { status, stored } = await decode("CHIRPSTACK", source, as);
      expect([as, status, stored?.telemetry]).toEqual([as, 200, telemetry]);
    }
  });

  test("transform has envelopes, and what stands beside their values is a value", async () => {
    const source = "function transform(){return {telemetry:{t:1},deviceName:'n',battery:90}}";
    const { stored } = await decode("CHIRPSTACK", source);
    expect(stored?.telemetry).toEqual({ t: 1, battery: 90 });
  });

  const manyKeys = "const d={}; for (let n=0;n<600;n++) d['k'+n]=n;";
  test.each([
    ["an empty key", "function decodeUplink(i){return {data:{t:21,'':3}}}"],
    ["600 keys", `function decodeUplink(i){${manyKeys} return {data:d}}`],
  ])("that makes %s is no fault of the network server's", async (_, source) => {
    for (const as of ["script", "library"] as const) {
      const { status, event } = await decode("THE_THINGS_STACK", source, as);
      expect([as, status, event.status, event.stage]).toEqual([as, 200, "ERROR", "script"]);
    }
  });

  test("that was written as a module is told what to remove", async () => {
    const source = "import {Buffer} from 'buffer';\nfunction decodeUplink(i){return {data:{t:1}}}";
    const { status, body } = await call("POST", "/integrations/codecs", { name: "module", source });
    expect([status, body.message]).toEqual([400, expect.stringContaining("import {Buffer} from 'buffer';")]);
  });
});
