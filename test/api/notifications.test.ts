// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of messages
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type ApiRow, apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { createWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

const MINUTE = 60_000;
const CONSOLE = "https://plant.example/gateway";
const mutedDevice = {
  notificationsEmailEnabled: false,
  notificationsMessagingEnabled: false,
  notificationPhone: "",
  notificationEscalationLevel: 1,
  notificationSeverities: ["MAJOR", "CRITICAL"],
  notifyOnAlarmCreated: true,
  notifyOnAlarmEscalated: true,
  notifyOnAlarmCleared: true,
};

let clock: FakeClock;
let mails: MailServer;
let phone: WebhookReceiver;
let fixture: TestApp;
let owner: string;
let reader: { token: string; user: { userId: string; email: string } };

beforeAll(async () => {
  clock = new FakeClock();
  mails = await startMailServer();
  phone = createWebhookReceiver();
  const config = { smtp_url: mails.url, outbound_allow: "127.0.0.1", public_url: CONSOLE };
  fixture = await createTestApp({ clock, config });
  const person = await fixture.signIn("TENANT_OWNER");
  owner = person.token;
  reader = await fixture.signIn("TENANT_READ_ONLY");
  await prefer({}, person.user.userId);
  const [profile] = await get("/api/device-profiles");
  const hot = (severity: string, value: number) => ({
    severity,
    condition: { key: "t", op: "GT", value },
    message: "${t} °C",
  });
  await patch(`/api/device-profiles/${profile.profileId}`, {
    alarmRules: [
      { alarmType: "Overheated", createRules: [hot("WARNING", 10), hot("MAJOR", 50), hot("CRITICAL", 80)] },
    ],
  });
});
afterAll(async () => {
  await fixture.stop();
  await mails.stop();
  await phone.stop();
});

const get = async (url: string) => (await fixture.call("GET", url, { token: owner })).body;
const patch = (path: string, body: unknown) => fixture.call("PATCH", path, { token: owner, body });
const prefer = (changes: object, userId = reader.user.userId) =>
  patch(`/api/users/${userId}`, { ...mutedDevice, ...changes });
const send = (device: { token: string }, t: number) =>
  fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { t } });
const messaging = (changes: object = {}) => ({
  url: `${phone.url}/sms`,
  headers: { Authorization: "Bearer top secret", "X-Sender": "Lineside" },
  body: '{"to":"${phone}","text":"${text}"}',
  ...changes,
});
const settle = async (changes: object) => {
  const response = await patch("/api/notifications/settings", {
    digestAfter: 10,
    digestMinutes: 5,
    language: "en",
    timezone: "UTC",
    messaging: null,
    ...changes,
  });
  expect(response.status).toBe(200);
};
/** Once nothing that happened to alarms waits to be told: the newest alarm of the device has been dealt with. */
async function notifiedOf(device: { deviceId: string }, count: number): Promise<string[]> {
  for (;;) {
    const [alarm] = await get(`/api/alarms/device/${device.deviceId}`);
    const events = await get(`/api/alarms/${alarm.alarmId}/events`);
    const found = events.filter(({ eventType }: { eventType: string }) => eventType === "NOTIFIED");
    if (found.length >= count) return found.map(({ message }: { message: string }) => message);
  }
}

