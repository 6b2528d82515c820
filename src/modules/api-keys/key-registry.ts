import type { DeviceId } from "../../lib/core/ids.ts";
import { sha256 } from "../../platform/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { apiKeyDeviceUnknown, apiKeyExpiryInvalid } from "./api-keys.errors.ts";
import type { ApiKeysRepository } from "./api-keys.repository.ts";
import type { ApiKey } from "./api-keys.resource.ts";
import type { NewApiKey } from "./api-keys.types.ts";
import { createKeySecret, hintOf } from "./key-secret.ts";

/** Creates a key for an API user or on the command line. The secret is returned only here. */
export function addApiKey(
  deps: {
    repository: ApiKeysRepository;
    transact: MainDatabase["transact"];
    clock: Pick<Clock, "now">;
  },
  { deviceIds, ...fields }: NewApiKey,
): { apiKey: ApiKey; secret: string } {
  const { repository, clock } = deps;
  const { tenantId, expiresAt } = fields;
  if (expiresAt !== null && expiresAt <= clock.now()) throw apiKeyExpiryInvalid();
  const secret = createKeySecret();
  const apiKey = deps.transact(() => {
    const inserted = repository.insert(tenantId, {
      ...fields,
      secretHash: sha256(secret),
      hint: hintOf(secret),
      hasGlobalDeviceAccess: deviceIds === undefined,
      lastUsedAt: null,
    });
    if (deviceIds === undefined) return inserted;
    if (repository.findUnknownDevice(tenantId, deviceIds) !== undefined) throw apiKeyDeviceUnknown();
    repository.setDevices(inserted.apiKeyId, deviceIds as readonly DeviceId[]); // found just above
    return inserted;
  });
  return { apiKey, secret };
}
