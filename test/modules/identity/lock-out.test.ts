import { afterEach, beforeEach, expect, test } from "bun:test";
import { FakeClock } from "../../support/fake-clock.ts";
import { createTestApp, PASSWORD, type TestApp } from "../../support/test-app.ts";

const YEAR_MS = 365 * 24 * 3_600_000;
let clock: FakeClock;
let fixture: TestApp;
let email: string;

beforeEach(async () => {
  clock = new FakeClock(Date.now());
  fixture = await createTestApp({ clock });
  email = (await fixture.signIn("TENANT_OWNER")).user.email;
});
afterEach(() => fixture.stop());

const signIn = (password: string, testApp = fixture) =>
  testApp.call("POST", "/idp/authorize", { body: { email, password } });
async function lockOut(): Promise<void> {
  for (let index = 0; index < 10; index++) await signIn(`wrong ${index} long enough`);
  expect((await signIn(PASSWORD)).status).toBe(429);
}

test("a lock-out ends after its time", async () => {
  await lockOut();
  clock.advance(16 * 60_000);
  expect((await signIn(PASSWORD)).status).toBe(200);
});

test("setting the clock forward ends no lock-out", async () => {
  await lockOut();
  clock.jump(YEAR_MS);
  expect((await signIn(PASSWORD)).status).toBe(429);
});

test("setting the clock back makes no lock-out last", async () => {
  await lockOut();
  clock.jump(-YEAR_MS);
  clock.advance(16 * 60_000);
  expect((await signIn(PASSWORD)).status).toBe(200);
});

test("a lock-out ends in time after a restart with a clock that is a year behind", async () => {
  await lockOut();
  await fixture.app.stop();
  const clockSetBack = new FakeClock(Date.now() - YEAR_MS);
  const again = await createTestApp({ clock: clockSetBack, directory: fixture.directory });
  expect((await signIn(PASSWORD, again)).status).toBe(429);
  clockSetBack.advance(16 * 60_000);
  expect((await signIn(PASSWORD, again)).status).toBe(200);
  await again.app.stop();
});

test("a code is good for its minute whatever the clock is set to", async () => {
  const { body } = await signIn(PASSWORD);
  clock.jump(YEAR_MS);
  const exchange = (code: string) => fixture.call("POST", "/api/auth/exchange", { body: { code } });
  expect((await exchange(body.code)).status).toBe(200);
  const { body: late } = await signIn(PASSWORD);
  clock.jump(-2 * YEAR_MS);
  clock.advance(61_000);
  expect((await exchange(late.code)).status).toBe(400);
});
