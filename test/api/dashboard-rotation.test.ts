// A link that shows several dashboards in turn: what it opens, and that it opens nothing else.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WebSocketClient } from "../support/websocket-client.ts";

let fixture: TestApp;
const tokens = { owner: "", limited: "", stranger: "" };
let oven: { deviceId: string; token: string };
let press: { deviceId: string; token: string };
/** Ids of dashboards: of the oven with `t`, of the press with `p`, and one that no link shows. */
let hall: string;
let yard: string;
let other: string;
let foreign: string;

type Who = keyof typeof tokens;
const call = (method: string, path: string, body?: unknown, who: Who = "owner") =>
  fixture.call(method, path, { token: tokens[who], ...(body !== undefined && { body }) });
const send = (token: string, values: Record<string, unknown>) =>
  fixture.call("POST", `/api/v1/${token}/telemetry`, { body: values });
const open = (token: string, body: unknown = {}) =>
  fixture.call("POST", "/api/shared/dashboard", { token, body });
const shares = (dashboardId: string) => `/api/dashboards/${dashboardId}/shares`;
async function share(first: string, ...rest: string[]) {
  const { status, body } = await call("POST", shares(first), {
    rotation: { dashboardIds: rest, seconds: 15 },
  });
  expect(status).toBe(201);
  return body as { shareId: string; token: string; rotation?: { dashboardIds: string[]; seconds: number } };
}
async function createDashboard(name: string, deviceType: string, key: string, who: Who = "owner") {
  const { body } = await call(
    "POST",
    "/api/dashboards",
    {
      name,
      widgets: [{ widgetId: "now", type: "value", name: "", config: { aliasId: "all", key } }],
      aliases: [{ id: "all", name: "All", type: "deviceType", deviceType }],
    },
    who,
  );
  return body.id as string;
}
const namesOf = async (token: string, ids: readonly string[]) =>
  Promise.all(
    ids.map(async (dashboardId) => {
      const { status, body } = await open(token, { dashboardId });
      return status === 200 ? body.name : status;
    }),
  );

beforeAll(async () => {
  fixture = await createTestApp();
  tokens.owner = (await fixture.signIn("TENANT_OWNER")).token;
  tokens.stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  oven = await fixture.createDevice(tokens.owner, { name: "oven", deviceType: "oven" });
  press = await fixture.createDevice(tokens.owner, { name: "press", deviceType: "press" });
  tokens.limited = (await fixture.signIn("TENANT_RW", { devices: [oven.deviceId] })).token;
  for (const { token } of [oven, press]) await send(token, { t: 20, p: 3, secret: 1 });
});
afterAll(() => fixture.stop());
beforeEach(async () => {
  hall = await createDashboard("Hall", "oven", "t");
  yard = await createDashboard("Yard", "press", "p");
  other = await createDashboard("Other", "press", "secret");
  foreign = await createDashboard("Foreign", "press", "t", "stranger");
});

test("a link shows its dashboards in their order, and says which and for how long", async () => {
  const { token, rotation } = await share(hall, yard, hall);
  expect(rotation).toEqual({ dashboardIds: [hall, yard], seconds: 15 });
  const first = await open(token);
  expect(first.body).toMatchObject({ name: "Hall", rotation });
  const second = await open(token, { dashboardId: yard });
  expect(second.body).toMatchObject({ name: "Yard", rotation });
  expect(second.body.data.now.latest).toMatchObject([{ deviceId: press.deviceId, values: { p: 3 } }]);
  expect(second.text).not.toContain(oven.deviceId);
});

test("a link of one dashboard has no rotation", async () => {
  const { token, rotation } = await share(hall);
  expect(rotation).toBeUndefined();
  expect((await open(token)).body.rotation).toBeUndefined();
  expect(await namesOf(token, [hall, yard])).toEqual(["Hall", 404]);
});

test("a link opens no other dashboard, neither of its tenant nor of another", async () => {
  const { token } = await share(hall, yard);
  const responses = await Promise.all(
    [other, foreign, "none", ""].map((dashboardId) => open(token, { dashboardId })),
  );
  // The same answer, whether there is such a dashboard or not.
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(responses[0]?.status).toBe(404);
  for (const path of [`/api/dashboards/${yard}`, shares(yard), "/api/dashboards"])
    expect((await fixture.call("GET", path, { token })).status).toBe(401);
});

test("a dashboard of another tenant, or one that does not exist, is in no rotation", async () => {
  for (const id of [foreign, "none"]) {
    const rotation = { dashboardIds: [yard, id], seconds: 15 };
    expect((await call("POST", shares(hall), { rotation })).status).toBe(404);
  }
  expect((await call("GET", shares(hall))).body).toEqual([]);
});

