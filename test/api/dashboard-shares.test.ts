import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WebSocketClient } from "../support/websocket-client.ts";

let fixture: TestApp;
let clock: FakeClock;
const tokens = { owner: "", writer: "", limited: "", reader: "", stranger: "", key: "" };
type Who = keyof typeof tokens;
let oven: { deviceId: string; token: string };
let press: { deviceId: string; token: string };
let dashboardId: string;

beforeAll(async () => {
  clock = new FakeClock(Date.UTC(2026, 5, 10, 12));
  fixture = await createTestApp({ clock });
  tokens.owner = (await fixture.signIn("TENANT_OWNER")).token;
  tokens.writer = (await fixture.signIn("TENANT_RW")).token;
  tokens.reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  tokens.stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  oven = await fixture.createDevice(tokens.owner, { name: "oven", deviceType: "oven" });
  press = await fixture.createDevice(tokens.owner, { name: "press", deviceType: "press" });
  tokens.limited = (await fixture.signIn("TENANT_RW", { devices: [oven.deviceId] })).token;
  const created = await call("POST", "/api/api-keys", { name: "script", role: "TENANT_RW" });
  tokens.key = created.body.key;
  for (const { token } of [oven, press]) await send(token, { t: 20, secret: 1 });
  dashboardId = (await call("POST", "/api/dashboards", content())).body.id;
});
afterAll(() => fixture.stop());

const call = (method: string, path: string, body?: unknown, who: Who = "owner") =>
  fixture.call(method, path, { token: tokens[who], ...(body !== undefined && { body }) });
const send = (token: string, values: Record<string, unknown>) =>
  fixture.call("POST", `/api/v1/${token}/telemetry`, { body: values });
const sharesPath = () => `/api/dashboards/${dashboardId}/shares`;
const openLink = (token: string, body: unknown = {}) =>
  fixture.call("POST", "/api/shared/dashboard", { token, body });
async function share(fields: Record<string, unknown> = {}, path = sharesPath()) {
  const response = await call("POST", path, fields);
  expect([response.status, response.text]).toEqual([201, expect.any(String)]);
  return response.body as { shareId: string; token: string; path: string };
}

const content = () => ({
  name: "Hall",
  states: [
    { id: "main", name: "Main" },
    { id: "more", name: "More" },
  ],
  widgets: [
    { widgetId: "now", type: "value", name: "T", config: { aliasId: "ovens", key: "t" } },
    {
      widgetId: "chart",
      type: "timeseries",
      name: "",
      config: { aliasId: "ovens", keys: ["t"] },
      dashboardStateId: "more",
    },
    { widgetId: "this", type: "gauge", name: "", config: { aliasId: "context", key: "t" } },
  ],
  aliases: [
    { id: "ovens", name: "Ovens", type: "deviceType", deviceType: "oven" },
    { id: "context", name: "This", type: "stateEntity" },
  ],
  timeWindow: { mode: "live", durationMs: 3_600_000 },
  settings: { note: "for editors" },
});

