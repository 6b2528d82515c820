import type { TenantId, UserId } from "../../lib/core/ids.ts";
import type { Role } from "../users/users.types.ts";

/** STOPPED: the creator is disabled or deleted. */
export type ApiKeyStatus = "ACTIVE" | "EXPIRED" | "STOPPED";

export interface NewApiKey {
  readonly tenantId: TenantId;
  readonly name: string;
  readonly role: Role;
  /** Devices of the key; `undefined` for all devices that the creator sees. */
  readonly deviceIds?: readonly string[] | undefined;
  readonly createdBy: UserId | null;
  readonly expiresAt: number | null;
}
