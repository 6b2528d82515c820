import type { MainDatabase } from "../../platform/database/database.ts";
import type { StoredSecrets } from "../../platform/secrets/stored-secrets.ts";

/** Access tokens of devices as stored in the database. */
export interface DeviceTokens extends StoredSecrets {
  columns(token: string): { readonly tokenHash: string; readonly tokenSealed: string };
}

export function deviceTokensOf(database: Pick<MainDatabase, "secrets">): DeviceTokens {
  const secrets = database.secrets("device tokens");
  return {
    ...secrets,
    columns: (token) => ({ tokenHash: secrets.hash(token), tokenSealed: secrets.seal(token) }),
  };
}
