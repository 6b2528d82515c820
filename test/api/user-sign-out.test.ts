import { describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { PASSWORD } from "../support/test-app.ts";
import { change, createUser, fixture, ids, tokens, useUsers } from "./users-fixture.ts";

useUsers();

describe("signing out", () => {
  const me = (token: string) => fixture.call("GET", "/api/auth/me", { token });

  for (const [subject, body] of Object.entries({
    disabling: { status: "DISABLED" },
    "another role": { role: "TENANT_READ_ONLY" },
  }))
    test(`${subject} ends the user's sessions at once`, async () => {
      const { token, user } = await fixture.signIn("TENANT_RW");
      expect((await change(user.userId, body)).status).toBe(200);
      const response = await me(token);
      expect([response.status, response.text]).toEqual([401, ""]);
    });

  test("a disabled user gets a reason after the right password, and signs in again when enabled", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    const enter = async () => {
      const { body } = await fixture.call("POST", "/idp/authorize", {
        body: { email: user.email, password: PASSWORD },
      });
      return fixture.call("POST", "/api/auth/exchange", { body: { code: body.code } });
    };
    await change(user.userId, { status: "DISABLED" });
    const refused = await enter();
    expect([refused.status, refused.body.message]).toEqual([
      400,
      "Your user is disabled. Ask an administrator of this site to enable it.",
    ]);
    await change(user.userId, { status: "ACTIVE" });
    expect((await enter()).status).toBe(200);
  });

  test("deleting ends the sessions and frees the address", async () => {
    const { token, user } = await fixture.signIn("TENANT_RW");
    const remove = () => fixture.call("DELETE", `/api/users/${user.userId}`, { token: tokens.TENANT_OWNER });
    expect(await remove()).toMatchObject({ status: 200, body: { success: true } });
    expect((await me(token)).status).toBe(401);
    expect((await remove()).status).toBe(404);
    expect(fixture.app.services.provider.hasAccount(user.email)).toBe(false);
    await createUser({ email: user.email });
  });

  test("a change that is none, or of another field, ends nothing", async () => {
    const { token, user } = await fixture.signIn("TENANT_RW");
    await change(user.userId, { role: "TENANT_RW", status: "ACTIVE", fullName: "Same Role" });
    expect((await me(token)).body).toMatchObject({ fullName: "Same Role" });
  });

  test("a new address signs in with the same password, the old one no longer", async () => {
    const { user } = await fixture.signIn("TENANT_RW");
    expect((await change(user.userId, { email: "moved@plant.example" })).status).toBe(200);
    const signIn = (email: string) =>
      fixture.call("POST", "/idp/authorize", { body: { email, password: PASSWORD } });
    expect((await signIn(user.email)).status).toBe(401);
    expect((await signIn("moved@plant.example")).status).toBe(200);
  });

  apiRows(
    () => fixture,
    [
      ...(["TENANT_RW", "TENANT_READ_ONLY"] as const).map((role) => ({
        name: `${role} may not delete users`,
        request: () => ({ method: "DELETE", path: `/api/users/${ids.TENANT_ADMIN}`, token: tokens[role] }),
        status: 403,
        answer: "error" as const,
      })),
      {
        name: "an administrator may not delete an owner",
        request: () => ({
          method: "DELETE",
          path: `/api/users/${ids.TENANT_OWNER}`,
          token: tokens.TENANT_ADMIN,
        }),
        status: 403,
        answer: "error",
      },
      {
        name: "the last owner cannot be deleted",
        request: () => ({
          method: "DELETE",
          path: `/api/users/${ids.TENANT_OWNER}`,
          token: tokens.TENANT_OWNER,
        }),
        status: 409,
        answer: "error",
      },
      {
        name: "nobody deletes themselves",
        request: () => ({
          method: "DELETE",
          path: `/api/users/${ids.TENANT_ADMIN}`,
          token: tokens.TENANT_ADMIN,
        }),
        status: 403,
        answer: "error",
      },
      {
        name: "another tenant's user is 404",
        request: () => ({
          method: "DELETE",
          path: `/api/users/${ids.stranger}`,
          token: tokens.TENANT_OWNER,
        }),
        status: 404,
        answer: "error",
      },
    ],
  );
});