describe("creating links", () => {
  const row = (who: Who | undefined, method = "POST") => ({
    method,
    path: sharesPath(),
    ...(who !== undefined && { token: tokens[who] }),
    ...(method === "POST" && { body: {} }),
  });
  apiRows(
    () => fixture,
    [
      { name: "nobody unknown", request: () => row(undefined), status: 401, answer: "none" },
      { name: "no reader", request: () => row("reader"), status: 403, answer: "error" },
      { name: "nor sees them", request: () => row("reader", "GET"), status: 403, answer: "error" },
      {
        name: "a user limited to some devices creates no link",
        request: () => row("limited"),
        status: 403,
        answer: "error",
      },
      { name: "nor sees them either", request: () => row("limited", "GET"), status: 403, answer: "error" },
      { name: "no program", request: () => row("key"), status: 403, answer: "error" },
      { name: "no other tenant", request: () => row("stranger"), status: 404, answer: "error" },
      { name: "a writer", request: () => row("writer"), status: 201 },
    ],
  );

  test("a link has an address, an end, and is in the list until it is deleted", async () => {
    const created = await share({ name: "Canteen", expiresAt: "2026-06-11T12:00:00Z" });
    expect(created).toMatchObject({
      name: "Canteen",
      path: `/shared#${created.token}`,
      expiresAt: "2026-06-11T12:00:00.000Z",
      deviceId: null,
      createdBy: expect.stringContaining("@"),
    });
    expect((await call("GET", sharesPath())).body).toContainEqual(created);
    expect((await call("DELETE", `${sharesPath()}/${created.shareId}`)).body).toEqual({ success: true });
    expect((await call("GET", sharesPath())).body).not.toContainEqual(created);
    expect((await call("DELETE", `${sharesPath()}/${created.shareId}`)).status).toBe(404);
    expect((await openLink(created.token)).status).toBe(401);
  });

  test("an end must be a time to come, and a device one that there is", async () => {
    for (const bad of [
      { expiresAt: "tomorrow" },
      { expiresAt: "2026-06-10T11:59:59Z" },
      { name: "x".repeat(257) },
      { deviceId: 7 },
    ])
      expect([bad, (await call("POST", sharesPath(), bad)).status]).toEqual([bad, 400]);
    expect((await call("POST", sharesPath(), { deviceId: "none" })).status).toBe(404);
  });

  test("there are 50 at most", async () => {
    const { body } = await call("POST", "/api/dashboards", { name: "many" });
    const path = `/api/dashboards/${body.id}/shares`;
    for (let n = 0; n < 50; n++) await share({}, path);
    expect((await call("POST", path, {})).status).toBe(409);
  });

  test("the audit log names the actor, and never the token", async () => {
    const created = await share({ name: "for the log" });
    await call("DELETE", `${sharesPath()}/${created.shareId}`);
    const entries = await call("GET", "/api/audit?limit=20");
    const actions = entries.body.map(({ action }: { action: string }) => action);
    expect(actions).toContain("dashboard.share");
    expect(actions).toContain("dashboard.unshare");
    expect(entries.text).not.toContain(created.token);
  });
});