describe("settings", () => {
  const path = "/api/notifications/settings";
  const ask =
    (who: () => string | undefined, method: string, body?: unknown, time = path) =>
    () => {
      const token = who();
      return { method, path: time, ...(token && { token }), ...(body === undefined ? {} : { body }) };
    };
  const row = (name: string, request: ApiRow["request"], status: number): ApiRow =>
    status < 400
      ? { name, request, status }
      : { name, request, status, answer: status === 401 ? "none" : "error" };
  const wrong = (name: string, changes: object): ApiRow => ({
    name,
    request: () => ({ method: "PATCH", path, token: owner, body: { messaging: messaging(changes) } }),
    status: 400,
    answer: "error",
  });
  const test_ = "/api/notifications/test";
  apiRows(
    () => fixture,
    [
      row(
        "anonymous may not read them",
        ask(() => undefined, "GET"),
        401,
      ),
      row(
        "a reader may not read them",
        ask(() => reader.token, "GET"),
        403,
      ),
      row(
        "a reader may not change them",
        ask(() => reader.token, "PATCH", { language: "de" }),
        403,
      ),
      row(
        "anonymous may not try",
        ask(() => undefined, "POST", { channel: "email" }, test_),
        401,
      ),
      row(
        "there is no third channel",
        ask(() => reader.token, "POST", { channel: "fax" }, test_),
        400,
      ),
      row(
        "a language that there is none of is 400",
        ask(() => owner, "PATCH", { language: "fr" }),
        400,
      ),
      row(
        "a time zone that there is none of is 400",
        ask(() => owner, "PATCH", { timezone: "Mars/Olympus" }),
        400,
      ),
      row(
        "a window of no minutes is 400",
        ask(() => owner, "PATCH", { digestMinutes: 0 }),
        400,
      ),
      wrong("an address that is none is 400", { url: "sms" }),
      wrong("an address of another scheme is 400", { url: "ftp://127.0.0.1/" }),
      wrong("a password in the address is 400", { url: "http://a:b@127.0.0.1/" }),
      wrong("a server that a value chooses is 400", { url: "http://${phone}.example/" }),
      wrong("a placeholder that stands for nothing is 400", { body: '{"a":"${number}"}' }),
      wrong("a placeholder that stands there five times is 400", { body: `{"a":"${"${text}".repeat(5)}"}` }),
      wrong("a body that is no JSON is 400", { body: '{"to":${text}}' }),
      wrong("a header that is none is 400", { headers: { "X Y": "1" } }),
      wrong("a header of the request itself is 400", { headers: { Host: "example" } }),
      wrong("a line break in a header is 400", { headers: { "X-A": "1\r\nX-B: 2" } }),
      wrong("keeping what there is not is 400", { headers: { "X-New": null } }),
    ],
  );

  test("secrets are kept and never shown, and do not go to another server", async () => {
    await settle({ messaging: messaging() });
    const shown = await get(path);
    expect(shown.messaging.headers).toEqual({ Authorization: null, "X-Sender": "Lineside" });
    expect(JSON.stringify(await get("/api/audit?action=notifications.settings"))).not.toContain("top secret");
    const kept = await patch(path, { messaging: { ...shown.messaging, body: '{"t":"${text}"}' } });
    expect(kept.status).toBe(200);
    const moved = await patch(path, { messaging: { ...shown.messaging, url: "http://erp.example/" } });
    expect([moved.status, moved.body.message]).toEqual([400, expect.stringContaining("another server")]);
    await settle({});
  });

  test("another tenant has its own", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "two" });
    await settle({ language: "de" });
    expect((await fixture.call("GET", path, { token })).body).toMatchObject({
      language: "en",
      messaging: null,
    });
    await settle({});
  });
});

/** Whatever was before is over. */
async function beginAnew(changes: object): Promise<void> {
  for (const { deviceId } of await get("/api/devices"))
    await fixture.call("DELETE", `/api/devices/${deviceId}`, { token: owner });
  await settle(changes);
  for (let window = 0; window < 3; window++) clock.advance(5 * MINUTE);
}

