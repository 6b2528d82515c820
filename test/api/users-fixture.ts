import { afterAll, beforeAll, expect } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

export let fixture: TestApp;

/** Access tokens by role; `stranger` is another tenant's owner. */
export const tokens: Record<string, string> = {};

export const ids: Record<string, string> = {};
export let deviceId = "";
export let otherTenantsDevice = "";
export const roles = ["TENANT_OWNER", "TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"] as const;
let counter = 0;

export const person = (fields: Record<string, unknown> = {}) => ({
  fullName: "Nina New",
  email: `nina${++counter}@plant.example`,
  role: "TENANT_RW",
  inviteDelivery: "MANUAL",
  ...fields,
});

export const create = (fields: Record<string, unknown> = {}, as = "TENANT_OWNER") =>
  fixture.call("POST", "/api/users", { token: tokens[as], body: person(fields) });

export const read = (userId: string, as = "TENANT_OWNER") =>
  fixture.call("GET", `/api/users/${userId}`, { token: tokens[as] });

export const change = (userId: string, body: unknown, as = "TENANT_OWNER") =>
  fixture.call("PATCH", `/api/users/${userId}`, { token: tokens[as], body });

export async function createUser(fields: Record<string, unknown> = {}): Promise<string> {
  const response = await create(fields);
  expect([response.status, response.text]).toEqual([201, expect.any(String)]);
  return response.body.userId;
}

/** Starts the app of a test file with a user of every role, a stranger and a device of each tenant. */
export function useUsers(): void {
  beforeAll(async () => {
    fixture = await createTestApp();
    for (const role of roles) {
      const { token, user } = await fixture.signIn(role);
      tokens[role] = token;
      ids[role] = user.userId;
    }
    const stranger = await fixture.signIn("TENANT_OWNER", { tenant: "two" });
    tokens.stranger = stranger.token;
    ids.stranger = stranger.user.userId;
    deviceId = (await fixture.createDevice(tokens.TENANT_OWNER as string)).deviceId;
    otherTenantsDevice = (await fixture.createDevice(tokens.stranger)).deviceId;
  });
  afterAll(() => fixture.stop());
}
