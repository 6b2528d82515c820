import { describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import {
  clock,
  fixture,
  HOUR_MS,
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

async function signInAs(email: string, password = NEW_PASSWORD): Promise<string> {
  const { body } = await fixture.call("POST", "/idp/authorize", { body: { email, password } });
  return (await post("exchange", { code: body.code })).body.accessToken;
}

const wrong = (otp: string) => (otp === "000000" ? "000001" : "000000");

describe("a person who signs up", () => {
  test("signs up, confirms the code, signs in and creates a tenant, with one token", async () => {
    const newUser = person({ email: "  Nora@There.example " });
    const response = await post("signup", newUser, { "accept-language": "de-AT" });
    expect([response.status, response.body]).toEqual([200, { success: true, expiresInSeconds: 600 }]);
    const mail = await mailServer.next();
    expect(mail.recipients).toEqual(["nora@there.example"]);
    expect(mail.parsed.text).toContain("Guten Tag Nora New,");
    const otp = /\b\d{6}\b/.exec(mail.parsed.text ?? "")?.[0];

    const { provider, users } = fixture.app.services;
    expect(provider.hasAccount("nora@there.example")).toBe(false); // the password opens nothing yet
    expect(users.findByEmail("nora@there.example")).toBeUndefined();

    const verified = await post("verify-otp", { email: newUser.email, otp, password: NEW_PASSWORD });
    expect([verified.status, verified.body]).toEqual([
      200,
      { success: true, planId: "basic", fullName: "Nora New", emailVerified: true },
    ]);

    const token = await signInAs("nora@there.example");
    const me = (await fixture.call("GET", "/api/auth/me", { token })).body;
    expect(me).toMatchObject({
      userId: expect.any(String),
      email: "nora@there.example",
      fullName: "Nora New",
      onboardingRequired: true,
    });
    expect(me.tenantId).toBeUndefined();
    expect(me.role).toBeUndefined();
    expect((await fixture.call("GET", "/api/devices", { token })).status).toBe(403);

    const onboarded = await fixture.call("POST", "/api/auth/onboarding", {
      token,
      body: { tenantName: "There & Co", role: "TENANT_READ_ONLY" },
    });
    expect(onboarded.status).toBe(200);
    expect(onboarded.body).toMatchObject({
      userId: me.userId,
      email: me.email,
      tenantId: expect.any(String),
      tenantName: "There & Co",
      role: "TENANT_OWNER",
      onboardingRequired: false,
    });
    // The session, not the token, is the authority.
    expect((await fixture.call("GET", "/api/devices", { token })).body).toEqual([]);
    expect(await fixture.createDevice(token)).toMatchObject({ deviceId: expect.any(String) });
    const again = await fixture.call("POST", "/api/auth/onboarding", { token, body: {} });
    expect(again.status).toBe(409);
  });

  test("has the plan and the name of the sign-up where onboarding names none", async () => {
    const { email, otp } = await signUp(person({ planId: "onprem" }));
    await post("verify-otp", { email, otp, password: NEW_PASSWORD });
    const token = await signInAs(email);
    const { body } = await fixture.call("POST", "/api/auth/onboarding", { token, body: {} });
    expect(body).toMatchObject({ tenantName: "Nora New", role: "TENANT_OWNER" });
    const tenant = fixture.app.services.tenants.list().find(({ tenantId }) => tenantId === body.tenantId);
    expect(tenant).toMatchObject({ planName: "onprem", isHost: false });
  });

  test("creates one tenant by two onboardings at once", async () => {
    const { email, otp } = await signUp();
    await post("verify-otp", { email, otp, password: NEW_PASSWORD });
    const token = await signInAs(email);
    const before = fixture.app.services.tenants.list().length;
    const responses = await Promise.all(
      ["A", "B"].map((tenantName) =>
        fixture.call("POST", "/api/auth/onboarding", { token, body: { tenantName } }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(fixture.app.services.tenants.list().length).toBe(before + 1);
  });

  test("an unknown plan at onboarding is 400 and makes nothing", async () => {
    const { email, otp } = await signUp();
    await post("verify-otp", { email, otp, password: NEW_PASSWORD });
    const token = await signInAs(email);
    const response = await fixture.call("POST", "/api/auth/onboarding", { token, body: { planId: "gold" } });
    expect(response.status).toBe(400);
    expect((await fixture.call("GET", "/api/auth/me", { token })).body.onboardingRequired).toBe(true);
  });

  test("has the password of the sign-up: verify-otp refuses any other one", async () => {
    const { email, otp } = await signUp(person({ password: "the first one 1234" }));
    const other = await post("verify-otp", { email, otp, password: NEW_PASSWORD });
    expect([other.status, other.body.message]).toEqual([
      400,
      expect.stringContaining("differs from the password given at sign-up"),
    ]);
    expect(fixture.app.services.provider.hasAccount(email)).toBe(false);
    const right = await post("verify-otp", { email, otp, password: "the first one 1234" });
    expect(right.status).toBe(200);
    expect(await signInAs(email, "the first one 1234")).toBeString();
  });

  test("has the password of the newest sign-up", async () => {
    const input = person({ password: "the first one 1234" });
    await signUp(input);
    clock.advance(MINUTE_MS);
    const { email, otp } = await signUp({ ...input, password: NEW_PASSWORD });
    expect((await post("verify-otp", { email, otp, password: input.password })).status).toBe(400);
    expect((await post("verify-otp", { email, otp, password: NEW_PASSWORD })).status).toBe(200);
  });

  test("learns of a wrong password only together with the right code, and pays with a try", async () => {
    const { email, otp } = await signUp();
    const guess = { email, otp: wrong(otp), password: "nine blue crates 77 x" };
    expect((await post("verify-otp", guess)).body.message).toStartWith("`otp` is wrong");
    for (let index = 0; index < 4; index++) await post("verify-otp", { ...guess, otp });
    expect((await post("verify-otp", { email, otp, password: NEW_PASSWORD })).status).toBe(400);
  });

  test("can confirm a code that is sent again a day later", async () => {
    const { email } = await signUp();
    for (let hours = 0; hours < 40; hours += 20) {
      clock.leap(20 * HOUR_MS);
      await post("resend-otp", { email });
      if (hours === 0) await readCode();
    }
    const otp = await readCode();
    expect((await post("verify-otp", { email, otp, password: NEW_PASSWORD })).status).toBe(200);
  });

  test("leaves no password in the service's own database", async () => {
    const secret = "kingfisher on a wire 93";
    const { email, otp } = await signUp(person({ password: secret }));
    await post("verify-otp", { email, otp, password: secret });
    for (const name of ["lineside.db", "lineside.db-wal", "identity.db", "identity.db-wal"])
      expect(await Bun.file(`${fixture.directory}/${name}`).text()).not.toContain(secret);
  });
});

describe("an invalid request", () => {
  const invalid = (name: string, path: string, body: unknown) => ({
    name,
    request: () => ({ method: "POST", path: `/api/auth/${path}`, body }),
    status: 400,
    answer: "error" as const,
  });
  apiRows(
    () => fixture,
    [
      ...["email", "password", "fullName", "planId"].map((field) =>
        invalid(`signup without ${field} is 400`, "signup", person({ [field]: undefined })),
      ),
      invalid("signup with something that is no address is 400", "signup", person({ email: "nora" })),
      invalid(
        "an address cannot bring headers of its own",
        "signup",
        person({ email: "a@b.c\r\nBcc:x@y.z" }),
      ),
      invalid("nor can a name", "signup", person({ fullName: "Nora\r\nBcc: x@y.z" })),
      invalid("a name of blanks is 400", "signup", person({ fullName: "  " })),
      invalid("an unknown plan is 400", "signup", person({ planId: "gold" })),
      invalid("a short password is 400", "signup", person({ password: "short" })),
      invalid("a password that everybody uses is 400", "signup", person({ password: "Password123" })),
      invalid("resend-otp without email is 400", "resend-otp", {}),
      ...["email", "otp", "password"].map((field) =>
        invalid(`verify-otp without ${field} is 400`, "verify-otp", {
          email: "a@b.example",
          otp: "123456",
          password: NEW_PASSWORD,
          [field]: undefined,
        }),
      ),
      invalid("a code that is not 6 digits is 400", "verify-otp", {
        email: "a@b.example",
        otp: "12345a",
        password: NEW_PASSWORD,
      }),
      invalid("a code for an address that did not sign up is 400", "verify-otp", {
        email: "nobody@there.example",
        otp: "123456",
        password: NEW_PASSWORD,
      }),
      {
        name: "onboarding without a credential is 401 without a body",
        request: () => ({ method: "POST", path: "/api/auth/onboarding", body: {} }),
        status: 401,
        answer: "none",
      },
    ],
  );

  test("a password that is refused is not echoed", async () => {
    const { text } = await post("signup", person({ password: "ab12" }));
    expect(text).not.toContain("ab12");
  });
});

describe("the code", () => {
  test("is wrong after 5 wrong tries, also when it is right", async () => {
    const { email, otp } = await signUp();
    for (let index = 0; index < 5; index++)
      expect((await post("verify-otp", { email, otp: wrong(otp), password: NEW_PASSWORD })).status).toBe(400);
    expect((await post("verify-otp", { email, otp, password: NEW_PASSWORD })).status).toBe(400);
    expect(fixture.app.services.provider.hasAccount(email)).toBe(false);
  });

  test("is good at the fifth try", async () => {
    const { email, otp } = await signUp();
    for (let index = 0; index < 4; index++)
      await post("verify-otp", { email, otp: wrong(otp), password: NEW_PASSWORD });
    expect((await post("verify-otp", { email, otp, password: NEW_PASSWORD })).status).toBe(200);
  });

  test("is good for 10 minutes, whatever the clock on the wall does", async () => {
    const [early, late] = [await signUp(), await signUp()];
    clock.jump(365 * 24 * HOUR_MS);
    clock.advance(10 * MINUTE_MS - 1);
    expect((await post("verify-otp", { ...early, password: NEW_PASSWORD })).status).toBe(200);
    clock.advance(1);
    expect((await post("verify-otp", { ...late, password: NEW_PASSWORD })).status).toBe(400);
  });

  test("works once, also for two at once", async () => {
    const { email, otp } = await signUp();
    const responses = await Promise.all(
      [1, 2].map(() => post("verify-otp", { email, otp, password: NEW_PASSWORD })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await post("verify-otp", { email, otp, password: NEW_PASSWORD })).status).toBe(400);
  });

  test("that a weak password comes with is not used up", async () => {
    const { email, otp } = await signUp();
    for (let index = 0; index < 6; index++)
      expect((await post("verify-otp", { email, otp, password: "short" })).status).toBe(400);
    expect((await post("verify-otp", { email, otp, password: NEW_PASSWORD })).status).toBe(200);
  });

  test("of another address does not fit", async () => {
    const [first, second] = [await signUp(), await signUp()];
    const swapped = await post("verify-otp", { email: first.email, otp: second.otp, password: NEW_PASSWORD });
    expect(swapped.status).toBe(second.otp === first.otp ? 200 : 400);
  });

  test("that is sent again replaces the one before and is good for 10 minutes more", async () => {
    const { email, otp } = await signUp();
    clock.advance(9 * MINUTE_MS);
    expect((await post("resend-otp", { email })).body).toEqual({ success: true });
    const next = await readCode();
    clock.advance(9 * MINUTE_MS);
    if (next !== otp)
      expect((await post("verify-otp", { email, otp, password: NEW_PASSWORD })).status).toBe(400);
    expect((await post("verify-otp", { email, otp: next, password: NEW_PASSWORD })).status).toBe(200);
  });

  test("that has expired can be sent anew", async () => {
    const { email } = await signUp();
    clock.leap(2 * HOUR_MS);
    await post("resend-otp", { email });
    const otp = await readCode();
    expect((await post("verify-otp", { email, otp, password: NEW_PASSWORD })).status).toBe(200);
  });
});
