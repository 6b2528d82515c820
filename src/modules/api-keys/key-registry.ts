import type { DeviceId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId, sha256 } from "../../platform/ids.ts";
import { apiKeyDeviceUnknown, apiKeyExpiryInvalid, apiKeyNameTaken, apiKeysMax } from "./api-keys.errors.ts";
import type { ApiKeysRepository } from "./api-keys.repository.ts";
import type { ApiKey, NewApiKey } from "./api-keys.types.ts";
import { createKeySecret, hintOf } from "./key-secret.ts";

const KEYS_PER_TENANT_MAX = 1_000;

/** Returns what is true of a new key whoever makes it, a person by the API or somebody at the machine; the secret is given once. */
export function addApiKey(
  deps: {
    repository: ApiKeysRepository;
    transact: (work: () => void) => void;
    clock: Pick<Clock, "now">;
  },
  { deviceIds, ...fields }: NewApiKey,
): { apiKey: ApiKey; secret: string } {
  const { repository, clock } = deps;
  const now = clock.now();
  if (fields.expiresAt !== null && fields.expiresAt <= now) throw apiKeyExpiryInvalid();
  const secret = createKeySecret();
  const apiKey: ApiKey = {
    ...fields,
    apiKeyId: newId(),
    hint: hintOf(secret),
    hasGlobalDeviceAccess: deviceIds === undefined,
    createdAt: now,
    lastUsedAt: null,
  };
  deps.transact(() => {
    if (repository.findByName(fields.tenantId, fields.name) !== undefined) throw apiKeyNameTaken();
    if (repository.count(fields.tenantId) >= KEYS_PER_TENANT_MAX) throw apiKeysMax(KEYS_PER_TENANT_MAX);
    repository.insert(apiKey, sha256(secret));
    if (deviceIds === undefined) return;
    if (repository.findUnknownDevice(fields.tenantId, deviceIds) !== undefined) throw apiKeyDeviceUnknown();
    repository.setDevices(apiKey.apiKeyId, deviceIds as readonly DeviceId[]); // found just above
  });
  return { apiKey, secret };
}