describe("who is told", () => {
  beforeEach(() => beginAnew({}));

  test("a person by mail, once, with what happened; its history says so", async () => {
    await prefer({ notificationsEmailEnabled: true });
    const device = await fixture.createDevice(owner, { name: "Kiln <1>" });
    await send(device, 60);
    const { parsed, recipients } = await mails.next();
    expect(recipients).toEqual([reader.user.email]);
    expect(parsed.subject).toBe("Major: Overheated, Kiln <1> (Alarm)");
    expect(parsed.text).toContain("60 °C");
    const [{ alarmId }] = await get(`/api/alarms/device/${device.deviceId}`);
    expect(parsed.text).toContain(`Open alarm: ${CONSOLE}/alarms/${alarmId}\n`);
    expect(parsed.html).toContain("Kiln &lt;1&gt;");
    expect(await notifiedOf(device, 1)).toEqual([`Raised: email to ${reader.user.email}`]);
  });

  test("in the language and the time zone of the tenant", async () => {
    await settle({ language: "de", timezone: "Asia/Kathmandu" });
    const device = await fixture.createDevice(owner);
    await send(device, 90);
    const { parsed } = await mails.next();
    expect(parsed.subject).toStartWith("Kritisch: Overheated");
    expect(parsed.text).toContain("(Asia/Kathmandu)");
  });

  test("in German of why an alarm is over, which the API says as a code and in English", async () => {
    await settle({ language: "de" });
    const device = await fixture.createDevice(owner);
    await send(device, 90);
    await mails.next();
    await send(device, 0);
    const { parsed } = await mails.next();
    expect(parsed.subject).toContain("(Alarm beendet)");
    expect(parsed.text).toContain("Die Bedingung trifft nicht mehr zu.");
    const [alarm] = await get(`/api/alarms/device/${device.deviceId}`);
    expect(await get(`/api/alarms/${alarm.alarmId}/events`)).toContainEqual(
      expect.objectContaining({
        eventType: "CLEARED",
        code: "alarm_event.condition_over",
        params: {},
        message: "The condition no longer holds",
      }),
    );
  });

  test("by trigger, severity, level and what the user may see", async () => {
    const device = await fixture.createDevice(owner);
    await prefer({ notificationsEmailEnabled: true, notificationEscalationLevel: 2 });
    await send(device, 20); // a warning: of no interest
    await send(device, 60);
    clock.leap(15 * MINUTE);
    expect((await mails.next()).parsed.subject).toContain("(Alarm escalated, level 2)");
    await prefer({
      notificationsEmailEnabled: true,
      notifyOnAlarmCreated: false,
      notifyOnAlarmEscalated: false,
    });
    await send(device, 0);
    expect((await mails.next()).parsed.subject).toContain("(Alarm over)");
    await prefer({ notificationsEmailEnabled: true });
    const other = await fixture.createDevice(owner);
    await patch(`/api/users/${reader.user.userId}`, {
      hasGlobalDeviceAccess: false,
      deviceIds: [other.deviceId],
    });
    const unseen = await fixture.createDevice(owner, { name: "unseen" });
    await send(unseen, 60);
    await send(other, 60);
    await notifiedOf(other, 1);
    expect((await mails.next()).parsed.text).toContain("60 °C");
    expect(mails.received.filter(({ raw }) => raw.includes("unseen"))).toEqual([]);
    await patch(`/api/users/${reader.user.userId}`, { hasGlobalDeviceAccess: true, deviceIds: [] });
  });

  test("of one that becomes severe enough, once", async () => {
    const device = await fixture.createDevice(owner);
    for (const t of [20, 60, 90]) await send(device, t);
    expect((await mails.next()).parsed.subject).toStartWith("Major");
    expect(await notifiedOf(device, 1)).toHaveLength(1);
  });

  test("nobody who is disabled, and nobody of a device in maintenance", async () => {
    const device = await fixture.createDevice(owner, { name: "silent" });
    await send(device, 60);
    await mails.next();
    const until = new Date(clock.now() + 5 * MINUTE).toISOString();
    await fixture.call("POST", `/api/devices/${device.deviceId}/maintenance`, {
      token: owner,
      body: { until },
    });
    await send(device, 0);
    const gone = (await fixture.signIn("TENANT_RW")).user;
    await prefer({ notificationsEmailEnabled: true }, gone.userId);
    await patch(`/api/users/${gone.userId}`, { status: "DISABLED" });
    const third = await fixture.createDevice(owner, { name: "heard" });
    await send(third, 60);
    expect((await mails.next()).parsed.subject).toContain("heard (Alarm)");
    expect(mails.received.filter(({ parsed }) => parsed.subject?.includes("silent (Alarm over"))).toEqual([]);
    expect(mails.received.filter(({ recipients }) => recipients.includes(gone.email))).toEqual([]);
  });

  test("by message, whose template is filled so that every value stays one", async () => {
    await settle({ messaging: messaging({ url: `${phone.url}/sms?to=\${phone}` }) });
    await prefer({ notificationsMessagingEnabled: true, notificationPhone: "+49 170 1" });
    const device = await fixture.createDevice(owner, { name: 'a "quoted" \\ name' });
    await send(device, 60);
    await phone.until(1);
    const [{ body, headers }] = phone.received as [(typeof phone.received)[number]];
    expect(body).toEqual({ to: "+49 170 1", text: 'Major: Overheated, a "quoted" \\ name. 60 °C' });
    expect([headers.get("authorization"), headers.get("x-sender")]).toEqual([
      "Bearer top secret",
      "Lineside",
    ]);
    await prefer({});
  });
});

