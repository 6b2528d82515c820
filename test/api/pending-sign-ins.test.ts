import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";

const NEW_PASSWORD = "seven green bottles 42";

let fixture: TestApp;
let owner: Awaited<ReturnType<TestApp["signIn"]>>;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = await fixture.signIn("TENANT_OWNER");
});
afterAll(() => fixture.stop());

type Person = Awaited<ReturnType<TestApp["signIn"]>>;
const codeOf = async ({ user }: Person, password = PASSWORD): Promise<string> =>
  (await fixture.call("POST", "/idp/authorize", { body: { email: user.email, password } })).body.code;
const exchange = async (code: string) =>
  (await fixture.call("POST", "/api/auth/exchange", { body: { code } })).status;
const asOwner = (method: string, path: string, body?: unknown) =>
  fixture.call(method, `/api/users${path}`, { token: owner.token, body });

describe("an authorization code that was not redeemed yet", () => {
  const endings: ReadonlyArray<[string, (person: Person) => Promise<unknown>]> = [
    [
      "another password",
      ({ token }) =>
        fixture.call("POST", "/api/auth/password", {
          token,
          body: { currentPassword: PASSWORD, newPassword: NEW_PASSWORD },
        }),
    ],
    [
      "a password by a link of a mail",
      async ({ user }) => {
        const secret = fixture.app.services.provider.createResetSecret(user.email) ?? "";
        await fixture.app.services.provider.resetPassword(secret, NEW_PASSWORD);
      },
    ],
    ["another invitation", ({ user }) => asOwner("POST", `/${user.userId}/invite/credentials`)],
    [
      "disabling, also once the user is enabled again",
      async ({ user }) => {
        await asOwner("PATCH", `/${user.userId}`, { status: "DISABLED" });
        await asOwner("PATCH", `/${user.userId}`, { status: "ACTIVE" });
      },
    ],
    ["another role", ({ user }) => asOwner("PATCH", `/${user.userId}`, { role: "TENANT_READ_ONLY" })],
    ["signing out everywhere else", ({ token }) => fixture.call("DELETE", "/api/auth/sessions", { token })],
    [
      "another address, also for who gets the one before",
      async ({ user }) => {
        await asOwner("PATCH", `/${user.userId}`, { email: `other-${user.email}` });
        await asOwner("POST", "", { email: user.email, fullName: "Next", role: "TENANT_OWNER" });
      },
    ],
    [
      "deleting, also for a new user of the same address",
      async ({ user }) => {
        await asOwner("DELETE", `/${user.userId}`);
        await asOwner("POST", "", { email: user.email, fullName: "Next", role: "TENANT_OWNER" });
      },
    ],
  ];
  for (const [name, end] of endings)
    test(`ends with ${name}`, async () => {
      const person = await fixture.signIn("TENANT_RW");
      const code = await codeOf(person);
      await end(person);
      expect(await exchange(code)).toBe(400);
    });

  test("of somebody whom an external provider vouched for ends with the user", async () => {
    const { users, provider } = fixture.app.services;
    const { tenantId } = owner.user;
    const fields = { tenantId, email: "external@there.example", fullName: "E", role: "TENANT_RW" } as const;
    const { userId } = users.create(fields);
    const code = provider.issueCode(fields.email, {});
    await asOwner("DELETE", `/${userId}`);
    users.create({ ...fields, role: "TENANT_OWNER" });
    expect(await exchange(code)).toBe(400);
  });
});

test("a link for a forgotten password ends with the address that it went to", async () => {
  const { user } = await fixture.signIn("TENANT_RW");
  const { provider } = fixture.app.services;
  const secret = provider.createResetSecret(user.email) ?? "";
  const link = `/idp/reset?token=${secret}`;
  expect((await fixture.call("GET", link)).status).toBe(200);
  await asOwner("PATCH", `/${user.userId}`, { email: `new-${user.email}` });
  expect((await fixture.call("GET", link)).status).toBe(404);
  const refused = await provider.resetPassword(secret, NEW_PASSWORD).catch(({ code }) => code);
  expect(refused).toBe("reset.invalid");
});

test("a link that is being used while the address changes changes no password", async () => {
  const { user } = await fixture.signIn("TENANT_RW");
  const { provider } = fixture.app.services;
  const secret = provider.createResetSecret(user.email) ?? "";
  const outcome = provider.resetPassword(secret, NEW_PASSWORD).then(
    () => "done",
    ({ code }) => code,
  );
  provider.rename(user.email, `newer-${user.email}`); // while the password is being hashed
  expect(await outcome).toBe("reset.invalid");
});
