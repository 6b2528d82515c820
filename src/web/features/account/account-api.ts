import { call, get, post } from "../../platform/api-client.ts";

export interface SecurityStatus {
  /** False for people of an external identity provider. */
  readonly hasPassword: boolean;
  readonly hasSecondFactor: boolean;
  readonly recoveryCodesLeft: number;
}

export interface OwnSession {
  readonly sessionId: string;
  readonly isCurrent: boolean;
  /** E-mail of who acts as the person. */
  readonly impersonatedBy?: string;
  readonly address: string;
  readonly userAgent: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
}

export interface NewSecondFactor {
  readonly secret: string;
  readonly qrSvg: string;
}

const FACTOR = "/api/auth/second-factor";

export const accountApi = {
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
};