describe("the access of a link", () => {
  test("its dashboard with what it shows, and nothing that only its editor needs", async () => {
    const { token } = await share();
    const { status, body } = await openLink(token);
    expect(status).toBe(200);
    expect(body.name).toBe("Hall");
    expect(body.ownWindow).toEqual({ mode: "live", durationMs: 3_600_000 });
    expect(body.data.now.latest).toMatchObject([{ deviceId: oven.deviceId, values: { t: 20 } }]);
    expect(body.data.this.deviceIds).toEqual([]);
    for (const hidden of ["tenantId", "aliases", "settings", "configuration"])
      expect(body).not.toHaveProperty(hidden);
    expect(JSON.stringify(body)).not.toContain("secret");
    expect(JSON.stringify(body)).not.toContain(press.deviceId);
  });

  test("of each widget its own keys, of no device that no widget is about, and alarms of its devices alone", async () => {
    const profiles = await call("GET", "/api/device-profiles");
    await call("PATCH", `/api/device-profiles/${profiles.body[0].profileId}`, {
      alarmRules: [
        {
          alarmType: "Hot",
          createRules: [{ severity: "MAJOR", condition: { key: "hot", op: "EQ", value: true } }],
        },
      ],
    });
    for (const { token } of [oven, press]) await send(token, { hot: true });
    const all = { id: "press", name: "Presses", type: "deviceType", deviceType: "press" };
    const { body: created } = await call("POST", "/api/dashboards", {
      ...content(),
      aliases: [...content().aliases, all],
      widgets: [
        { widgetId: "t", type: "gauge", name: "", config: { aliasId: "ovens", key: "t" } },
        { widgetId: "go", type: "commandButton", name: "", config: { aliasId: "ovens", method: "x" } },
        { widgetId: "plan", type: "floorPlan", name: "", config: { aliasId: "ovens" } },
        {
          widgetId: "drawing",
          type: "synoptic",
          name: "",
          config: { aliasId: "ovens", symbols: [{ symbol: "tank", key: "t" }, { symbol: "pump" }] },
        },
        { widgetId: "alarms", type: "alarmList", name: "", config: {} },
      ],
    });
    const { token } = await share({}, `/api/dashboards/${created.id}/shares`);
    const { body, text } = await openLink(token);
    expect(body.data.t.latest).toMatchObject([{ values: { t: expect.any(Number) } }]);
    expect(body.data.drawing.latest).toMatchObject([{ values: { t: expect.any(Number) } }]);
    expect(text).not.toContain("secret");
    expect(text).not.toContain(press.deviceId);
    expect(body.data.alarms.alarms).toMatchObject([{ deviceId: oven.deviceId }]);
    expect(
      (await call("POST", `/api/dashboards/${created.id}/execute`)).body.data.alarms.alarms,
    ).toHaveLength(2);
  });

  test("what the values of its keys mean, and of no other key", async () => {
    const [profile] = (await call("GET", "/api/device-profiles")).body;
    const own = { key: "t", unit: "°C", decimals: 1 };
    await call("PATCH", `/api/device-profiles/${profile.profileId}`, {
      keyMetadata: [own, { key: "secret", unit: "V" }],
    });
    const { token } = await share();
    const { body, text } = await openLink(token);
    expect(body.keyMetadata).toEqual({
      devices: [{ deviceId: oven.deviceId, profileId: profile.profileId }],
      profiles: [{ profileId: profile.profileId, keyMetadata: [own] }],
    });
    expect(text).not.toContain("secret");
  });

  test("the device that it was created with, the page and time asked for", async () => {
    const { token } = await share({ deviceId: press.deviceId });
    const { body } = await openLink(token, { dashboardStateId: "main", timeRange: { from: 1, to: 2 } });
    expect(body.data.this.deviceIds).toEqual([press.deviceId]);
    expect(body.data).not.toHaveProperty("chart");
    expect(body.timeWindow).toEqual({ from: 1, to: 2 });
    const asked = await openLink(token, { context: { deviceId: oven.deviceId } });
    expect(asked.body.data?.this?.deviceIds ?? [press.deviceId]).toEqual([press.deviceId]);
  });

  test("nothing else: not a single other address", async () => {
    const { token } = await share();
    for (const path of [
      "/api/auth/me",
      "/api/devices",
      `/api/dashboards/${dashboardId}`,
      `/api/devices/${oven.deviceId}/telemetry/latest`,
      "/api/alarms",
    ]) {
      const response = await fixture.call("GET", path, { token });
      expect([path, response.status, response.text]).toEqual([path, 401, ""]);
    }
    const change = await fixture.call("PATCH", `/api/dashboards/${dashboardId}`, {
      token,
      body: { name: "taken over" },
    });
    expect(change.status).toBe(401);
  });

  test("no other token opens it", async () => {
    const { token } = await share();
    for (const wrong of ["", "lss_", `${token}x`, token.slice(0, -1), tokens.owner, "lss_%00"])
      expect([wrong, (await openLink(wrong)).status]).toEqual([wrong, 401]);
    const none = await fixture.call("POST", "/api/shared/dashboard", { body: {} });
    expect([none.status, none.text]).toEqual([401, ""]);
  });

  test("nothing once its time is over, or its dashboard gone", async () => {
    const end = new Date(clock.now() + 60_000).toISOString();
    const { token } = await share({ expiresAt: end });
    expect((await openLink(token)).status).toBe(200);
    clock.advance(60_000);
    expect((await openLink(token)).status).toBe(401);
    const { body } = await call("POST", "/api/dashboards", { name: "short" });
    const other = await share({}, `/api/dashboards/${body.id}/shares`);
    expect((await openLink(other.token)).status).toBe(200);
    await call("DELETE", `/api/dashboards/${body.id}`);
    expect((await openLink(other.token)).status).toBe(401);
  });

  test("many requests by one link at once are limited, and those by others are not", async () => {
    const [one, two] = [await share(), await share()];
    const crowd = await Promise.all(Array.from({ length: 30 }, () => openLink(one.token)));
    const other = await openLink(two.token);
    expect(new Set(crowd.map(({ status }) => status)).difference(new Set([200, 429])).size).toBe(0);
    expect(crowd.some(({ status }) => status === 200)).toBe(true);
    expect(other.status).toBe(200);
    expect((await openLink(one.token)).status).toBe(200);
  });

  test("a user limited to some devices does not change a shared dashboard's data", async () => {
    const { body } = await call("POST", "/api/dashboards", { name: "open" }, "limited");
    const path = `/api/dashboards/${body.id}`;
    expect((await call("PATCH", path, { name: "mine" }, "limited")).status).toBe(200);
    const { shareId } = await share({}, `${path}/shares`);
    expect((await call("PATCH", path, { aliases: [] }, "limited")).status).toBe(403);
    expect((await call("DELETE", path, undefined, "limited")).status).toBe(403);
    expect((await call("PATCH", path, { name: "ours" }, "writer")).status).toBe(200);
    await call("DELETE", `${path}/shares/${shareId}`);
    expect((await call("PATCH", path, { aliases: [] }, "limited")).status).toBe(200);
  });
});