test("who is told much at once gets the first ones, and the rest in one mail, again and again while it lasts", async () => {
  await beginAnew({ digestAfter: 3, digestMinutes: 5 });
  await prefer({ notificationsEmailEnabled: true });
  const before = mails.received.length;
  const devices: Array<{ deviceId: string; token: string }> = [];
  for (let index = 0; index < 20; index++) devices.push(await fixture.createDevice(owner));
  for (const [index, device] of devices.entries()) await send(device, index === 7 ? 90 : 60);
  for (let index = 0; index < 3; index++) await mails.next();
  for (const device of devices) await notifiedOf(device, 1);
  expect(mails.received.length).toBe(before + 3);
  clock.advance(5 * MINUTE);
  const { parsed } = await mails.next();
  expect(parsed.subject).toBe("17 more alarm messages: 1 × Critical, 16 × Major");
  expect(parsed.text).toMatch(/The most severe of them:\s+Critical: Overheated/);
  for (const device of devices.slice(0, 4)) await send(device, 0);
  for (const device of devices.slice(0, 4)) await notifiedOf(device, 2);
  clock.advance(5 * MINUTE);
  expect((await mails.next()).parsed.subject).toBe("4 more alarm messages: 4 × Major");
  for (const { deviceId } of devices)
    await fixture.call("DELETE", `/api/devices/${deviceId}`, { token: owner });
  // A window without anything ends it.
  for (let minute = 0; minute < 12; minute++) {
    clock.advance(MINUTE);
    await get("/api/alarms?limit=1");
  }
  const late = await fixture.createDevice(owner, { name: "later" });
  await send(late, 60);
  expect((await mails.next()).parsed.subject).toContain("later (Alarm)");
  await prefer({});
  await settle({});
});

describe("a test to oneself", () => {
  const attempt = async (channel: string, token = reader.token) =>
    await fixture.call("POST", "/api/notifications/test", { token, body: { channel } });

  test("by mail tells that the server took it", async () => {
    const length = mails.received.length;
    const { body } = await attempt("email");
    expect(body).toEqual({
      success: true,
      code: "notification_test.mailed",
      params: { to: reader.user.email },
      message: `The mail server accepted it for ${reader.user.email}.`,
    });
    expect(mails.received[length]?.parsed.subject).toBe("Test message of Lineside");
  });

  test("by message tells what is missing, and what the gateway said", async () => {
    expect((await attempt("messaging")).body).toMatchObject({
      success: false,
      message: expect.stringContaining("gateway"),
    });
    await settle({ messaging: messaging() });
    expect((await attempt("messaging")).body).toMatchObject({
      success: false,
      message: expect.stringContaining("phone"),
    });
    await prefer({ notificationPhone: "+49 170 2" });
    const { body: taken } = await attempt("messaging");
    expect(taken).toMatchObject({ success: true, code: "notification_test.sent", status: 200 });
    phone.answer = () => new Response("no credit", { status: 402 });
    const { body: refused } = await attempt("messaging");
    expect(refused).toMatchObject({ success: false, message: "The server answered 402.", status: 402 });
    phone.answer = () => new Response("taken");
    await settle({});
  });

  test("is not for keys, and ends after ten", async () => {
    const apiResponse = await fixture.call("POST", "/api/api-keys", {
      token: owner,
      body: { name: "x", role: "TENANT_RW" },
    });
    expect((await attempt("email", apiResponse.body.key)).status).toBe(403);
    let last = 200;
    for (let count = 0; count < 11; count++) last = (await attempt("messaging")).status;
    expect(last).toBe(429);
  });
});
