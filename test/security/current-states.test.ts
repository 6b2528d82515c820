import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { until } from "../support/until.ts";
import { callGateway, type StalledGateway, stallsOf, startStalledGateway } from "./stall-fixture.ts";

/** A program that subscribes gets the current state of all devices, in turns, however fast it reads and however little there is to send. */

const DEVICES = 8_000;

let gateway: StalledGateway;
let password: string;

beforeAll(async () => {
  gateway = await startStalledGateway();
  for (let begin = 0; begin < DEVICES; begin += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, index) => ({
      name: `many ${begin + index}`,
      deviceType: "sensor",
    }));
    const { status } = await callGateway(gateway, "POST", "/api/devices/bulk/import", { rows });
    expect(status).toBeLessThan(300);
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
