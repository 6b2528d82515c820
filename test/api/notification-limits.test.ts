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
  await call("PATCH", `/api/users/${owner.user.userId}`, { notificationSeverities: ["MAJOR"] });
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
