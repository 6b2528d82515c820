import { expect, test } from "bun:test";
import { FakeClock } from "../../support/fake-clock.ts";
import { createTestApp } from "../../support/test-app.ts";

const DAY_MS = 86_400_000;

test("a gateway that booted in 1970 deletes what is old as soon as its clock is set", async () => {
  const clock = new FakeClock(0);
  const fixture = await createTestApp({ clock, config: { retention_days: 30 } });
  const { token } = await fixture.signIn("TENANT_OWNER");
  const device = await fixture.createDevice(token);
  clock.jump(Date.parse("2026-03-10T00:00:00Z"));
  for (const daysAgo of [40, 1]) {
    const body = { ts: clock.now() - daysAgo * DAY_MS, values: { a: daysAgo } };
    expect((await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body })).status).toBe(200);
  }
  expect(await fixture.app.services.retention.run()).toEqual({ pointsDeleted: 1 });
  clock.jump(40 * 365 * DAY_MS);
  expect(await fixture.app.services.retention.run()).toEqual({ pointsDeleted: 0 });
  await fixture.stop();
});
