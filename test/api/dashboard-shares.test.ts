import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

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
  const answer = await call("POST", path, fields);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body as { shareId: string; token: string; path: string };
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

describe("who makes links", () => {
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
        name: "nobody who sees some devices only",
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

  test("the audit log says who, and never the token", async () => {
    const created = await share({ name: "for the log" });
    await call("DELETE", `${sharesPath()}/${created.shareId}`);
    const entries = await call("GET", "/api/audit?limit=20");
    const actions = entries.body.map(({ action }: { action: string }) => action);
    expect(actions).toContain("dashboard.share");
    expect(actions).toContain("dashboard.unshare");
    expect(entries.text).not.toContain(created.token);
  });
});

describe("what a link opens", () => {
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
        { widgetId: "alarms", type: "alarmList", name: "", config: {} },
      ],
    });
    const { token } = await share({}, `/api/dashboards/${created.id}/shares`);
    const { body, text } = await openLink(token);
    expect(body.data.t.latest).toMatchObject([{ values: { t: expect.any(Number) } }]);
    expect(text).not.toContain("secret");
    expect(text).not.toContain(press.deviceId);
    expect(body.data.alarms.alarms).toMatchObject([{ deviceId: oven.deviceId }]);
    expect(
      (await call("POST", `/api/dashboards/${created.id}/execute`)).body.data.alarms.alarms,
    ).toHaveLength(2);
  });

  test("the device that it was made with, the page and time asked for", async () => {
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
      const answer = await fixture.call("GET", path, { token });
      expect([path, answer.status, answer.text]).toEqual([path, 401, ""]);
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

  test("many at once by one link are told to wait, and others are not", async () => {
    const [one, two] = [await share(), await share()];
    const crowd = await Promise.all(Array.from({ length: 30 }, () => openLink(one.token)));
    const other = await openLink(two.token);
    expect(new Set(crowd.map(({ status }) => status)).difference(new Set([200, 429])).size).toBe(0);
    expect(crowd.some(({ status }) => status === 200)).toBe(true);
    expect(other.status).toBe(200);
    expect((await openLink(one.token)).status).toBe(200);
  });

  test("who sees some devices only does not change what others see by a link", async () => {
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

describe("live by a link", () => {
  async function listen(token: string) {
    const socket = new WebSocket(`${fixture.app.url.replace("http", "ws")}/api/ws`);
    const received: { type: string; topic?: string; values?: Record<string, unknown>; deviceId?: string }[] =
      [];
    let closed: number | undefined;
    socket.onmessage = ({ data }) => received.push(JSON.parse(String(data)));
    socket.onclose = ({ code }) => {
      closed = code;
    };
    await new Promise((resolve) => {
      socket.onopen = resolve;
    });
    const ask = (message: object) => socket.send(JSON.stringify(message));
    ask({ type: "auth", token });
    const until = async (isThere: () => boolean) => {
      for (let n = 0; n < 400 && !isThere(); n++) {
        clock.advance(50);
        await Bun.sleep(5);
      }
      expect([isThere(), received]).toEqual([true, received]);
    };
    await until(() => received.some(({ type }) => type === "ready"));
    return { received, ask, until, closed: () => closed, stop: () => socket.close() };
  }
  const allTopics = ["telemetry", "attributes", "alarms", "devices", "commands", "events"];

  test("telemetry of its devices and keys, and nothing else however much is asked for", async () => {
    const { token } = await share();
    const screen = await listen(token);
    screen.ask({ type: "subscribe", id: "a", topics: allTopics });
    await screen.until(() => screen.received.some(({ type }) => type === "snapshot"));
    await send(press.token, { t: 99 });
    await call("POST", `/api/devices/${oven.deviceId}/attributes`, {
      scope: "SHARED",
      attributes: { secret: 2 },
    });
    await send(oven.token, { t: 21, secret: 3 });
    await screen.until(() => screen.received.some(({ topic }) => topic === "telemetry"));
    await send(oven.token, { t: 22 });
    const dataMessages = () => screen.received.filter(({ type }) => type === "data");
    await screen.until(() => dataMessages().length > 1);
    expect(dataMessages()).toMatchObject([
      { topic: "telemetry", deviceId: oven.deviceId, values: { t: 21 } },
      { topic: "telemetry", deviceId: oven.deviceId, values: { t: 22 } },
    ]);
    expect(JSON.stringify(screen.received)).not.toContain("secret");
    expect(JSON.stringify(screen.received)).not.toContain(press.deviceId);
    screen.ask({ type: "subscribe", id: "b", topics: ["telemetry"], deviceIds: [press.deviceId] });
    await screen.until(() => screen.received.some(({ type }) => type === "error"));
    screen.stop();
  });

  test("a dashboard that is changed lets nobody listen on, however they ask", async () => {
    const { token } = await share();
    const waiting = await listen(token);
    const asking = await listen(token);
    await call("PATCH", `/api/dashboards/${dashboardId}`, { name: "Hall 1" });
    asking.ask({ type: "auth", token });
    for (let n = 0; n < 100 && asking.closed() === undefined; n++) await Bun.sleep(10);
    expect(asking.closed()).toBe(1012);
    await waiting.until(() => waiting.closed() === 1012);
  });

  test("a link that is ended is heard of no more from that moment", async () => {
    const { token, shareId } = await share();
    const screen = await listen(token);
    await call("DELETE", `${sharesPath()}/${shareId}`);
    for (let n = 0; n < 100 && screen.closed() === undefined; n++) await Bun.sleep(10);
    expect(screen.closed()).toBe(4401);
    const { body } = await call("POST", "/api/dashboards", { name: "short" });
    const other = await share({}, `/api/dashboards/${body.id}/shares`);
    const last = await listen(other.token);
    await call("DELETE", `/api/dashboards/${body.id}`);
    for (let n = 0; n < 100 && last.closed() === undefined; n++) await Bun.sleep(10);
    expect(last.closed()).toBe(4401);
  });

  test("whoever sends thousands of messages at once is shown the door", async () => {
    const { token } = await share();
    const screen = await listen(token);
    for (let n = 0; n < 5_000; n++) screen.ask({ type: "subscribe", id: `s${n % 3}`, topics: ["telemetry"] });
    for (let n = 0; n < 300 && screen.closed() === undefined; n++) await Bun.sleep(10);
    expect(screen.closed()).toBe(4429);
    expect((await openLink(token)).status).toBe(200);
  });
});
