import { codeChallenge, randomToken } from "../../lib/pkce.ts";
import { api, call, get, post } from "../../platform/api.ts";
import { CALLBACK_PATH, keepToken } from "../../platform/session.ts";
import type { NewSecondFactor, OwnSession, Plan, SecurityStatus, SignUpForm } from "./account-types.ts";

const FACTOR = "/api/auth/second-factor";

export const accountApi = {
  plans: () => get<Plan[]>("/api/plans"),
  signUp: (form: SignUpForm) => post<{ expiresInSeconds: number }>("/api/auth/signup", form),
  resendCode: (email: string) => post<unknown>("/api/auth/resend-otp", { email }),
  verifyCode: (body: { email: string; otp: string; password: string }) =>
    post<unknown>("/api/auth/verify-otp", body),

  security: () => get<SecurityStatus>("/api/auth/security"),
  changePassword: (currentPassword: string, newPassword: string) =>
    post<unknown>("/api/auth/password", { currentPassword, newPassword }),
  beginSecondFactor: (password: string) => post<NewSecondFactor>(FACTOR, { password }),
  confirmSecondFactor: (code: string) => post<{ recoveryCodes: string[] }>(`${FACTOR}/confirm`, { code }),
  renewRecoveryCodes: (password: string) =>
    post<{ recoveryCodes: string[] }>(`${FACTOR}/recovery-codes`, { password }),
  endSecondFactor: (password: string) => post<unknown>(`${FACTOR}/disable`, { password }),
  sessions: () => get<OwnSession[]>("/api/auth/sessions"),
  endSession: (id: string) => call<unknown>("DELETE", `/api/auth/sessions/${encodeURIComponent(id)}`),
  endOtherSessions: async () => (await call<{ ended: number }>("DELETE", "/api/auth/sessions")).body.ended,
  impersonate: async (targetUserId: string) =>
    (await post<{ accessToken: string }>("/api/auth/impersonate", { targetUserId })).accessToken,
};

/** Signs in somebody who has just chosen a password here, without the hosted page. */
export async function signInWith(email: string, password: string): Promise<void> {
  const verifier = randomToken();
  const redirectUri = CALLBACK_PATH;
  const { code } = await api.authorize({
    email,
    password,
    redirectUri,
    codeChallenge: codeChallenge(verifier),
  });
  keepToken((await api.exchange(code, verifier)).accessToken);
}
