import { afterAll, beforeAll, expect, test } from "bun:test";
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
    mail
      .list({ tenantId, includesStrangers: false }, { limit: 10, offset: 0 })
      .items.filter(({ recipient }) => recipient === email).length;
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
  const answers = await Promise.all([create(), create()]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  const password = answers.find(({ status }) => status === 201)?.body.temporaryPassword;
  const body = { email, password, newPassword: "seven green bottles 42" };
  expect((await fixture.call("POST", "/idp/authorize", { body })).status).toBe(200);
});
