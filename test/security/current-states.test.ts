import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { until } from "../support/until.ts";
import { callGateway, type StalledGateway, stallsOf, startStalledGateway } from "./stall-fixture.ts";

/** A program gets the current state and the announcements of all devices in turns, however fast it reads and however little there is to send. */

const DEVICES = 8_000;

let gateway: StalledGateway;
let password: string;
const deviceTokens: string[] = [];

beforeAll(async () => {
  gateway = await startStalledGateway();
  for (let begin = 0; begin < DEVICES; begin += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, index) => ({
      name: `many ${begin + index}`,
      deviceType: "sensor",
    }));
    const { status, body } = await callGateway(gateway, "POST", "/api/devices/bulk/import", { rows });
    expect(status).toBeLessThan(300);
    for (const { deviceToken } of body.rows) deviceTokens.push(deviceToken);
  }
  const body = { name: "program", role: "TENANT_READ_ONLY" };
  password = (await callGateway(gateway, "POST", "/api/api-keys", body)).body.key;
}, 60_000);
afterAll(() => gateway.stop());

const connect = () =>
  connectAsync(`mqtt://127.0.0.1:${gateway.mqttPort}`, { username: "program", password, reconnectPeriod: 0 });

test.each(["state", "alarms"])(
  "%s of thousands of devices",
  async (kind) => {
    const stalls = await stallsOf(gateway, { name: kind, counts: [10] }, async (atOnce) => {
      const clients = await Promise.all(Array.from({ length: atOnce }, connect));
      return async () => {
        const last = clients.map(async (client) => {
          let states = 0;
          client.on("message", () => states++);
          await client.subscribeAsync(`lineside/devices/+/${kind}`);
          if (kind === "state") await until(() => states >= DEVICES);
          // There are no alarms: what is sent for the next filter comes behind them.
          else {
            await client.subscribeAsync(`lineside/devices/${gateway.deviceIds[0]}/state`);
            await until(() => states === 1);
          }
          await client.endAsync(true);
        });
        await Promise.all(last);
      };
    });
    expect(stalls).toEqual([]);
  },
  60_000,
);

test("announcements of 200 devices with 200 long keys", async () => {
  const values = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`(${"ä".repeat(100)}) ${index}`, index]),
  );
  for (const deviceToken of deviceTokens.slice(0, 200))
    expect((await callGateway(gateway, "POST", `/api/v1/${deviceToken}/telemetry`, values)).status).toBe(200);
  const { body: client } = await callGateway(gateway, "POST", "/api/mqtt/clients", {
    ...{ name: "reader", signIn: "PASSWORD", username: "reader", password: "sesame street" },
    ...{ publish: [], subscribe: ["announced/#"] },
  });
  expect(client.name).toBe("reader");
  const reader = await connectAsync(`mqtt://127.0.0.1:${gateway.mqttPort}`, {
    ...{ username: "reader", password: "sesame street", reconnectPeriod: 0 },
  });
  const announced = new Set<string>();
  reader.on("message", (topic, payload) => {
    if (payload.includes("ä")) announced.add(topic);
  });
  await reader.subscribeAsync("announced/#");
  const stalls = await stallsOf(gateway, { name: "announcements", counts: [1] }, async () => async () => {
    announced.clear();
    const { status, body } = await callGateway(gateway, "POST", "/api/integrations", {
      ...{ name: "announcements", type: "MQTT", status: "active" },
      settings_json: {
        ...{ format: "home-assistant", announceDevices: true },
        mqtt: { brokerUrl: "local:", topicFilter: "announced/#" },
      },
    });
    expect(status).toBe(201);
    await until(() => announced.size === 200);
    await callGateway(gateway, "DELETE", `/api/integrations/${body.integrationId}`);
  });
  await reader.endAsync(true);
  expect(stalls).toEqual([]);
}, 60_000);
