import { describe, expect, test } from "bun:test";
import { createTestApp, PASSWORD } from "../support/test-app.ts";
import {
  clock,
  fixture,
  MINUTE_MS,
  mailServer,
  NEW_PASSWORD,
  person,
  post,
  readCode,
  signUp,
  useSignUp,
} from "./sign-up-fixture.ts";

useSignUp();

describe("limits and silence", () => {
  test("one mail a minute and 5 an hour: 429 with the time to wait", async () => {
    const { email } = await signUp();
    const tooSoon = await post("resend-otp", { email });
    expect(tooSoon.status).toBe(429);
    expect(tooSoon.headers.get("retry-after")).toBe("60");
    expect(tooSoon.body).toMatchObject({
      statusCode: 429,
      message: "Too many sign-up requests came. Try again later.",
    });
    for (let index = 0; index < 5; index++) {
      clock.advance(MINUTE_MS);
      expect((await post("resend-otp", { email })).status).toBe(200);
      await readCode();
    }
    clock.advance(MINUTE_MS);
    const sixth = await post("resend-otp", { email });
    expect(sixth.status).toBe(429);
    expect(sixth.headers.get("retry-after")).toBe(String(55 * 60));
  });

  test("a known address and an unknown one get the same answers and the same limits", async () => {
    const existing = (await fixture.signIn("TENANT_RW")).user.email;
    const transcript = async (email: string) => {
      const responses = [await post("signup", person({ email })), await post("signup", person({ email }))];
      clock.advance(MINUTE_MS);
      responses.push(
        await post("resend-otp", { email }),
        await post("resend-otp", { email }),
        await post("verify-otp", { email, otp: "123456", password: NEW_PASSWORD }),
      );
      const notified = ["retry-after", "content-type", "content-length"];
      return responses.map(({ status, text, headers }) => [
        status,
        text,
        ...notified.map((name) => headers.get(name)),
      ]);
    };
    const ofKnown = await transcript(existing);
    expect(ofKnown.map(([status]) => status)).toEqual([200, 429, 200, 429, 400]);
    expect(await transcript(person().email)).toEqual(ofKnown);
    const mails = [await mailServer.next(), await mailServer.next(), await mailServer.next()];
    expect(mails.map(({ recipients, parsed }) => [recipients[0] === existing, parsed.subject])).toEqual([
      [true, "You have a Lineside account already"],
      [false, "Your Lineside code"],
      [false, "Your Lineside code"],
    ]);
    // And the account is as it was.
    expect(
      (await fixture.call("POST", "/idp/authorize", { body: { email: existing, password: PASSWORD } }))
        .status,
    ).toBe(200);
  });

  test("a link in a mail never leads where the sender of the request wanted", async () => {
    const email = (await fixture.signIn("TENANT_RW")).user.email;
    const { port } = new URL(fixture.app.url);
    await post("signup", person({ email: email }), { host: `evil.example:${port}` });
    const { text } = (await mailServer.next()).parsed;
    expect(text).toContain("http://");
    expect(text).not.toContain("evil.example");
  });

  test("an account that appears while a code is out makes the code worthless", async () => {
    const { email, otp } = await signUp();
    await fixture.app.services.provider.setTemporaryPassword(email, "temporary 12345 xyz");
    fixture.app.services.users.create({ tenantId: null, email, fullName: "Invited", role: "TENANT_RW" });
    expect((await post("verify-otp", { email, otp, password: NEW_PASSWORD })).status).toBe(400);
    const signIn = await fixture.call("POST", "/idp/authorize", { body: { email, password: NEW_PASSWORD } });
    expect(signIn.status).toBe(401);
  });

  test("one host cannot sign up the world", async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 40; index++) statuses.push((await post("signup", person())).status);
    expect(statuses.slice(0, 30)).toEqual(Array(30).fill(200));
    expect(statuses.at(-1)).toBe(429);
    expect((await post("signup", person())).body.message).toBe(
      "Too many sign-up requests came. Try again later.",
    );
    for (let index = 0; index < 30; index++) await mailServer.next();
  });
});

test("a closed sign-up answers 403 to everything", async () => {
  const closed = await createTestApp();
  try {
    const { user } = await closed.signIn("TENANT_OWNER");
    const calls = {
      signup: person(),
      "resend-otp": { email: "a@b.example" },
      "verify-otp": { email: "a@b.example", otp: "123456", password: NEW_PASSWORD },
    };
    for (const [path, body] of Object.entries(calls)) {
      const response = await closed.call("POST", `/api/auth/${path}`, { body });
      expect([response.status, response.body.statusCode]).toEqual([403, 403]);
    }
    closed.app.services.users.create({
      tenantId: null,
      email: "late@b.example",
      fullName: "Late",
      role: "TENANT_OWNER",
    });
    await closed.app.services.provider.saveAccount("late@b.example", NEW_PASSWORD);
    const { body } = await closed.call("POST", "/idp/authorize", {
      body: { email: "late@b.example", password: NEW_PASSWORD },
    });
    const token = (await closed.call("POST", "/api/auth/exchange", { body })).body.accessToken;
    expect((await closed.call("POST", "/api/auth/onboarding", { token, body: {} })).status).toBe(403);
    expect(user.tenantId).not.toBeNull();
  } finally {
    await closed.stop();
  }
});

test("a plan without limits is for strangers only where the operator offers it", async () => {
  const responses: unknown[] = [];
  for (const config of [{}, { signup_plans: "basic,onprem" }]) {
    const open = await createTestApp({ config: { signup: "open", ...config } });
    await open.signIn("TENANT_OWNER");
    const { status, body } = await open.call("POST", "/api/auth/signup", {
      body: person({ planId: "onprem" }),
    });
    responses.push([status, body.message ?? ""]);
    await open.stop();
  }
  expect(responses).toEqual([
    [400, expect.stringMatching(/^`planId` must be the ID of a plan that .api.plans lists\.$/)],
    [200, ""],
  ]);
});

test("strangers select one of the offered plans, and no other", async () => {
  const limited = await createTestApp({ config: { signup: "open", signup_plans: "basic" } });
  try {
    await limited.signIn("TENANT_OWNER");
    const plans = (await limited.call("GET", "/api/plans")).body;
    expect(plans.map(({ id }: { id: string }) => id)).toEqual(["basic"]);
    const signUpFor = async (planId: string) =>
      (await limited.call("POST", "/api/auth/signup", { body: person({ planId }) })).status;
    expect([await signUpFor("onprem"), await signUpFor("basic")]).toEqual([400, 200]);
    limited.app.services.users.create({
      tenantId: null,
      email: "late@b.example",
      fullName: "Late",
      role: "TENANT_OWNER",
    });
    await limited.app.services.provider.saveAccount("late@b.example", NEW_PASSWORD);
    const { body } = await limited.call("POST", "/idp/authorize", {
      body: { email: "late@b.example", password: NEW_PASSWORD },
    });
    const token = (await limited.call("POST", "/api/auth/exchange", { body })).body.accessToken;
    const onboard = (input: unknown) => limited.call("POST", "/api/auth/onboarding", { token, body: input });
    expect((await onboard({ planId: "onprem" })).status).toBe(400);
    const { tenantId } = (await onboard({})).body;
    expect(limited.app.services.tenants.find(tenantId)?.planName).toBe("basic");
  } finally {
    await limited.stop();
  }
});

test("a gateway without an owner takes no sign-up", async () => {
  const fresh = await createTestApp({ config: { signup: "open" } });
  try {
    expect((await fresh.call("POST", "/api/auth/signup", { body: person() })).status).toBe(403);
  } finally {
    await fresh.stop();
  }
});
