import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** What does not exist, or cannot be meant, is refused and not passed over in silence. */

let fixture: TestApp;
let token: string;
let deviceId: string;

beforeAll(async () => {
  fixture = await createTestApp();
  token = (await fixture.signIn("TENANT_OWNER")).token;
  ({ deviceId } = await fixture.createDevice(token, { name: "pump" }));
});
afterAll(() => fixture.stop());

const send = (method: string, path: string, body: unknown) => fixture.call(method, path, { token, body });

test("a change of a field that a device does not have is refused, and changes nothing", async () => {
  const response = await send("PATCH", `/api/devices/${deviceId}`, { isGateway: true, label: "x" });
  expect([response.status, response.body.code, response.body.params]).toEqual([
    400,
    "body.field_unknown",
    { field: "isGateway" },
  ]);
  expect((await fixture.call("GET", `/api/devices/${deviceId}`, { token })).body.label).not.toBe("x");
});

test("an object can be sent back as it was read", async () => {
  const { body } = await fixture.call("GET", `/api/devices/${deviceId}`, { token });
  const response = await send("PATCH", `/api/devices/${deviceId}`, { ...body, label: "y" });
  expect([response.status, response.body.label]).toEqual([200, "y"]);
});

test("an alias whose name is not a text is refused when it is resolved, as it is in a preview", async () => {
  const alias = { name: 1, type: "asset" };
  const resolved = await send("POST", "/api/dashboards/resolve-alias", { alias });
  expect([resolved.status, resolved.body.code]).toEqual([400, "dashboard.invalid"]);
  for (const wrong of [{ type: 1 }, { id: {}, type: "asset" }, { name: [], type: "x" }])
    expect((await send("POST", "/api/dashboards/resolve-alias", { alias: wrong })).status).toBe(400);
  const dashboard = { name: "b", aliases: [{ id: "a", ...alias }] };
  expect((await send("POST", "/api/dashboards/preview", { dashboard })).status).toBe(400);
});

const pipeline = (condition: unknown) =>
  send("POST", "/api/data-pipelines", {
    name: `p${Math.random()}`,
    steps: [{ type: "conditional_drop", condition }],
  });

test("a condition that its schema does not have is refused", async () => {
  const attribute = { key: "limit" };
  expect((await pipeline({ key: "t", op: "GT", attribute })).status).toBe(201);
  for (const condition of [
    { key: "t", op: "GT", attribute: { key: "limit", scope: null } },
    { key: "t", op: "EQ", source: null, value: 1 },
    { key: "t", op: "EQ", source: "attribute", scope: null, value: 1 },
    { key: "t", op: "EQ", value: 1, attribute },
    { key: "t", op: "EQ" },
  ])
    expect([condition, (await pipeline(condition)).status]).toEqual([condition, 400]);
});

test("a number in quotes is refused where it is compared by size", async () => {
  for (const [op, value] of [
    ["GT", "90"],
    ["LE", " 1.5e3 "],
    ["BETWEEN", ["1", "2"]],
  ] as const) {
    const condition = { key: "t", op, value };
    const alarmRules = [{ alarmType: "hot", createRules: [{ severity: "MAJOR", condition }] }];
    const rule = await send("POST", "/api/device-profiles", { name: `x${op}`, alarmRules });
    expect([op, rule.status]).toEqual([op, 400]);
    expect(JSON.stringify(rule.body)).toContain("rule.number_as_text");
    expect((await pipeline(condition)).status).toBe(400);
  }
  expect((await pipeline({ key: "t", op: "GT", value: 90 })).status).toBe(201);
  expect((await pipeline({ key: "mode", op: "GT", value: "2026-01-05T10:00:00Z" })).status).toBe(201);
  expect((await pipeline({ key: "code", op: "EQ", value: "90" })).status).toBe(201);
});

test("who does not see a gateway learns of its children that they are in maintenance, and nothing of the gateway", async () => {
  const gateway = await fixture.createDevice(token, { name: "gateway", role: "GATEWAY" });
  const child = await fixture.createDevice(token, { name: "child", parentDeviceId: gateway.deviceId });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await send("POST", `/api/devices/${gateway.deviceId}/maintenance`, { until, reason: "new pump" });
  const limited = (await fixture.signIn("TENANT_READ_ONLY", { devices: [child.deviceId] })).token;
  const read = async (path: string, who: string) => (await fixture.call("GET", path, { token: who })).text;
  for (const path of [
    `/api/devices/${child.deviceId}`,
    "/api/devices",
    `/api/devices/${child.deviceId}/maintenance`,
  ]) {
    expect([path, (await read(path, token)).includes("new pump")]).toEqual([path, true]);
    const text = await read(path, limited);
    expect([path, text.includes('"until"')]).toEqual([path, true]);
    for (const secret of ["new pump", gateway.deviceId, "@"])
      expect([path, text.includes(secret)]).toEqual([path, false]);
  }
});
