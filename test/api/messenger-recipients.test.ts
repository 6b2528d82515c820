import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { createWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

const PATH = "/api/notifications/messengers";

let clock: FakeClock;
let mails: MailServer;
let service: WebhookReceiver;
let fixture: TestApp;
let owner: string;
let stranger: string;
let user: { userId: string; email: string };
let profileId: string;
let device: { deviceId: string; token: string };

beforeAll(async () => {
  mails = await startMailServer();
  service = createWebhookReceiver();
  clock = new FakeClock();
  fixture = await createTestApp({
    clock,
    config: { smtp_url: mails.url, outbound_allow: "127.0.0.1" },
  });
  const person = await fixture.signIn("TENANT_OWNER");
  owner = person.token;
  user = person.user;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "other" })).token;
  await call("PATCH", `/api/users/${user.userId}`, {
    notificationsEmailEnabled: true,
    notificationSeverities: ["MAJOR"],
    notifyOnAlarmCreated: true,
    notifyOnAlarmEscalated: false,
    notifyOnAlarmCleared: false,
  });
  const [profile] = (await call("GET", "/api/device-profiles")).body;
  profileId = profile.profileId;
});
afterAll(async () => {
  await fixture.stop();
  await service.stop();
  await mails.stop();
});
beforeEach(async () => {
  for (const { messengerId } of (await call("GET", PATH)).body)
    await call("DELETE", `${PATH}/${messengerId}`);
  device = await fixture.createDevice(owner);
  service.received.length = 0;
});

const call = (method: string, path: string, body?: unknown, token = owner) =>
  fixture.call(method, path, { token, ...(body !== undefined && { body }) });
async function createMessenger(topic: string, changes: object = {}, token = owner): Promise<string> {
  const input = { name: topic, kind: "NTFY", server: service.url, topic, triggers: ["CREATED"], ...changes };
  const { body } = await call("POST", PATH, input, token);
  return body.messengerId;
}
async function setRecipients(recipientIds?: readonly string[]): Promise<void> {
  const createRules = [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: 50 } }];
  const alarmRules = [{ alarmType: "Overheated", createRules, ...(recipientIds && { recipientIds }) }];
  expect((await call("PATCH", `/api/device-profiles/${profileId}`, { alarmRules })).status).toBe(200);
}
const send = (t: number) => fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { t } });

/** Raises an alarm; resolves to the recipients that its history names. */
async function notifiedOf(): Promise<string[]> {
  await send(60);
  const [alarm] = (await call("GET", `/api/alarms?deviceId=${device.deviceId}`)).body;
  // The end of the alarm is a notification of its own, which comes after those of its beginning.
  await createMessenger("last", { triggers: ["CLEARED"] });
  await setRecipients();
  await send(10);
  await service.until(1);
  while (!service.received.some(({ body }) => body.topic === "last"))
    await service.until(service.received.length + 1);
  const { body } = await call("GET", `/api/alarms/${alarm.alarmId}/events`);
  const noted = body.filter(
    ({ eventType, params }: { eventType: string; params: { occasion: { code: string } } }) =>
      eventType === "NOTIFIED" && params.occasion.code === "alarm_occasion.CREATED",
  );
  return noted.flatMap(({ params }: { params: { ways: { params: { to: string } }[] } }) =>
    params.ways.map(({ params: { to } }) => to),
  );
}

test("a rule reaches only the messenger that it names, once, and none of the users", async () => {
  const named = await createMessenger("named");
  await createMessenger("other");
  await setRecipients([named, named]);
  expect(await notifiedOf()).toEqual(["named"]);
  expect(service.received.map(({ body }) => body.topic)).toEqual(["named", "last"]);
});

test("a rule can name users and messengers", async () => {
  const named = await createMessenger("named", { ruleScope: "NAMED" });
  await createMessenger("other");
  await setRecipients([user.userId, named]);
  expect(await notifiedOf()).toEqual([user.email, "named"]);
});

test("a messenger for rules that name it gets no alarm of a rule without recipients", async () => {
  await createMessenger("named", { ruleScope: "NAMED" });
  await createMessenger("all");
  await setRecipients();
  expect(await notifiedOf()).toEqual([user.email, "all"]);
});

test("a rule whose messenger is deleted notifies the owners, and no other messenger", async () => {
  const deleted = await createMessenger("deleted", { ruleScope: "NAMED" });
  await createMessenger("all");
  await setRecipients([deleted]);
  await call("DELETE", `${PATH}/${deleted}`);
  expect(await notifiedOf()).toEqual([user.email]);
});

test("a deleted messenger takes nothing from the other recipients of a rule", async () => {
  const deleted = await createMessenger("deleted");
  const named = await createMessenger("named");
  await setRecipients([deleted, named]);
  await call("DELETE", `${PATH}/${deleted}`);
  expect(await notifiedOf()).toEqual(["named"]);
});

test("a messenger of another tenant counts as one that does not exist", async () => {
  const foreign = await createMessenger("foreign", {}, stranger);
  const createRules = [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: 50 } }];
  const alarmRules = [{ alarmType: "Overheated", createRules, recipientIds: [foreign] }];
  expect((await call("PATCH", `/api/device-profiles/${profileId}`, { alarmRules })).status).toBe(400);
});

test("a disabled messenger that a rule names gets nothing, and nobody else does", async () => {
  const disabled = await createMessenger("disabled", { isEnabled: false });
  await createMessenger("all");
  await setRecipients([disabled]);
  expect(await notifiedOf()).toEqual([]);
});

test("an escalation reaches the messenger that the rule names", async () => {
  const escalation = { level1To2Minutes: 1, level2To3Minutes: 60, stopOnAck: true, stopOnClear: true };
  await call("PATCH", "/api/alarms/escalation-settings", escalation);
  const named = await createMessenger("named", { ruleScope: "NAMED", triggers: ["ESCALATED"] });
  await createMessenger("all", { triggers: ["ESCALATED"] });
  await setRecipients([named]);
  await send(60);
  clock.advance(60_000);
  await service.until(1);
  expect(await notifiedOf()).toEqual([]);
  expect(service.received.map(({ body }) => body.topic)).toEqual(["named", "last"]);
});

test("a scope that does not exist is refused, and a change keeps the scope", async () => {
  expect((await call("POST", PATH, { name: "x", kind: "NTFY", topic: "x", ruleScope: "SOME" })).status).toBe(
    400,
  );
  const id = await createMessenger("named", { ruleScope: "NAMED" });
  await call("PATCH", `${PATH}/${id}`, { name: "renamed" });
  expect((await call("GET", `${PATH}/${id}`)).body).toMatchObject({ name: "renamed", ruleScope: "NAMED" });
  await call("PATCH", `${PATH}/${id}`, { ruleScope: "ALL" });
  expect((await call("GET", `${PATH}/${id}`)).body.ruleScope).toBe("ALL");
});
