import type { restorationBody, restoreBody } from "../../../modules/backups/setup-restoration.schemas.ts";
import type { setupRequestBody } from "../../../modules/identity/identity.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, post, putFile, queryOf } from "../../platform/api-client.ts";

export type OwnerForm = Wire<typeof setupRequestBody>;
type Restoration = Wire<typeof restorationBody>;

export const setupApi = {
  state: (setupToken: string) =>
    get<{ valid: boolean }>(`/api/setup?token=${encodeURIComponent(setupToken)}`),
  createOwner: (form: OwnerForm) => post<unknown>("/api/setup", form),
  restoration: (token: string) => get<Restoration>(`/api/setup/restore?${queryOf({ token })}`),
  uploadPart: (token: string, position: { offset: number; total: number }, content: Blob) =>
    putFile<Restoration>(
      `/api/setup/restore/archive?${queryOf({ token, ...position })}`,
      "application/octet-stream",
      content,
    ),
  restore: (body: Wire<typeof restoreBody>) => post<Restoration>("/api/setup/restore", body),
};
