import { StartupError } from "../../platform/startup-error.ts";
import type { ApiClient } from "../api-client.ts";

/** Who uses the API. */
export interface SiteUser {
  readonly email: string;
  readonly tenantName?: string;
}

/** Returns the user. @throws StartupError for one who does not see the whole site. */
export async function ensureSiteAccess(api: ApiClient): Promise<SiteUser> {
  const me = await api.get<SiteUser & { userId: string; permissions?: readonly string[] }>("/api/auth/me");
  if (me.permissions?.includes("users:read") !== true)
    throw new StartupError(
      "Site files need an owner or administrator, or an API key with one of these roles.",
    );
  return me;
}
