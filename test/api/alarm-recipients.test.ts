import { afterAll, beforeAll, expect, test } from "bun:test";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const rule = {
  alarmType: "Overheated",
  createRules: [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: 50 } }],
};
let mails: MailServer;
let fixture: TestApp;
let owner: string;
let ownerId: string;
let ownerEmail: string;
let profileId: string;
let device: { deviceId: string; token: string };
const users: Array<{ userId: string; email: string }> = [];

beforeAll(async () => {
  mails = await startMailServer();
  fixture = await createTestApp({ config: { smtp_url: mails.url } });
  const person = await fixture.signIn("TENANT_OWNER");
  owner = person.token;
  ownerId = person.user.userId;
  ownerEmail = person.user.email;
  await prefer(person.user.userId, false);
  for (let count = 0; count < 2; count++) {
    const { user } = await fixture.signIn("TENANT_READ_ONLY");
    await prefer(user.userId, true);
    users.push(user);
  }
  const [profile] = (await fixture.call("GET", "/api/device-profiles", { token: owner })).body;
  profileId = profile.profileId;
  device = await fixture.createDevice(owner);
});
afterAll(async () => {
  await fixture.stop();
  await mails.stop();
});

const prefer = (userId: string, notificationsEmailEnabled: boolean) =>
  fixture.call("PATCH", `/api/users/${userId}`, {
    token: owner,
    body: { notificationsEmailEnabled, notificationSeverities: ["MAJOR"], notifyOnAlarmCreated: true },
  });
const setRecipients = (recipientIds: unknown) =>
  fixture.call("PATCH", `/api/device-profiles/${profileId}`, {
    token: owner,
    body: { alarmRules: [{ ...rule, recipientIds }] },
  });
/** Raises an alarm anew; resolves to who gets the next mails. */
async function recipientsOf(mailCount: number): Promise<string[]> {
  for (const t of [0, 60]) await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { t } });
  const found: string[] = [];
  while (found.length < mailCount) found.push(...(await mails.next()).recipients);
  return found.sort();
}
const everybody = () => users.map(({ email }) => email).sort();

test("a rule notifies the users whom it names, or nobody", async () => {
  const [, second] = users;
  await setRecipients([]);
  expect(await recipientsOf(0)).toEqual([]);
  await setRecipients([second?.userId]);
  expect(await recipientsOf(1)).toEqual([second?.email ?? ""]);
  expect(mails.received).toHaveLength(1);
});

test("a rule notifies all users if it names none", async () => {
  await setRecipients(undefined);
  expect(await recipientsOf(2)).toEqual(everybody());
});

test("a recipient that does not exist is refused, and the answer names it", async () => {
  const { status, body } = await setRecipients([users[0]?.userId, "gone"]);
  expect([status, body.message]).toEqual([
    400,
    '`alarmRules[0].recipientIds[1]` contains "gone", which is neither the ID of a user nor of a messenger.',
  ]);
});

test("a rule whose recipients were deleted notifies the owners, and its profile can still be changed", async () => {
  const { user } = await fixture.signIn("TENANT_READ_ONLY");
  await setRecipients([user.userId]);
  await prefer(ownerId, true);
  await fixture.call("DELETE", `/api/users/${user.userId}`, { token: owner });
  expect(await recipientsOf(1)).toEqual([ownerEmail]);
  expect((await setRecipients([user.userId])).status).toBe(200);
  await prefer(ownerId, false);
});

test.each([["all"], [[1]], [Array.from({ length: 101 }, () => "x")]])(
  "recipients that are no list of ids are refused",
  async (recipientIds) => {
    expect((await setRecipients(recipientIds)).status).toBe(400);
  },
);