describe("the live stream of a link", () => {
  const listen = (token: string) => WebSocketClient.signIn(fixture.app.url, token);
  /** Lets the time pass in which telemetry is gathered, until a condition holds. */
  const advanceUntil = (condition: () => boolean) =>
    until(() => {
      clock.advance(50);
      return condition();
    });
  const allTopics = ["telemetry", "attributes", "alarms", "devices", "commands", "events"];

  test("brings telemetry of its devices and keys, and nothing else", async () => {
    const { token } = await share();
    const screen = await listen(token);
    const snapshot = await screen.subscribe(allTopics);
    await send(press.token, { t: 99 });
    await call("POST", `/api/devices/${oven.deviceId}/attributes`, {
      scope: "SHARED",
      attributes: { secret: 2 },
    });
    await send(oven.token, { t: 21, secret: 3 });
    await advanceUntil(() => screen.messages.length > 0);
    await send(oven.token, { t: 22 });
    await advanceUntil(() => screen.messages.length > 1);
    expect(screen.messages).toMatchObject([
      { type: "data", topic: "telemetry", deviceId: oven.deviceId, values: { t: 21 } },
      { type: "data", topic: "telemetry", deviceId: oven.deviceId, values: { t: 22 } },
    ]);
    expect(JSON.stringify([snapshot, ...screen.messages])).not.toContain("secret");
    screen.send({ type: "subscribe", id: "b", topics: ["telemetry"], deviceIds: [press.deviceId] });
    await screen.next("error");
    expect(JSON.stringify([snapshot, ...screen.messages])).not.toContain(press.deviceId);
    await screen.close();
  });

  test("ends at once when the dashboard is changed", async () => {
    const { token } = await share();
    const screen = await listen(token);
    await call("PATCH", `/api/dashboards/${dashboardId}`, { name: "Hall 1" });
    expect((await screen.closed).code).toBe(1012);
    const again = await listen(token);
    await again.close();
  });

  test("ends at once with the link or the dashboard", async () => {
    const { token, shareId } = await share();
    const screen = await listen(token);
    await call("DELETE", `${sharesPath()}/${shareId}`);
    expect((await screen.closed).code).toBe(4401);
    const { body } = await call("POST", "/api/dashboards", { name: "short" });
    const other = await share({}, `/api/dashboards/${body.id}/shares`);
    const last = await listen(other.token);
    await call("DELETE", `/api/dashboards/${body.id}`);
    expect((await last.closed).code).toBe(4401);
  });

  test("is closed when a client sends thousands of messages at once", async () => {
    const { token } = await share();
    const screen = await listen(token);
    for (let n = 0; n < 5_000; n++)
      screen.send({ type: "subscribe", id: `s${n % 3}`, topics: ["telemetry"] });
    expect((await screen.closed).code).toBe(4429);
    expect((await openLink(token)).status).toBe(200);
  });
});
