import { StartupError } from "../../platform/process/startup-error.ts";
import type { ApiClient } from "../api-client.ts";
import type { Section } from "./section.types.ts";

/** User of the API. */
export interface SiteUser {
  readonly email: string;
  readonly tenantName?: string;
  readonly permissions?: readonly string[];
}

interface SignedInUser extends SiteUser {
  readonly hasGlobalDeviceAccess?: boolean;
}

/** Returns the user. @throws StartupError if the user does not see the whole site */
export async function ensureSiteAccess(api: ApiClient): Promise<SiteUser> {
  const me = await api.get<SignedInUser>("/api/auth/me");
  if (me.permissions?.includes("users:read") !== true || me.hasGlobalDeviceAccess === false)
    throw new StartupError(
      "Site files need an owner or administrator with access to all devices, or an API key with such a role.",
    );
  return me;
}

/** Returns whether a user can read and change a section. */
export const canUseSection = (
  { permissions }: SiteUser,
  { permission }: Pick<Section, "permission">,
): boolean => permission === undefined || permissions?.includes(permission) === true;
