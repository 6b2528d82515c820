import { secretHint, shownName } from "../../lib/secret-hint.ts";
import { sha256 } from "../../platform/ids.ts";
import type { RefusedCredential } from "../faults/refusals.types.ts";
import type { ApiKeysRepository } from "./api-keys.repository.ts";
import type { ApiKey } from "./api-keys.resource.ts";
import type { ApiKeyStatus } from "./api-keys.types.ts";
import { hintOf, isWellFormedKey } from "./key-secret.ts";

/** Returns the reason why a key was refused. A key that exists is named; of another one its beginning is shown, as in lists of keys. */
export function refusalOfKey(
  secret: string,
  repository: Pick<ApiKeysRepository, "findBySecretHash">,
  statusOf: (apiKey: ApiKey) => ApiKeyStatus,
): RefusedCredential {
  const isWhole = isWellFormedKey(secret);
  const apiKey = isWhole ? repository.findBySecretHash(sha256(secret)) : undefined;
  if (apiKey === undefined)
    return {
      reason: "key_wrong",
      identity: { kind: "api_key", name: isWhole ? hintOf(secret) : secretHint(secret) },
    };
  return {
    reason: statusOf(apiKey) === "EXPIRED" ? "key_expired" : "key_stopped",
    identity: { kind: "api_key", name: shownName(apiKey.name) },
    owner: { tenantId: apiKey.tenantId },
  };
}
