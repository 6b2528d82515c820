import { afterAll, beforeAll, expect } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

export let fixture: TestApp;

export const tokens: Record<"owner" | "admin" | "writer" | "reader" | "limited" | "stranger", string> = {
  owner: "",
  admin: "",
  writer: "",
  reader: "",
  limited: "",
  stranger: "",
};

export let mine: { deviceId: string; token: string };
export let other: { deviceId: string; token: string };
export let strange: { deviceId: string; token: string };
export type Who = keyof typeof tokens;
export const metrics = [{ key: "temperature", min: 20, max: 25 }];
export const config = { intervalSeconds: 3_600, metrics };

export const call = (method: string, path: string, body?: unknown, who: Who = "owner", app = fixture) =>
  app.call(method, `/api/rule-chains${path}`, { token: tokens[who], ...(body !== undefined && { body }) });

export const bodyOf = (fields: Record<string, unknown> = {}) => ({
  name: "demo",
  type: "data_generator",
  enabled: true,
  status: "draft",
  config,
  ...fields,
});

export async function create(fields: Record<string, unknown> = {}, who: Who = "owner") {
  const response = await call("POST", "", bodyOf(fields), who);
  expect([response.status, response.text]).toEqual([201, expect.any(String)]);
  return response.body;
}

/** Starts the app of a test file with a user of every role and three devices. */
export function useGenerators(): void {
  beforeAll(async () => {
    fixture = await createTestApp();
    tokens.owner = (await fixture.signIn("TENANT_OWNER")).token;
    tokens.admin = (await fixture.signIn("TENANT_ADMIN")).token;
    tokens.writer = (await fixture.signIn("TENANT_RW")).token;
    tokens.reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
    tokens.stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
    mine = await fixture.createDevice(tokens.owner, { name: "mine" });
    other = await fixture.createDevice(tokens.owner, { name: "other" });
    strange = await fixture.createDevice(tokens.stranger, { name: "strange" });
    tokens.limited = (await fixture.signIn("TENANT_RW", { devices: [mine.deviceId] })).token;
  });
  afterAll(() => fixture.stop());
}
