import type { setupRequestBody } from "../../../modules/identity/identity.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, post } from "../../platform/api-client.ts";

export type OwnerForm = Wire<typeof setupRequestBody>;

export const setupApi = {
  state: (setupToken: string) =>
    get<{ valid: boolean }>(`/api/setup?token=${encodeURIComponent(setupToken)}`),
  createOwner: (form: OwnerForm) => post<unknown>("/api/setup", form),
};
