import { afterAll, beforeAll, expect, test } from "bun:test";
import { FakeClock } from "../../support/fake-clock.ts";
import { createTestApp, PASSWORD, type TestApp } from "../../support/test-app.ts";

const DAY_MS = 86_400_000;
const clock = new FakeClock(Date.parse("2026-03-10T00:00:00Z"));
let fixture: TestApp;
let token: string;
let short: { deviceId: string; token: string };
let kept: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp({ clock, config: { retention_days: 30 } });
  token = (await fixture.signIn("TENANT_OWNER")).token;
  const profile = await fixture.call("POST", "/api/device-profiles", {
    token,
    body: { name: "short", retentionDays: 2 },
  });
  short = await fixture.createDevice(token, { profileId: profile.body.profileId });
  kept = await fixture.createDevice(token);
  for (const device of [short, kept])
    for (const daysAgo of [40, 10, 3, 1, 0])
      await fixture.call("POST", `/api/v1/${device.token}/telemetry`, {
        body: { ts: clock.now() - daysAgo * DAY_MS, values: { a: daysAgo } },
      });
});
afterAll(() => fixture.stop());

const left = async ({ deviceId }: { deviceId: string }) => {
  const { body } = await fixture.call(
    "GET",
    `/api/devices/${deviceId}/telemetry/range?from=0&to=${clock.now() + DAY_MS}`,
    { token },
  );
  return body.data.flatMap((entry: { series: Array<{ points: Array<{ value: number }> }> }) =>
    entry.series.flatMap(({ points }) => points.map(({ value }) => value)),
  );
};

test("each profile keeps as long as it says, the others as the gateway is configured", async () => {
  expect(await fixture.app.services.retention.run()).toEqual({ pointsDeleted: 4 });
  expect(await left(short)).toEqual([1, 0]);
  expect(await left(kept)).toEqual([10, 3, 1, 0]);
});

test("a clock that jumps decades ahead purges nothing that is valid", async () => {
  clock.jump(40 * 365 * DAY_MS);
  expect(await fixture.app.services.retention.run()).toEqual({ pointsDeleted: 0 });
  clock.jump(-40 * 365 * DAY_MS);
  expect(await left(kept)).toEqual([10, 3, 1, 0]);
});

test("a plan bounds what profile and setting ask for", async () => {
  const { tenants, users, provider, identity, retention } = fixture.app.services;
  const { tenantId } = tenants.create("hosted", "basic");
  const user = {
    tenantId,
    email: "o@hosted.example",
    fullName: "O",
    role: "TENANT_OWNER",
    status: "ACTIVE",
    canAcknowledgeAlarms: false,
    hasGlobalDeviceAccess: true,
  } as const;
  users.create(user);
  await provider.saveAccount(user.email, PASSWORD);
  const { code } = await provider.signIn({ email: user.email, password: PASSWORD, address: "test" });
  const hosted = (await identity.exchange(code, undefined)).accessToken;
  const profiles = await fixture.call("GET", "/api/device-profiles", { token: hosted });
  await fixture.call("PATCH", `/api/device-profiles/${profiles.body[0].profileId}`, {
    token: hosted,
    body: { retentionDays: 3650 },
  });
  const device = await fixture.createDevice(hosted);
  for (const daysAgo of [400, 300])
    await fixture.call("POST", `/api/v1/${device.token}/telemetry`, {
      body: { ts: clock.now() - daysAgo * DAY_MS, values: { a: daysAgo } },
    });
  expect(await retention.run()).toEqual({ pointsDeleted: 1 });
});

test("the passing of days deletes", async () => {
  clock.leap(DAY_MS + 1);
  await fixture.app.services.retention.run();
  token = (await fixture.signIn("TENANT_OWNER")).token; // the first one has expired meanwhile
  expect(await left(short)).toEqual([0]);
});
