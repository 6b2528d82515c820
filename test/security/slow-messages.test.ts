import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { watchLoop } from "./loop-watch.ts";
import { isStall } from "./stall-fixture.ts";

/*
 * Short messages whose pipelines take some 15 ms for each: many of them, wherever they come from, are not processed in one turn of the event loop.
 */

const MESSAGES = 25;
const PIPELINES = 40;
const body = JSON.stringify({ temperature: 1 });

let fixture: TestApp;
let token: string;
const devices: { readonly deviceId: string; readonly token: string }[] = [];
beforeAll(async () => {
  fixture = await createTestApp();
  ({ token } = await fixture.signIn("TENANT_OWNER"));
  const steps = Array(50).fill({ type: "derive_key", key: "z", expression: 'temperature - "x"' });
  for (let index = 0; index < PIPELINES; index++) {
    const created = await call("POST", "/api/data-pipelines", { name: `${index}`, steps });
    await call("POST", `/api/data-pipelines/${created.body.pipelineId}/start`);
  }
  for (let index = 0; index < MESSAGES; index++) devices.push(await fixture.createDevice(token));
  await fixture.call("POST", `/api/v1/${devices[0]?.token}/telemetry`, { body: { temperature: 1 } });
});
afterAll(() => fixture.stop());

const call = (method: string, path: string, data?: unknown) =>
  fixture.call(method, path, { token, ...(data !== undefined && { body: data }) });

const connect = (username: string) =>
  connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, { username, reconnectPeriod: 0 });

async function expectNoStall(work: () => Promise<unknown>): Promise<void> {
  await Bun.sleep(20);
  const longest = watchLoop();
  await work();
  await Bun.sleep(20);
  const ms = longest();
  expect(isStall(ms) && `${ms.toFixed(0)} ms`).toBe(false);
}

test("messages of one connection", async () => {
  const client = await connect(devices[0]?.token ?? "");
  const publish = () => client.publishAsync("v1/devices/me/telemetry", body, { qos: 1 });
  await expectNoStall(() => Promise.all(devices.map(publish)));
  await client.endAsync();
});

test("one message of each of many connections", async () => {
  const clients = await Promise.all(devices.map((device) => connect(device.token)));
  const publish = (client: (typeof clients)[number]) =>
    client.publishAsync("v1/devices/me/telemetry", body, { qos: 1 });
  await expectNoStall(() => Promise.all(clients.map(publish)));
  await Promise.all(clients.map((client) => client.endAsync()));
});

test("one message of a gateway with many children", async () => {
  const gateway = await fixture.createDevice(token, { role: "GATEWAY" });
  const client = await connect(gateway.token);
  const children = Object.fromEntries(
    devices.map((_, index) => [`child ${index}`, [{ temperature: index }]]),
  );
  await expectNoStall(() =>
    client.publishAsync("v1/gateway/telemetry", JSON.stringify(children), { qos: 1 }),
  );
  await client.endAsync();
});

test("lines of many devices", async () => {
  const gateway = await fixture.createDevice(token, { role: "GATEWAY" });
  const lines = devices.map((_, index) => `m,device=line${index} temperature=${index}`).join("\n");
  await expectNoStall(async () => {
    const sent = await fetch(`${fixture.app.url}/api/v2/write?keys=field`, {
      method: "POST",
      headers: { authorization: `Token ${gateway.token}` },
      body: lines,
    });
    expect(sent.status).toBe(204);
  });
});

test("one round of a generator for many devices", async () => {
  const metrics = [{ key: "temperature", min: 0, max: 1 }];
  const deviceIds = devices.map(({ deviceId }) => deviceId);
  const config = { intervalSeconds: 600, metrics, deviceIds };
  const generator = { name: "all", type: "data_generator", enabled: true, status: "active", config };
  await expectNoStall(async () => {
    const created = await call("POST", "/api/rule-chains", generator);
    expect(created.status).toBe(201);
    await Bun.sleep(1_000);
  });
});
