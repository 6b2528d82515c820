import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { pahoTwoModules } from "../support/peers.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until, untilAnswer } from "../support/until.ts";

const modules = pahoTwoModules("TheengsGateway");

/** Broadcasts of Bluetooth sensors, as an OpenMQTTGateway sends them to Theengs to be decoded. */
const broadcasts = [
  {
    id: "A4:C1:38:7B:5D:8E",
    name: "ATC_7B5D8E",
    servicedatauuid: "181a",
    servicedata: "a4c1387b5d8e00d1326409d101",
    rssi: -70,
  },
  { id: "A4:C1:38:11:22:33", name: "GVH5075_AAAA", manufacturerdata: "88ec0003a2bc5a00", rssi: -71 },
];

describe.skipIf(modules === null)("Theengs Gateway (skipped where it is missing)", () => {
  const account = { username: "theengs", password: "sixteen quiet rooms" };
  let fixture: TestApp;
  let owner: string;
  let client: MqttClient;
  let program: Bun.Subprocess;
  const call = async (method: string, path: string, body?: unknown) =>
    (await fixture.call(method, `/api${path}`, { token: owner, body })).body;

  beforeAll(async () => {
    fixture = await createTestApp();
    owner = (await fixture.signIn("TENANT_OWNER")).token;
    const patterns = { publish: ["#"], subscribe: ["#"] };
    await call("POST", "/mqtt/clients", { name: "theengs", signIn: "PASSWORD", ...account, ...patterns });
    const { integrationId } = await call("POST", "/integrations", {
      ...{ name: "announced", type: "MQTT", status: "active" },
      settings_json: {
        ...{ format: "home-assistant", autoCreateDevice: true },
        mqtt: { brokerUrl: "local:", topicFilter: "homeassistant/#" },
      },
    });
    await untilAnswer(
      () => call("GET", `/integrations/${integrationId}`),
      ({ bridge }) => bridge?.status === "connected",
    );
    const port = fixture.app.mqttPort;
    client = await connectAsync(`mqtt://127.0.0.1:${port}`, account);
    let isOnline = false;
    client.on("message", (_, payload) => {
      isOnline ||= payload.toString() === "online";
    });
    await client.subscribeAsync("home/TheengsGateway/LWT");
    const address = ["-H", "127.0.0.1", "-P", String(port), "-u", account.username, "-p", account.password];
    program = Bun.spawn(["python3", "-m", "TheengsGateway", "--ble", "0", ...address], {
      env: { ...process.env, PYTHONPATH: modules ?? "", HOME: fixture.directory },
      cwd: fixture.directory,
      stdout: "ignore",
      stderr: "ignore",
    });
    await until(() => isOnline);
  });
  afterAll(async () => {
    program?.kill();
    await program?.exited;
    await client?.endAsync(true);
    await fixture.stop();
  });

  test("announces sensors, whose states arrive on topics with wildcards", async () => {
    const hear = async () => {
      for (const broadcast of broadcasts)
        await client.publishAsync("home/gate/BTtoMQTT/undecoded", JSON.stringify(broadcast), { qos: 1 });
    };
    const valuesOf = async (name: string) => {
      const devices: { name: string; deviceId: string }[] = await call("GET", "/devices");
      const device = devices.find((each) => each.name === name);
      return device ? (await call("GET", `/devices/${device.deviceId}/telemetry/latest`)).values : {};
    };
    // Sensors repeat what they say: the first state comes before its topic is subscribed to.
    await until(async () => {
      await hear();
      const [thermometer, sensor] = [
        await valuesOf("Thermo-Hygrometer-112233"),
        await valuesOf("TH Sensor-7B5D8E"),
      ];
      return thermometer.rssi === -71 && sensor.rssi === -70;
    });
    expect(await valuesOf("TH Sensor-7B5D8E")).toEqual({
      tempc: 20.9,
      hum: 50,
      batt: 100,
      volt: 2.513,
      rssi: -70,
    });
    expect(await valuesOf("Thermo-Hygrometer-112233")).toEqual({
      tempc: 23.8,
      hum: 26.8,
      batt: 90,
      rssi: -71,
    });
  });
});
