import { afterAll, beforeAll } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

export let fixture: TestApp;
export let owner: { token: string; userId: string; email: string };
export let reader: string;
export let stranger: string;

export interface Entry {
  readonly auditId: string;
  readonly at: string;
  readonly actorType: string;
  readonly actorId: string;
  readonly actorName: string;
  readonly action: string;
  readonly outcome: string;
  readonly targetType: string;
  readonly targetId: string;
  readonly targetName?: string;
  readonly address?: string;
  readonly userAgent?: string;
  // biome-ignore lint/suspicious/noExplicitAny: what changed has every shape
  readonly before?: any;
  // biome-ignore lint/suspicious/noExplicitAny: what changed has every shape
  readonly after?: any;
}

export async function entries(query = "", token = owner.token): Promise<Entry[]> {
  const { body } = await fixture.call("GET", `/api/audit${query}`, { token });
  return body;
}

export const newest = async (query = "") =>
  (await entries(`${query}${query === "" ? "?" : "&"}limit=1`))[0] as Entry;

/** Starts the app of a test file with an owner, a reader and a stranger. */
export function useAudit(): void {
  beforeAll(async () => {
    fixture = await createTestApp();
    const { token, user } = await fixture.signIn("TENANT_OWNER");
    owner = { token, userId: user.userId, email: user.email };
    reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
    stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  });
  afterAll(() => fixture.stop());
}
