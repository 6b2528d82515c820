import { expect, test } from "bun:test";
import { FakeClock } from "../../support/fake-clock.ts";
import { createTestApp } from "../../support/test-app.ts";

test("a setup link from a gateway that booted in 1970 is good for its half hour though the clock is set meanwhile", async () => {
  const clock = new FakeClock(0);
  const fixture = await createTestApp({ clock });
  const link = `/api/setup?token=${fixture.app.services.setup.createLink()}`;
  clock.jump(Date.parse("2026-03-10T00:00:00Z"));
  clock.advance(29 * 60_000);
  expect((await fixture.call("GET", link)).status).toBe(200);
  clock.advance(2 * 60_000);
  expect((await fixture.call("GET", link)).status).toBe(404);
  await fixture.stop();
});
