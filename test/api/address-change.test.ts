import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
beforeAll(async () => {
  fixture = await createTestApp();
});
afterAll(() => fixture.stop());

test("another address is told to the one before, in the language of the request, and kept in the audit log", async () => {
  const { user, token } = await fixture.signIn("TENANT_OWNER");
  const path = `/api/users/${user.userId}`;
  const patch = (body: unknown) =>
    fixture.call("PATCH", path, { token, body, headers: { "accept-language": "de" } });
  const mailsTo = async (email: string) =>
    (await fixture.call("GET", `/api/outbox?search=${email}`, { token })).body;
  await patch({ fullName: "Olga" });
  expect(await mailsTo(user.email)).toEqual([]);
  const email = "olga@there.example";
  expect((await patch({ email })).status).toBe(200);
  expect(await mailsTo(user.email)).toMatchObject([{ template: "email_changed", language: "de" }]);
  const [entry] = (
    await fixture.call("GET", `/api/audit?action=user.update&targetId=${user.userId}`, { token })
  ).body;
  expect([entry.before.email, entry.after.email]).toEqual([user.email, email]);
});
