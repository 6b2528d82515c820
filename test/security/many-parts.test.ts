import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { watchLoop } from "./loop-watch.ts";
import { isStall } from "./stall-fixture.ts";

let fixture: TestApp;
let token: string;
beforeAll(async () => {
  fixture = await createTestApp();
  ({ token } = await fixture.signIn("TENANT_OWNER"));
});
afterAll(() => fixture.stop());

const call = (method: string, path: string, body?: unknown) => fixture.call(method, path, { token, body });

/** Runs `work`, and then a turn, which is measured. */
async function held(work: () => Promise<unknown>): Promise<number> {
  const longest = watchLoop();
  await Bun.sleep(20);
  longest();
  await work();
  await Bun.sleep(20);
  return longest();
}

test("alarm rules with very many comparisons of one large attribute", async () => {
  const parts = Array.from({ length: 20_000 }, () => ({}));
  const comparison = { source: "attribute", scope: "SERVER", key: "big", op: "LT", value: -1 };
  const condition = { any: [...Array(100).fill(comparison), { key: "a", op: "LT", value: -1 }] };
  const alarmRules = Array.from({ length: 40 }, (_, index) => ({
    alarmType: `alarm ${index}`,
    createRules: [{ severity: "MAJOR", condition }],
  }));
  const profile = await call("POST", "/api/device-profiles", { name: "rules", alarmRules });
  expect(profile.status).toBe(201);
  const device = await fixture.createDevice(token, { profileId: profile.body.profileId });
  const attributes = { scope: "SERVER", attributes: { big: parts } };
  const path = `/api/devices/${device.deviceId}/attributes`;
  const ms = await held(async () => {
    expect((await call("POST", path, attributes)).status).toBe(200);
    const sent = await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
    expect(sent.status).toBe(200);
  });
  expect(isStall(ms) && `${ms.toFixed(0)} ms`).toBe(false);
});

test("a script that names 1,000 devices to be made", async () => {
  const source =
    "function transform() { return Array.from({ length: 1000 }, (_, i) => ({ values: { a: i }, deviceId: 'd' + i })) }";
  const { body } = await call("POST", "/api/integrations", {
    name: "script",
    type: "HTTP",
    settings_json: { autoCreateDevice: true, scriptTransform: { enabled: true, source } },
  });
  await call("POST", `/api/integrations/${body.integrationId}/start`);
  const { secret } = (await call("POST", "/api/tenant/integration/rotate-secret")).body;
  const ms = await held(async () => {
    const sent = await fixture.call("POST", `/api/v1/integrations/generic/${body.integrationId}/telemetry`, {
      body: { externalDeviceId: "d0", telemetry: { a: 1 } },
      headers: { "x-webhook-secret": secret },
    });
    expect(sent.status).toBe(200);
  });
  expect(isStall(ms) && `${ms.toFixed(0)} ms`).toBe(false);
});

test("alarms of one message, for thousands of subscriptions", async () => {
  const alarmRules = Array.from({ length: 200 }, (_, index) => ({
    alarmType: `many ${index}`,
    createRules: [{ severity: "MAJOR", condition: { key: "m", op: "GT", value: 0 } }],
  }));
  const profile = await call("POST", "/api/device-profiles", { name: "many", alarmRules });
  const device = await fixture.createDevice(token, { profileId: profile.body.profileId });
  let subscribed = 0;
  let alarms = 0;
  const sockets = Array.from({ length: 30 }, () => {
    const socket = new WebSocket(`${fixture.app.url.replace("http", "ws")}/api/ws`);
    const send = (message: object) => socket.send(JSON.stringify(message));
    socket.onopen = () => send({ type: "auth", token });
    socket.onmessage = ({ data }) => {
      const { type, topic } = JSON.parse(data);
      if (type === "pong") subscribed++;
      if (topic === "alarms") alarms++;
      if (type !== "ready") return;
      for (let id = 0; id < 100; id++) send({ type: "subscribe", id: `${id}`, topics: ["alarms"] });
      send({ type: "ping" });
    };
    return socket;
  });
  await until(() => subscribed === sockets.length);
  const ms = await held(async () => {
    const sent = await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { m: 1 } });
    expect(sent.status).toBe(200);
  });
  await until(() => alarms >= 3_000);
  for (const socket of sockets) socket.close();
  expect(isStall(ms) && `${ms.toFixed(0)} ms`).toBe(false);
});
