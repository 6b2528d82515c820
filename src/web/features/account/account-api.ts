import type {
  newSecondFactor,
  ownSession,
  securityBody,
} from "../../../modules/identity/identity.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, post, remove } from "../../platform/api-client.ts";

export type SecurityStatus = Wire<typeof securityBody>;
export type OwnSession = Wire<typeof ownSession>;

export type NewSecondFactor = Wire<typeof newSecondFactor>;

const FACTOR = "/api/auth/second-factor";

export const accountApi = {
  security: () => get<SecurityStatus>("/api/auth/security"),
  changePassword: (currentPassword: string, newPassword: string) =>
    post<unknown>("/api/auth/password", { currentPassword, newPassword }),
  changeEmail: (email: string, password: string, code: string) =>
    post<unknown>("/api/auth/email", { email, password, code }),
  beginSecondFactor: (password: string) => post<NewSecondFactor>(FACTOR, { password }),
  confirmSecondFactor: (code: string) => post<{ recoveryCodes: string[] }>(`${FACTOR}/confirm`, { code }),
  renewRecoveryCodes: (password: string) =>
    post<{ recoveryCodes: string[] }>(`${FACTOR}/recovery-codes`, { password }),
  endSecondFactor: (password: string) => post<unknown>(`${FACTOR}/disable`, { password }),
  sessions: () => get<OwnSession[]>("/api/auth/sessions"),
  endSession: (id: string) => remove(`/api/auth/sessions/${encodeURIComponent(id)}`),
  endOtherSessions: async () => (await remove<{ ended: number }>("/api/auth/sessions")).ended,
};
