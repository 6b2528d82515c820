import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { boolean, listOf, nullable, number, problemWith, text } from "./shapes.ts";

const HOUR_MS = 3_600_000;
const NEW_PASSWORD = "seven green bottles 42";
const clock = new FakeClock(Date.now());
let mail: MailServer;
let app: TestApp;
let userCount = 0;

beforeAll(async () => {
  mail = await startMailServer();
  app = await createTestApp({
    clock,
    config: { signup: "open", smtp_url: mail.url, smtp_from: "gateway@plant.example" },
  });
  await app.signIn("TENANT_OWNER");
});
afterAll(async () => {
  await app.stop();
  await mail.stop();
});
// Every request comes from one address, which has a limit of its own.
beforeEach(() => clock.leap(2 * HOUR_MS));

const post = (operation: string, body?: unknown) => app.call("POST", `/api/auth/${operation}`, { body });
const person = () => ({
  email: `new${++userCount}@there.example`,
  password: NEW_PASSWORD,
  fullName: "Nora New",
  planId: "basic",
});
/** The code in the newest mail to an address. */
async function readCode(email: string): Promise<string> {
  const newest = () => mail.received.findLast(({ recipients }) => recipients.includes(email));
  await until(() => newest() !== undefined, `a mail to ${email}`);
  return /\b\d{6}\b/.exec(newest()?.parsed.text ?? "")?.[0] ?? "";
}
async function signUp() {
  const { email, ...others } = person();
  const response = await post("signup", { ...others, email });
  expect([response.status, response.body]).toEqual([200, { success: true, expiresInSeconds: 600 }]);
  return { email, otp: await readCode(email) };
}
/** Signs up, confirms and signs in. */
async function newUser(): Promise<string> {
  const { email, otp } = await signUp();
  expect((await verify({ email, otp })).status).toBe(200);
  const { body } = await app.call("POST", "/idp/authorize", { body: { email, password: NEW_PASSWORD } });
  return (await post("exchange", { code: body.code })).body.accessToken;
}
const wrong = (otp: string) => (otp === "111111" ? "222222" : "111111");
const verify = (body: Record<string, unknown>) => post("verify-otp", { password: NEW_PASSWORD, ...body });
const expectError = (response: { status: number; body: unknown }, status: number) => {
  expect(response.status).toBe(status);
  expect(problemWith(response.body, { statusCode: status, error: text, message: text })).toBeUndefined();
};

describe("plans", () => {
  test("are public and name their limits", async () => {
    const { status, body } = await app.call("GET", "/api/plans");
    expect(status).toBe(200);
    const limits = {
      devices: nullable(number),
      users: nullable(number),
      retentionDays: nullable(number),
      messagesPerSecond: nullable(number),
    };
    expect(
      problemWith(body, listOf({ id: text, name: text, whitelabelEnabled: boolean, limits })),
    ).toBeUndefined();
  });

  test("that are listed can be chosen, and no others", async () => {
    const { body } = await app.call("GET", "/api/plans");
    for (const { id } of body) expect((await post("signup", { ...person(), planId: id })).status).toBe(200);
    expectError(await post("signup", { ...person(), planId: "no-such-plan" }), 400);
  });
});

describe("signup", () => {
  for (const field of ["email", "password", "fullName", "planId"])
    test(`requires ${field}`, async () => {
      const { [field]: _, ...body } = person() as Record<string, unknown>;
      const response = await post("signup", body);
      expectError(response, 400);
      expect(response.body.message).toContain(field);
    });
  for (const [name, fields] of Object.entries({
    "an address without @": { email: "nobody" },
    "a number as name": { fullName: 7 },
    "a short password": { password: "short" },
    "a common password": { password: "1234567890" },
  }))
    test(`refuses ${name} without an echo`, async () => {
      const response = await post("signup", { ...person(), ...fields });
      expectError(response, 400);
      expect(response.text).not.toContain(NEW_PASSWORD);
    });

  test("sends a code of 6 digits", async () => {
    const { otp } = await signUp();
    expect(otp).toMatch(/^\d{6}$/);
  });

  test("does not tell whether an address is known", async () => {
    const { email, otp } = await signUp();
    expect((await verify({ email, otp })).status).toBe(200);
    clock.leap(2 * HOUR_MS);
    const apiResponse = await post("signup", { ...person(), email });
    const unknown = await post("signup", person());
    expect([apiResponse.status, apiResponse.body]).toEqual([200, { success: true, expiresInSeconds: 600 }]);
    expect([unknown.status, unknown.body]).toEqual([apiResponse.status, apiResponse.body]);
  });
});

