import { afterAll, beforeAll } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

export const roles = ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"] as const;
type Role = (typeof roles)[number];
export let fixture: TestApp;
const tokens: Partial<Record<Role, string>> = {};

/** On a plan without whitelabeling. */
export let plain: { token: string; tenantId: string };

export let stranger: string;
export let tenantId: string;
export const as = (role: Role) => tokens[role] as string;

export const set = (token: string | undefined, body: unknown) => ({
  method: "POST",
  path: "/api/tenant-attributes",
  token,
  body,
});

/** Starts the app of a test file with a user of every role, a tenant on a plan without whitelabeling and a stranger. */
export function useTenants(): void {
  beforeAll(async () => {
    fixture = await createTestApp();
    for (const role of roles) {
      const { token, user } = await fixture.signIn(role);
      tokens[role] = token;
      tenantId = user.tenantId as string;
    }
    stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
    const signedIn = await fixture.signIn("TENANT_OWNER", { tenant: "plain", plan: "basic" });
    plain = { token: signedIn.token, tenantId: signedIn.user.tenantId as string };
  });
  afterAll(() => fixture.stop());
}
