import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

let central: TestApp;
let centralAdmin: string;
let site: TestApp;
let siteAdmin: string;

beforeAll(async () => {
  central = await createTestApp();
  centralAdmin = (await central.signIn("TENANT_ADMIN")).token;
  site = await createTestApp({ config: { outbound_allow: "127.0.0.1" } });
  siteAdmin = (await site.signIn("TENANT_ADMIN")).token;
});
afterAll(async () => {
  await site.stop();
  await central.stop();
});

interface Child {
  readonly deviceId: string;
  readonly name: string;
}

const send = (token: string) => site.call("POST", `/api/v1/${token}/telemetry`, { body: { n: 1 } });
const command = async ({ deviceId }: Child, method: string) => {
  const path = `/api/devices/${deviceId}/commands`;
  const { body } = await central.call("POST", path, { token: centralAdmin, body: { method, params: 1 } });
  return `${path}/${body.commandId}`;
};
const responseTo = (path: string) =>
  untilAnswer(
    async () => (await central.call("GET", path, { token: centralAdmin })).body,
    ({ status }) => status === "SUCCESSFUL" || status === "FAILED",
  );

test("a command of the central server runs for selected devices only", async () => {
  const gateway = await central.createDevice(centralAdmin, { role: "GATEWAY", deviceType: "gateway" });
  const [pump, oven] = [
    await site.createDevice(siteAdmin, { name: "Pump", deviceType: "pump" }),
    await site.createDevice(siteAdmin, { name: "Oven", deviceType: "oven" }),
  ];
  const selection = { deviceIds: [], deviceTags: [], keys: [] };
  const url = `mqtt://127.0.0.1:${central.app.mqttPort}`;
  const { body: uplink } = await site.call("POST", "/api/uplinks", {
    token: siteAdmin,
    body: {
      name: "Central",
      target: { type: "LINESIDE", url, token: gateway.token },
      selection: { ...selection, deviceTypes: ["pump", "oven"] },
    },
  });
  for (const { token } of [pump, oven]) await send(token);
  const children = await untilAnswer(
    async () =>
      (await central.call("GET", `/api/devices/${gateway.deviceId}/children`, { token: centralAdmin }))
        .body as Child[],
    (list) => list.length === 2,
  );
  const childOf = (name: string) => children.find((child) => child.name === name) as Child; // both are there
  // Now each child has the attribute that says which device it stands for.
  await untilAnswer(
    async () => (await site.call("GET", `/api/uplinks/${uplink.uplinkId}`, { token: siteAdmin })).body,
    ({ state, sentPoints }) => state === "UP_TO_DATE" && sentPoints === 2,
  );
  const narrowed = await site.call("PATCH", `/api/uplinks/${uplink.uplinkId}`, {
    token: siteAdmin,
    body: { selection: { ...selection, deviceTypes: ["pump"] } },
  });
  expect(narrowed.status).toBe(200);

  const refused = await responseTo(await command(childOf("Oven"), "heat"));
  expect(refused.response).toEqual({
    error: "The uplink does not send this device.",
    errorText: { code: "uplink.device_not_selected", params: {} },
  });
  const waiting = await site.call("GET", `/api/v1/${oven.token}/rpc?timeout=0`);
  expect(waiting.text).not.toContain("heat");

  const path = await command(childOf("Pump"), "run");
  const request = await site.call("GET", `/api/v1/${pump.token}/rpc?timeout=20000`);
  expect(request.body).toMatchObject({ method: "run" });
  await site.call("POST", `/api/v1/${pump.token}/rpc/${request.body.id}`, { body: { running: true } });
  expect((await responseTo(path)).response).toEqual({ running: true });
});
