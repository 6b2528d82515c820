import { afterAll, beforeAll, expect } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

export let fixture: TestApp;

export const tokens: Record<"owner" | "writer" | "reader" | "limited" | "stranger", string> = {
  owner: "",
  writer: "",
  reader: "",
  limited: "",
  stranger: "",
};

export let mine: { deviceId: string; token: string };
export let other: { deviceId: string; token: string };
export type Who = keyof typeof tokens;
export const hourly = { kind: "interval", everyMs: 3_600_000 };
export const set = (deviceIds: string[]) => ({ type: "attributes", deviceIds, attributes: { setpoint: 21 } });

export const call = (method: string, path: string, body?: unknown, who: Who = "owner", app = fixture) =>
  app.call(method, `/api/scheduler${path}`, { token: tokens[who], ...(body !== undefined && { body }) });

export async function createJob(fields: Record<string, unknown> = {}, who: Who = "owner") {
  const body = { name: "night", schedule: hourly, action: set([mine.deviceId]), ...fields };
  const response = await call("POST", "", body, who);
  expect([response.status, response.text]).toEqual([201, expect.any(String)]);
  return response.body;
}

/** Waits until the job's newest run has come to its end. */
export async function finishedRun(jobId: string) {
  for (;;) {
    const { body } = await call("GET", `/${jobId}/runs?limit=1`);
    if (body[0] !== undefined && body[0].status !== "RUNNING") return body[0];
  }
}

/** Starts the app of a test file with a user of every role and two devices. */
export function useScheduler(): void {
  beforeAll(async () => {
    fixture = await createTestApp();
    tokens.owner = (await fixture.signIn("TENANT_OWNER")).token;
    tokens.writer = (await fixture.signIn("TENANT_RW")).token;
    tokens.reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
    tokens.stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
    mine = await fixture.createDevice(tokens.owner, { name: "mine" });
    other = await fixture.createDevice(tokens.owner, { name: "other", deviceType: "pump" });
    tokens.limited = (await fixture.signIn("TENANT_RW", { devices: [mine.deviceId] })).token;
  });
  afterAll(() => fixture.stop());
}
