import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const PASSWORD = "the first password 1";
let fixture: TestApp;
let count = 0;

beforeAll(async () => {
  fixture = await createTestApp();
});
afterAll(() => fixture.stop());

/** An owner with a password. */
async function owner() {
  const signedIn = await fixture.signIn("TENANT_OWNER");
  await fixture.app.services.provider.saveAccount(signedIn.user.email, PASSWORD);
  return { ...signedIn, newEmail: `new${++count}@there.example` };
}

const request = (token: string, body: unknown) =>
  fixture.call("POST", "/api/auth/email", { token, body, headers: { "accept-language": "de" } });

async function mailsTo(token: string, email: string) {
  const { body } = await fixture.call("GET", `/api/outbox?search=${email}`, { token });
  return body as Array<{ mailId: string; template: string; language: string }>;
}

/** Returns the path of the link in the newest mail to an address. */
async function linkTo(token: string, email: string): Promise<string> {
  const [mail] = await mailsTo(token, email);
  const { body } = await fixture.call("GET", `/api/outbox/${mail?.mailId}`, { token });
  return (
    /\/idp\/email\?[^\s"<]+/
      .exec(JSON.stringify(body))?.[0]
      .replaceAll("&amp;", "&")
      .replaceAll("\\\\", "") ?? ""
  );
}

const confirm = (link: string) => {
  const token = new URLSearchParams(link.split("?")[1]).get("token") ?? "";
  return fixture.call("POST", "/idp/email", {
    raw: new URLSearchParams({ token }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
};

const emailOf = async (token: string) => (await fixture.call("GET", "/api/auth/me", { token })).body.email;

test("nobody changes their own address by changing their user", async () => {
  const { user, token, newEmail } = await owner();
  const response = await fixture.call("PATCH", `/api/users/${user.userId}`, {
    token,
    body: { email: newEmail },
  });
  expect([response.status, response.body.code]).toEqual([403, "user.email_needs_proof"]);
  expect(await mailsTo(token, newEmail)).toEqual([]);
});

test("a new address needs the password, and takes effect when its link is confirmed; both addresses are told", async () => {
  const { user, token, newEmail } = await owner();
  const wrong = await request(token, { email: newEmail, password: "another password 1" });
  expect([wrong.status, wrong.body.code]).toEqual([400, "password.wrong"]);
  expect((await request(token, { email: newEmail, password: PASSWORD })).status).toBe(200);
  expect(await mailsTo(token, newEmail)).toMatchObject([{ template: "email_confirm", language: "de" }]);
  expect(await emailOf(token)).toBe(user.email);
  const link = await linkTo(token, newEmail);
  const page = await fixture.call("GET", link);
  expect([page.status, page.text.includes(newEmail)]).toEqual([200, true]);
  expect(await emailOf(token)).toBe(user.email);
  expect((await confirm(link)).status).toBe(200);
  expect(await emailOf(token)).toBe(newEmail);
  expect(await mailsTo(token, user.email)).toMatchObject([{ template: "email_changed" }]);
  expect((await mailsTo(token, newEmail))[0]).toMatchObject({ template: "email_new" });
  const [entry] = (
    await fixture.call("GET", `/api/audit?action=user.update&targetId=${user.userId}`, { token })
  ).body;
  expect([entry.before.email, entry.after.email]).toEqual([user.email, newEmail]);
  expect((await confirm(link)).status).toBe(404);
  expect((await fixture.call("GET", link)).status).toBe(404);
});

test("a link proves no other address, and none after the password was changed", async () => {
  const { token, newEmail } = await owner();
  await request(token, { email: newEmail, password: PASSWORD });
  const link = await linkTo(token, newEmail);
  const other = await owner();
  await request(other.token, { email: other.newEmail, password: PASSWORD });
  const otherLink = await linkTo(other.token, other.newEmail);
  const [mine, theirs] = [link, otherLink].map(
    (text) => new URLSearchParams(text.split("?")[1]).get("token") ?? "",
  );
  const mixed = `${mine?.split(".")[0]}.${theirs?.split(".")[1]}`;
  expect((await confirm(`?token=${mixed}`)).status).toBe(404);
  const change = { currentPassword: PASSWORD, newPassword: "quite another password 2" };
  expect((await fixture.call("POST", "/api/auth/password", { token, body: change })).status).toBe(200);
  expect((await confirm(link)).status).toBe(404);
});

test("an address of another user, and the change by somebody who is not an administrator, are refused", async () => {
  const { token } = await owner();
  const { user } = await owner();
  const taken = await request(token, { email: user.email, password: PASSWORD });
  expect([taken.status, taken.body.code]).toEqual([409, "user.email_taken"]);
  const writer = await fixture.signIn("TENANT_RW");
  const refused = await request(writer.token, { email: "w@there.example", password: PASSWORD });
  expect([refused.status, refused.body.code]).toEqual([403, "user.not_oneself"]);
});

test("with a second factor, its code is needed too", async () => {
  const { token, newEmail } = await owner();
  const { body } = await fixture.call("POST", "/api/auth/second-factor", {
    token,
    body: { password: PASSWORD },
  });
  const { Secret, TOTP } = await import("otpauth");
  const code = new TOTP({ secret: Secret.fromBase32(body.secret) }).generate();
  const enabled = await fixture.call("POST", "/api/auth/second-factor/confirm", { token, body: { code } });
  const [recoveryCode] = enabled.body.recoveryCodes;
  const without = await request(token, { email: newEmail, password: PASSWORD });
  expect([without.status, without.body.code]).toEqual([400, "second_factor.code_wrong"]);
  const proven = await request(token, { email: newEmail, password: PASSWORD, code: recoveryCode });
  expect(proven.status).toBe(200);
});

test("an administrator changes another user's address, and both addresses are told", async () => {
  const { token, newEmail } = await owner();
  const { user } = await fixture.signIn("TENANT_RW");
  const body = { email: newEmail };
  expect((await fixture.call("PATCH", `/api/users/${user.userId}`, { token, body })).status).toBe(200);
  expect(await mailsTo(token, user.email)).toMatchObject([{ template: "email_changed" }]);
  expect(await mailsTo(token, newEmail)).toMatchObject([{ template: "email_new" }]);
});
