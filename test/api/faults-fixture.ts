import { afterAll, beforeAll } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

export const METRICS_TOKEN = "a token for the metrics";
export const FAULTS = "/api/faults";
export const GATEWAY_FAULTS = "/api/gateway/faults";

export let fixture: TestApp;
/** `operator`: owner of the gateway's own site; `other`: owner of another site. */
export const tokens = { operator: "", owner: "", other: "" };
export let ownerEmail: string;

/** Starts the app of a test file with an owner of the gateway's own site and of two others. */
export function useFaults(config: NonNullable<Parameters<typeof createTestApp>[0]>["config"] = {}): void {
  beforeAll(async () => {
    fixture = await createTestApp({ config: { metrics_token: METRICS_TOKEN, ...config } });
    tokens.operator = (await fixture.signIn("TENANT_OWNER", { tenant: "host" })).token;
    const owner = await fixture.signIn("TENANT_OWNER");
    tokens.owner = owner.token;
    ownerEmail = owner.user.email;
    tokens.other = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  });
  afterAll(() => fixture.stop());
}

export const list = async (token: string, query = "", path = FAULTS) =>
  (await fixture.call("GET", `${path}${query}`, { token })).body;
