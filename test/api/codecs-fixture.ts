import { afterAll, beforeAll } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

export let fixture: TestApp;
export const tokens = { owner: "", admin: "", writer: "", reader: "", limited: "", stranger: "" };
export let id = "";

export const source =
  "function decodeUplink(input) { return { data: { t: input.bytes[0] / 2, port: input.fPort } }; }";

export const path = "/api/integrations/codecs";
export type Who = keyof typeof tokens;

export const call = (method: string, rest: string, body?: unknown, who: Who = "owner") =>
  fixture.call(method, `${path}${rest}`, { token: tokens[who], ...(body !== undefined && { body }) });

/** Starts the app of a test file with a user of every role and one codec. */
export function useCodecs(): void {
  beforeAll(async () => {
    fixture = await createTestApp();
    tokens.owner = (await fixture.signIn("TENANT_OWNER")).token;
    tokens.admin = (await fixture.signIn("TENANT_ADMIN")).token;
    tokens.writer = (await fixture.signIn("TENANT_RW")).token;
    tokens.reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
    tokens.stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
    tokens.limited = (await fixture.signIn("TENANT_ADMIN", { devices: [] })).token;
    id = (await call("POST", "", { name: "Vicki", description: "radiator valve", source })).body.codecId;
  });
  afterAll(() => fixture.stop());
}
