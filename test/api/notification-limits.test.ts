import { afterAll, beforeAll, expect, test } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const MINUTE = 60_000;
const PER_HOUR = 6;

let clock: FakeClock;
let mails: MailServer;
let fixture: TestApp;
let owner: Awaited<ReturnType<TestApp["signIn"]>>;

const call = async (method: string, path: string, body?: unknown) =>
  (await fixture.call(method, path, { token: owner.token, body })).body;

beforeAll(async () => {
  clock = new FakeClock();
  mails = await startMailServer();
  fixture = await createTestApp({
    clock,
    config: { smtp_url: mails.url, tenant_alarm_mails_per_hour: PER_HOUR },
  });
  owner = await fixture.signIn("TENANT_OWNER");
  await call("PATCH", `/api/users/${owner.user.userId}`, {
    notificationSeverities: ["MAJOR"],
    notifyOnAlarmEscalated: false,
  });
  await call("PATCH", "/api/notifications/settings", { digestAfter: 100, digestMinutes: 5 });
  const [profile] = await call("GET", "/api/device-profiles");
  const createRules = [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: 50 } }];
  await call("PATCH", `/api/device-profiles/${profile.profileId}`, {
    alarmRules: [{ alarmType: "Hot", createRules }],
  });
});
afterAll(async () => {
  await fixture.stop();
  await mails.stop();
});

async function raise(): Promise<void> {
  const device = await fixture.createDevice(owner.token);
  await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { t: 60 } });
}

test("beyond the alarm mails per hour, alarms wait for a digest, and the limit is a fault", async () => {
  for (let n = 0; n < PER_HOUR + 4; n++) await raise();
  for (let n = 0; n < PER_HOUR; n++) expect((await mails.next()).parsed.subject).toContain("Hot");
  const faults = await call("GET", "/api/faults?source=mail");
  expect(faults.map(({ reason }: { reason: unknown }) => reason)).toMatchObject([
    { code: "fault.alarm_mails_collected", params: { max: PER_HOUR } },
  ]);
  // There is room for a mail every ten minutes: the digest waits for it.
  clock.advance(5 * MINUTE);
  await call("GET", "/api/alarms?limit=1");
  expect(mails.received.length).toBe(PER_HOUR);
  for (let minute = 0; minute < 6; minute++) {
    clock.advance(MINUTE);
    await call("GET", "/api/alarms?limit=1");
  }
  expect((await mails.next()).parsed.subject).toBe("4 more alarm messages: 4 × Major");
});

test("no alarm mail goes to a user who has not signed in or confirmed the address", async () => {
  clock.leap(120 * MINUTE);
  const input = { fullName: "New", email: "new@one.example", role: "TENANT_ADMIN", inviteDelivery: "MANUAL" };
  const { userId } = await call("POST", "/api/users", { ...input, notificationSeverities: ["MAJOR"] });
  const read = () => call("GET", `/api/users/${userId}`);
  expect((await read()).emailConfirmed).toBe(false);
  const recipients = async (count: number) => {
    await raise();
    const to: string[] = [];
    for (let n = 0; n < count; n++) to.push(...(await mails.next()).recipients);
    return to.sort();
  };
  expect(await recipients(1)).toEqual([owner.user.email]);
  fixture.app.services.sessions.start(userId, { address: "local", userAgent: "" });
  expect((await read()).emailConfirmed).toBe(true);
  expect(await recipients(2)).toEqual([input.email, owner.user.email]);
  await call("PATCH", `/api/users/${userId}`, { email: "stranger@else.example" });
  expect((await read()).emailConfirmed).toBe(false);
});

test("the owner whom the configuration names gets alarm mails without signing in", async () => {
  const other = await createTestApp({ clock });
  try {
    await other.app.services.setup.createOwner({
      email: "owner@plant.example",
      password: "correct-horse-battery-9",
      fullName: "Owner",
      tenantName: "Plant",
    });
    expect(other.app.services.users.findByEmail("owner@plant.example")?.confirmedAt).toBeNumber();
  } finally {
    await other.stop();
  }
});
