import type {
  apiKeyBody,
  createApiKeyBody,
  createdApiKeyBody,
} from "../../../modules/api-keys/api-keys.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, patch, post, remove } from "../../platform/api-client.ts";

export type ApiKey = Wire<typeof apiKeyBody>;
export type NewApiKey = Wire<typeof createApiKeyBody>;

const apiKey = (id: string): string => `/api/api-keys/${encodeURIComponent(id)}`;

export const apiKeysApi = {
  list: () => get<ApiKey[]>("/api/api-keys"),
  /** `key` is the credential itself, which is only shown once. */
  create: (body: NewApiKey) => post<Wire<typeof createdApiKeyBody>>("/api/api-keys", body),
  rename: (id: string, name: string) => patch<ApiKey>(apiKey(id), { name }),
  revoke: (id: string) => remove(apiKey(id)),
};