describe("verify-otp", () => {
  for (const field of ["email", "otp", "password"])
    test(`requires ${field}`, async () => {
      const { [field]: _, ...body } = {
        email: "a@b.example",
        otp: "123456",
        password: NEW_PASSWORD,
      } as Record<string, unknown>;
      expectError(await post("verify-otp", body), 400);
    });

  test("confirms the code, and the account signs in", async () => {
    const { email, otp } = await signUp();
    const before = await app.call("POST", "/idp/authorize", { body: { email, password: NEW_PASSWORD } });
    expect(before.status).toBeGreaterThanOrEqual(400);
    const response = await verify({ email, otp });
    expect([response.status, response.body]).toEqual([
      200,
      { success: true, planId: "basic", fullName: "Nora New", emailVerified: true },
    ]);
    const { body } = await app.call("POST", "/idp/authorize", { body: { email, password: NEW_PASSWORD } });
    expect(typeof body.code).toBe("string");
  });

  test("refuses a wrong code", async () => {
    const { email, otp } = await signUp();
    expectError(await verify({ email, otp: wrong(otp) }), 400);
    expect((await verify({ email, otp })).status).toBe(200);
  });

  test("refuses the right code after 5 wrong ones", async () => {
    const { email, otp } = await signUp();
    for (let tries = 0; tries < 5; tries++)
      expect((await verify({ email, otp: wrong(otp) })).status).toBe(400);
    expect((await verify({ email, otp })).status).toBeOneOf([400, 429]);
  });

  for (const [minutes, status] of [
    [9, 200],
    [11, 400],
  ] as const)
    test(`answers ${status} for a code that is ${minutes} min old`, async () => {
      const { email, otp } = await signUp();
      clock.advance(minutes * 60_000);
      expect((await verify({ email, otp })).status).toBe(status);
    });
});

describe("resend-otp", () => {
  test("requires email", async () => expectError(await post("resend-otp", {}), 400));

  test("answers the same for a known and an unknown address", async () => {
    const { email } = await signUp();
    clock.advance(61_000);
    const apiResponse = await post("resend-otp", { email });
    const unknown = await post("resend-otp", { email: "nobody@there.example" });
    expect([apiResponse.status, apiResponse.body]).toEqual([200, { success: true }]);
    expect([unknown.status, unknown.body]).toEqual([200, { success: true }]);
    expect(await readCode(email)).toMatch(/^\d{6}$/);
  });

  test("is limited to one a minute and five an hour", async () => {
    const email = `never${++userCount}@there.example`;
    expect((await post("resend-otp", { email })).status).toBe(200);
    const early = await post("resend-otp", { email });
    expectError(early, 429);
    expect(Number(early.headers.get("retry-after"))).toBeWithin(1, 61);
    for (let sent = 1; sent < 5; sent++) {
      clock.advance(61_000);
      expect((await post("resend-otp", { email })).status).toBe(200);
    }
    clock.advance(61_000);
    expectError(await post("resend-otp", { email }), 429);
    clock.leap(HOUR_MS);
    expect((await post("resend-otp", { email })).status).toBe(200);
  });
});

describe("onboarding", () => {
  const me = { userId: text, email: text, tenantId: text, role: "TENANT_OWNER", onboardingRequired: false };
  const onboard = (token: string, body?: unknown) =>
    app.call("POST", "/api/auth/onboarding", { token, body });

  test("gives the session its tenant", async () => {
    const token = await newUser();
    const before = await app.call("GET", "/api/auth/me", { token });
    expect(before.body.onboardingRequired).toBe(true);
    const response = await onboard(token, {
      fullName: "Nora N",
      tenantName: "Nora's",
      planId: "basic",
      role: "TENANT_OWNER",
    });
    expect(response.status).toBe(200);
    expect(problemWith(response.body, me)).toBeUndefined();
    expect((await app.call("GET", "/api/auth/me", { token })).body).toEqual(response.body);
    const profile = await app.call("GET", "/api/tenant/profile", { token });
    const { tenantId } = response.body;
    expect(
      problemWith(profile.body, { tenantId, tenantName: "Nora's", planName: text, whitelabelEnabled: false }),
    ).toBeUndefined();
  });

  for (const [name, body] of [
    ["without a body", undefined],
    ["with an empty one", {}],
  ])
    test(`needs no field: ${name}`, async () => {
      const response = await onboard(await newUser(), body);
      expect(`${response.status} ${problemWith(response.body, me) ?? "as the current user"}`).toBe(
        "200 as the current user",
      );
    });

  test("refuses fields that are no texts", async () => {
    const token = await newUser();
    for (const field of ["fullName", "tenantName", "planId", "role"])
      expectError(await onboard(token, { [field]: { toString: 1 } }), 400);
  });

  test("is done once: 409", async () => {
    const token = await newUser();
    expect((await onboard(token)).status).toBe(200);
    expectError(await onboard(token), 409);
  });
});

test("sign-up is closed unless it is opened: 403", async () => {
  const closed = await createTestApp();
  try {
    const response = await closed.call("POST", "/api/auth/signup", { body: person() });
    expectError(response, 403);
  } finally {
    await closed.stop();
  }
});
