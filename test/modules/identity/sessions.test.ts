import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SessionId } from "../../../src/lib/core/ids.ts";
import { createTestApp, PASSWORD, type TestApp } from "../../support/test-app.ts";
import { WebSocketClient } from "../../support/websocket-client.ts";

let fixture: TestApp;
beforeAll(async () => {
  fixture = await createTestApp();
});
afterAll(() => fixture.stop());

const statusOf = async (token: string) => (await fixture.call("GET", "/api/auth/me", { token })).status;
const signIn = async (email: string, password = PASSWORD) =>
  (await fixture.call("POST", "/idp/authorize", { body: { email, password } })).status;

test("a user who is signed out everywhere loses every token and stream at once, and others lose none", async () => {
  const { token, user } = await fixture.signIn("TENANT_RW");
  const other = await fixture.signIn("TENANT_RW");
  const { code } = (
    await fixture.call("POST", "/idp/authorize", { body: { email: user.email, password: PASSWORD } })
  ).body;
  const second = (await fixture.call("POST", "/api/auth/exchange", { body: { code } })).body.accessToken;
  const stream = await WebSocketClient.signIn(fixture.app.url, second);
  fixture.app.services.sessions.endAll(user.userId);
  expect((await stream.closed).code).toBe(4401);
  expect([await statusOf(token), await statusOf(second), await statusOf(other.token)]).toEqual([
    401, 401, 200,
  ]);
});

test("one session can be kept", async () => {
  const { token, user } = await fixture.signIn("TENANT_RW");
  const { sessions } = fixture.app.services;
  const [kept] = sessions.list(user.userId);
  const other = sessions.start(user.userId, { address: "10.0.0.9", userAgent: "x" });
  sessions.endAll(user.userId, kept?.sessionId);
  expect(sessions.find(other.sessionId)).toBeUndefined();
  expect(await statusOf(token)).toBe(200);
});

test("of too many sessions the one that was used longest ago ends, and not because of who acts as the user", async () => {
  const { user } = await fixture.signIn("TENANT_RW");
  const owner = await fixture.signIn("TENANT_OWNER");
  const { sessions } = fixture.app.services;
  const [first] = sessions.list(user.userId);
  const [ofOwner] = sessions.list(owner.user.userId);
  const client = { address: "10.0.0.9", userAgent: "script" };
  for (let index = 0; index < 150; index++) sessions.start(user.userId, client, ofOwner);
  expect(sessions.find(first?.sessionId as SessionId)).toBeDefined();
  expect(sessions.list(user.userId)).toHaveLength(101);
  for (let index = 0; index < 150; index++) sessions.start(user.userId, client);
  expect(sessions.list(user.userId)).toHaveLength(200);
  expect(sessions.find(first?.sessionId as SessionId)).toBeUndefined();
});

test("an account that has been deleted opens nothing, one that has been renamed opens under its new address only", async () => {
  const { provider } = fixture.app.services;
  await provider.saveAccount("Old@plant.example", PASSWORD);
  provider.rename("old@plant.example", "New@plant.example");
  expect([provider.hasAccount("old@plant.example"), await signIn("old@plant.example")]).toEqual([false, 401]);
  expect(await signIn("new@plant.example")).toBe(200);
  provider.delete("new@plant.example");
  expect([provider.hasAccount("new@plant.example"), await signIn("new@plant.example")]).toEqual([false, 401]);
  provider.rename("nobody@plant.example", "somebody@plant.example");
  expect(provider.hasAccount("somebody@plant.example")).toBe(false);
});
