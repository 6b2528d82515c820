import { withoutNulls } from "../../lib/core/defined.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { resourceRoutes } from "../resource.routes.ts";
import { itemToWire } from "../resource.ts";
import { profileResource } from "./profiles.resource.ts";
import type { ProfilesService, ShownProfile } from "./profiles.service.ts";

const toWire = (profile: ShownProfile) => withoutNulls(itemToWire(profile));

export const profilesRoutes = ({ profiles, auth }: { profiles: ProfilesService; auth: AuthPlugin }) =>
  resourceRoutes(profileResource, {
    service: profiles,
    toWire,
    read: ({ principal }, id) => profiles.get(principal, id),
    auth,
  });