test.each([
  { dashboardIds: [], seconds: 0 },
  { dashboardIds: [], seconds: 3_601 },
  { dashboardIds: [], seconds: 1.5 },
  { dashboardIds: "all", seconds: 15 },
  { dashboardIds: Array.from({ length: 21 }, () => "x"), seconds: 15 },
  { seconds: 15 },
])("a rotation that is not valid is refused: %j", async (rotation) => {
  expect((await call("POST", shares(hall), { rotation })).status).toBe(400);
});

test("a deleted dashboard drops out, the first one too, and the last one ends the link", async () => {
  const third = await createDashboard("Third", "oven", "t");
  const { token } = await share(hall, yard, third);
  await call("DELETE", `/api/dashboards/${yard}`);
  expect(await namesOf(token, [hall, yard, third])).toEqual(["Hall", 404, "Third"]);
  await call("DELETE", `/api/dashboards/${hall}`);
  const { body } = await open(token);
  expect([body.name, body.rotation]).toEqual(["Third", undefined]);
  expect((await call("GET", shares(third))).body).toHaveLength(1);
  await call("DELETE", `/api/dashboards/${third}`);
  expect((await open(token)).status).toBe(401);
});

test("a link is listed at each of its dashboards, and one of the others can be taken out there", async () => {
  const { token, shareId } = await share(hall, yard);
  for (const id of [hall, yard])
    expect((await call("GET", shares(id))).body).toMatchObject([{ shareId, dashboardId: hall }]);
  expect((await call("DELETE", `${shares(other)}/${shareId}`)).status).toBe(404);
  expect((await call("DELETE", `${shares(yard)}/${shareId}`)).status).toBe(200);
  expect(await namesOf(token, [hall, yard])).toEqual(["Hall", 404]);
  expect((await call("GET", shares(yard))).body).toEqual([]);
  const both = await share(hall, yard);
  expect((await call("DELETE", `${shares(hall)}/${both.shareId}`)).status).toBe(200);
  expect((await open(both.token)).status).toBe(401);
});

test("a user limited to some devices does not change a dashboard that a link shows in turn", async () => {
  await share(hall, yard);
  expect((await call("PATCH", `/api/dashboards/${yard}`, { aliases: [] }, "limited")).status).toBe(403);
  expect((await call("DELETE", `/api/dashboards/${yard}`, undefined, "limited")).status).toBe(403);
});

test("a dashboard has 50 links at most, those in turn with others among them", async () => {
  for (let count = 0; count < 50; count++) await share(hall, yard);
  expect((await call("POST", shares(yard), {})).status).toBe(409);
  expect((await call("POST", shares(other), { rotation: { dashboardIds: [yard], seconds: 5 } })).status).toBe(
    409,
  );
});

test("the live stream brings of each device only the keys that a dashboard shows of it", async () => {
  const { token } = await share(hall, yard);
  const screen = await WebSocketClient.signIn(fixture.app.url, token);
  const snapshot = await screen.subscribe(["telemetry"]);
  expect(snapshot.telemetry).toHaveLength(2);
  expect(snapshot.telemetry).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ deviceId: oven.deviceId, values: { t: 20 } }),
      expect.objectContaining({ deviceId: press.deviceId, values: { p: 3 } }),
    ]),
  );
  await send(oven.token, { p: "hidden", secret: "hidden" });
  await send(press.token, { t: "hidden", secret: "hidden" });
  await send(oven.token, { t: 21, p: "hidden" });
  await send(press.token, { p: 4, t: "hidden" });
  await until(() => screen.messages.length >= 2);
  // In either order: they are of two devices.
  expect(screen.messages).toHaveLength(2);
  expect(screen.messages).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ deviceId: oven.deviceId, values: { t: 21 } }),
      expect.objectContaining({ deviceId: press.deviceId, values: { p: 4 } }),
    ]),
  );
  expect(JSON.stringify([snapshot, ...screen.messages])).not.toMatch(/secret|hidden/);
  await screen.close();
});

test("the live stream of a dashboard that is taken out ends at once, and the link goes on without its devices", async () => {
  const { token, shareId } = await share(hall, yard);
  const screen = await WebSocketClient.signIn(fixture.app.url, token);
  await screen.subscribe(["telemetry"]);
  await call("DELETE", `${shares(yard)}/${shareId}`);
  expect((await screen.closed).code).toBe(1012);
  const again = await WebSocketClient.signIn(fixture.app.url, token);
  const snapshot = await again.subscribe(["telemetry"]);
  expect(JSON.stringify(snapshot)).not.toContain(press.deviceId);
  again.send({ type: "subscribe", id: "b", topics: ["telemetry"], deviceIds: [press.deviceId] });
  await again.next("error");
  await again.close();
});
