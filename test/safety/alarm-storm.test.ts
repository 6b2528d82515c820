import { expect, test } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { startMailServer } from "../support/mail-server.ts";
import { createTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const RULES = 500;
const DEVICES = 20;
const USERS = 3;
const ALARMS = RULES * DEVICES;
const NOTIFIED_SINGLY = 10;

test("of a storm of ten thousand alarms none is lost: each is there, each is told or counted, and the API answers meanwhile", async () => {
  const clock = new FakeClock();
  const mails = await startMailServer();
  const fixture = await createTestApp({ clock, config: { smtp_url: mails.url } });
  const { token, user } = await fixture.signIn("TENANT_OWNER");
  const call = (method: string, path: string, body?: unknown) =>
    fixture.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  const users = [user];
  while (users.length < USERS) users.push((await fixture.signIn("TENANT_READ_ONLY")).user);
  const [profile] = (await call("GET", "/api/device-profiles")).body;
  const keys = Array.from({ length: RULES }, (_, index) => `k${index}`);
  await call("PATCH", `/api/device-profiles/${profile.profileId}`, {
    alarmRules: keys.map((key, index) => ({
      alarmType: `${key} is high`,
      createRules: [
        { severity: index === 7 ? "CRITICAL" : "MAJOR", condition: { key, op: "GT", value: 50 } },
      ],
    })),
  });
  const devices: Array<{ token: string; deviceId: string }> = [];
  while (devices.length < DEVICES) devices.push(await fixture.createDevice(token));

  const values = Object.fromEntries(keys.map((key) => [key, 60]));
  let isOver = false;
  const storm = Promise.all(
    devices.map((device) => fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: values })),
  ).finally(() => {
    isOver = true;
  });
  const answered: number[] = [];
  while (!isOver) answered.push((await call("GET", "/api/alarms?limit=1")).status);
  expect((await storm).map(({ status }) => status)).toEqual(devices.map(() => 200));
  expect(new Set(answered)).toEqual(new Set([200]));
  const { headers } = await call("GET", "/api/alarms?limit=1&status=ACTIVE_UNACK");
  expect(headers.get("x-total-count")).toBe(String(ALARMS));

  // The newest alarm is the last that is told.
  const [last] = (await call("GET", "/api/alarms?limit=1")).body;
  const historyOf = async () => (await call("GET", `/api/alarms/${last.alarmId}/events`)).body;
  await until(async () => (await historyOf()).length >= 2);
  clock.advance(5 * 60_000);
  const total = USERS * (NOTIFIED_SINGLY + 1);
  const subjects: string[] = [];
  while (subjects.length < total) subjects.push((await mails.next()).parsed.subject ?? "");
  const digests = subjects.filter((subject) => subject.includes("more alarm messages"));
  expect(digests).toHaveLength(USERS);
  for (const digest of digests)
    expect(digest).toStartWith(`${ALARMS - NOTIFIED_SINGLY} more alarm messages: `);
  await fixture.stop();
  await mails.stop();
});
