import { get, post } from "../../platform/api-client.ts";

export interface OwnerForm {
  readonly token: string;
  readonly email: string;
  readonly password: string;
  readonly fullName: string;
  readonly tenantName: string;
}

export const setupApi = {
  state: (setupToken: string) =>
    get<{ valid: boolean }>(`/api/setup?token=${encodeURIComponent(setupToken)}`),
  createOwner: (form: OwnerForm) => post<unknown>("/api/setup", form),
};
