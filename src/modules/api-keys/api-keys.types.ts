import type { DeviceId, TenantId, UserId } from "../../lib/ids.ts";
import type { Role } from "../users/users.types.ts";

export interface ApiKey {
  readonly apiKeyId: string;
  readonly tenantId: TenantId;
  readonly name: string;
  /** The key's first characters. */
  readonly hint: string;
  readonly role: Role;
  /** Sees what its creator sees, rather than devices of its own. */
  readonly hasGlobalDeviceAccess: boolean;
  /** User who created the key; `null` if it was created on the command line. */
  readonly createdBy: UserId | null;
  readonly createdAt: number;
  /** Epoch ms; null: never. */
  readonly expiresAt: number | null;
  /** Epoch ms, about a minute late; null: never. */
  readonly lastUsedAt: number | null;
}

/** STOPPED: the user who made it is disabled or gone. */
export type ApiKeyStatus = "ACTIVE" | "EXPIRED" | "STOPPED";

export interface ApiKeyDetail extends ApiKey {
  readonly deviceIds: readonly DeviceId[];
  readonly status: ApiKeyStatus;
  /** Name of the creator. It is empty if the key was created on the command line, or the creator was deleted. */
  readonly createdByName: string;
}

export interface NewApiKey {
  readonly tenantId: TenantId;
  readonly name: string;
  readonly role: Role;
  /** Devices of the key; `undefined` for all that the creator sees. */
  readonly deviceIds?: readonly string[] | undefined;
  readonly createdBy: UserId | null;
  readonly expiresAt: number | null;
}
