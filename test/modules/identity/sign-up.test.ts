import { afterEach, beforeEach, expect, test } from "bun:test";
import { allRows } from "../../../src/platform/database/row-list.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";

const email = "nora@there.example";
const password = "seven green bottles 42";
let clock: FakeClock;
let fixture: TestApp;

beforeEach(async () => {
  clock = new FakeClock();
  fixture = await createTestApp({ clock, config: { signup: "open" } });
  await fixture.signIn("TENANT_OWNER");
});
afterEach(() => fixture.stop());

const post = (path: string, body: unknown, testApp = fixture) =>
  testApp.call("POST", `/api/auth/${path}`, { body });

/** Without a mail server the code is in the outbox, which the gateway's own people read. */
async function signUp(): Promise<string> {
  await post("signup", { email, password, fullName: "Nora", planId: "basic" });
  const { tenantId = null } = fixture.app.services.tenants.list()[0] ?? {};
  if (tenantId === null) throw new Error("there is no tenant");
  const found = fixture.app.services.mail.list(
    { tenantId, includesStrangers: true },
    { limit: 10, offset: 0 },
  );
  return String(allRows(found).find(({ recipient }) => recipient === email)?.values.code);
}

test("a code is good after a restart, its tries counted on", async () => {
  const otp = await signUp();
  const wrong = otp === "000000" ? "000001" : "000000";
  for (let index = 0; index < 4; index++) await post("verify-otp", { email, otp: wrong, password });
  await fixture.app.stop();
  const again = await createTestApp({ clock, directory: fixture.directory, config: { signup: "open" } });
  expect((await post("verify-otp", { email, otp: wrong, password }, again)).status).toBe(400);
  expect((await post("verify-otp", { email, otp, password }, again)).status).toBe(400);
  await again.app.stop();
});

test("a crash after the account was made, and before its user was, costs nothing but a try", async () => {
  const otp = await signUp();
  // The provider's file is another one than the service's: this is what is left in it.
  await fixture.app.services.provider.saveAccount(email, "what was typed before");
  const verified = await post("verify-otp", { email, otp, password });
  expect(verified.status).toBe(200);
  const signIn = (text: string) =>
    fixture.call("POST", "/idp/authorize", { body: { email, password: text } });
  expect((await signIn("what was typed before")).status).toBe(401);
  expect((await signIn(password)).status).toBe(200);
});

test("an account that nobody's user belongs to opens nothing", async () => {
  await fixture.app.services.provider.saveAccount(email, password);
  const { body } = await fixture.call("POST", "/idp/authorize", { body: { email, password } });
  expect((await post("exchange", { code: body.code })).status).toBe(400);
});

test("of two at once with one code, the one that is confirmed has the password", async () => {
  const otp = await signUp();
  const input = [password, "nine blue crates 77 x", password, "two grey pumps 13 z"];
  const responses = await Promise.all(
    input.map((each) => post("verify-otp", { email, otp, password: each })),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  for (const each of input) {
    const signedIn = await fixture.call("POST", "/idp/authorize", { body: { email, password: each } });
    expect([each, signedIn.status]).toEqual([each, each === password ? 200 : 401]);
  }
});
