import { afterAll, beforeAll, beforeEach } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const NEW_PASSWORD = "seven green bottles 42";
export let clock: FakeClock;
export let mailServer: MailServer;
export let fixture: TestApp;
let counter = 0;

export const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fixture.call("POST", `/api/auth/${path}`, { body, headers });

export const person = (fields: Record<string, unknown> = {}) => ({
  email: `new${++counter}@there.example`,
  password: NEW_PASSWORD,
  fullName: "Nora New",
  planId: "basic",
  ...fields,
});

/** Signs up and reads the code from the mail. */
export async function signUp(input = person()): Promise<{ email: string; otp: string }> {
  const { status, text } = await post("signup", input);
  if (status !== 200) throw new Error(`signup answered ${status} ${text}`);
  return { email: input.email, otp: await readCode() };
}

export async function readCode(): Promise<string> {
  const mail = await mailServer.next();
  return /\b\d{6}\b/.exec(mail.parsed.text ?? "")?.[0] ?? "";
}

/** Starts the app of a test file with an open sign-up and a mail server. */
export function useSignUp(): void {
  beforeAll(async () => {
    clock = new FakeClock();
    mailServer = await startMailServer();
    fixture = await createTestApp({
      clock,
      config: {
        signup: "open",
        signup_plans: "basic,onprem",
        smtp_url: mailServer.url,
        smtp_from: "gateway@plant.example",
      },
    });
    await fixture.signIn("TENANT_OWNER");
  });
  afterAll(async () => {
    await fixture.stop();
    await mailServer.stop();
  });
  // All requests come from one address, which has its own limit.
  beforeEach(() => clock.leap(HOUR_MS));
}
