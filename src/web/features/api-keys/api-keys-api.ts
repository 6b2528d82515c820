import type { Role } from "../../lib/api-types.ts";
import { call, get, post } from "../../platform/api-client.ts";

/** STOPPED: who made it is disabled or gone. */
export type ApiKeyStatus = "ACTIVE" | "EXPIRED" | "STOPPED";

export interface ApiKey {
  readonly apiKeyId: string;
  readonly name: string;
  /** The key's first characters. */
  readonly hint: string;
  readonly role: Role;
  readonly status: ApiKeyStatus;
  /** Sees what its creator sees. */
  readonly hasGlobalDeviceAccess: boolean;
  readonly deviceIds: readonly string[];
  /** Null: made on the command line. */
  readonly createdBy: string | null;
  readonly createdByName: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

export interface NewApiKey {
  readonly name: string;
  readonly role: Role;
  /** ISO 8601; null: never. */
  readonly expiresAt: string | null;
  readonly deviceIds?: readonly string[];
}

const apiKey = (id: string): string => `/api/api-keys/${encodeURIComponent(id)}`;

export const apiKeysApi = {
  list: () => get<ApiKey[]>("/api/api-keys"),
  /** `key` is the credential itself, which is shown this once. */
  create: (body: NewApiKey) => post<ApiKey & { key: string }>("/api/api-keys", body),
  rename: (id: string, name: string) => call<ApiKey>("PATCH", apiKey(id), { name }),
  revoke: (id: string) => call<unknown>("DELETE", apiKey(id)),
};
