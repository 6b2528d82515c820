import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { allRows } from "../../src/platform/database/row-list.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: Awaited<ReturnType<TestApp["signIn"]>>;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = await fixture.signIn("TENANT_OWNER");
});
afterAll(() => fixture.stop());

test("there is no moment at which a power cut leaves a new user without account and mail", async () => {
  const { users, provider, mail } = fixture.app.services;
  const { tenantId } = owner.user;
  if (tenantId === null) throw new Error("the owner has no tenant");
  const mailsTo = (email: string) =>
    allRows(mail.list({ tenantId, includesStrangers: false }, { limit: 10, offset: 0 })).filter(
      ({ recipient }) => recipient === email,
    ).length;
  const email = "nina@one.example";
  let isOver = false;
  const creating = fixture
    .call("POST", "/api/users", {
      token: owner.token,
      body: { email, fullName: "Nina", role: "TENANT_RW", inviteDelivery: "EMAIL" },
    })
    .finally(() => {
      isOver = true;
    });
  while (!isOver) {
    if (users.findByEmail(email) !== undefined)
      expect([provider.hasAccount(email), mailsTo(email)]).toEqual([true, 1]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await creating).status).toBe(201);
  expect([provider.hasAccount(email), mailsTo(email)]).toEqual([true, 1]);
});

test("of two at once for one address one is made, with the password that its answer tells", async () => {
  const email = "otto@one.example";
  const create = () =>
    fixture.call("POST", "/api/users", {
      token: owner.token,
      body: { email, fullName: "Otto", role: "TENANT_RW", inviteDelivery: "MANUAL" },
    });
  const responses = await Promise.all([create(), create()]);
  expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
  const password = responses.find(({ status }) => status === 201)?.body.temporaryPassword;
  const body = { email, password, newPassword: "seven green bottles 42" };
  expect((await fixture.call("POST", "/idp/authorize", { body })).status).toBe(200);
});

test("an administrator gets no password of a user who becomes an owner while it is made", async () => {
  const admin = (await fixture.signIn("TENANT_ADMIN", { tenant: "One" })).token;
  const boss = (await fixture.signIn("TENANT_OWNER", { tenant: "One" })).token;
  const { body: user } = await fixture.call("POST", "/api/users", {
    token: boss,
    body: { email: "otis@one.example", fullName: "Otis", role: "TENANT_RW", inviteDelivery: "MANUAL" },
  });
  const { provider } = fixture.app.services;
  const prepare = provider.prepareTemporaryPassword.bind(provider);
  const prepared = spyOn(provider, "prepareTemporaryPassword").mockImplementation(async (...input) => {
    const change = { token: boss, body: { role: "TENANT_OWNER" } };
    expect((await fixture.call("PATCH", `/api/users/${user.userId}`, change)).status).toBe(200);
    return prepare(...input);
  });
  const invited = await fixture.call("POST", `/api/users/${user.userId}/invite/credentials`, {
    token: admin,
  });
  prepared.mockRestore();
  expect(invited.status).toBe(403);
  const body = { email: user.email, password: user.temporaryPassword, newPassword: "seven green bottles 43" };
  expect((await fixture.call("POST", "/idp/authorize", { body })).status).toBe(200);
});
