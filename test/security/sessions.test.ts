import { afterAll, beforeAll, expect, test } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LIFETIME_DAYS = 2;

let clock: FakeClock;
let fixture: TestApp;

beforeAll(async () => {
  clock = new FakeClock();
  fixture = await createTestApp({ clock, config: { session_days_max: LIFETIME_DAYS } });
});
afterAll(() => fixture.stop());

const isGood = async (token: string) => (await fixture.call("GET", "/api/auth/me", { token })).status === 200;
const refresh = (token: string) => fixture.call("POST", "/api/auth/refresh", { token });
const renewed = async (token: string) => (await refresh(token)).body.accessToken as string;

test("a session ends at its maximum age, however often it was renewed", async () => {
  let { token } = await fixture.signIn("TENANT_OWNER");
  for (let hours = 0; hours < LIFETIME_DAYS * 24 - 10; hours += 10) {
    clock.leap(10 * HOUR_MS);
    token = await renewed(token);
    expect(await isGood(token)).toBe(true);
  }
  clock.leap(10 * HOUR_MS);
  expect(await isGood(token)).toBe(false);
  expect((await refresh(token)).status).toBe(401);
});

test("a renewed token ends those before it, after an overlap for other tabs", async () => {
  const { token: first } = await fixture.signIn("TENANT_OWNER");
  clock.leap(HOUR_MS);
  const second = await renewed(first);
  expect([await isGood(first), await isGood(second)]).toEqual([true, true]);
  clock.leap(15 * MINUTE_MS);
  expect([await isGood(first), await isGood(second)]).toEqual([false, true]);
  expect((await refresh(first)).status).toBe(401);
  clock.leap(HOUR_MS);
  const third = await renewed(second);
  expect([await isGood(first), await isGood(second), await isGood(third)]).toEqual([false, true, true]);
});

test("two tabs that renew at once both stay signed in", async () => {
  const { token } = await fixture.signIn("TENANT_OWNER");
  clock.leap(HOUR_MS);
  const [text, other] = await Promise.all([renewed(token), renewed(token)]);
  clock.leap(30 * MINUTE_MS);
  expect([await isGood(text), await isGood(other), await isGood(token)]).toEqual([true, true, false]);
});
