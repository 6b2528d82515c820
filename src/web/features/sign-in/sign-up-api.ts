import type { planBody } from "../../../modules/tenants/tenants.schemas.ts";
import type { Me } from "../../lib/api-types.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, post } from "../../platform/api-client.ts";

export type Plan = Wire<typeof planBody>;

export interface SignUpForm {
  readonly email: string;
  readonly password: string;
  readonly fullName: string;
  readonly planId: string;
}

export const signUpApi = {
  plans: () => get<Plan[]>("/api/plans"),
  signUp: (form: SignUpForm) => post<{ expiresInSeconds: number }>("/api/auth/signup", form),
  resendCode: (email: string) => post<unknown>("/api/auth/resend-otp", { email }),
  verifyCode: (body: { email: string; otp: string; password: string }) =>
    post<unknown>("/api/auth/verify-otp", body),
  onboard: (tenantName: string) => post<Me>("/api/auth/onboarding", { tenantName }),
};
