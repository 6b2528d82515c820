import { withoutNulls } from "../../lib/core/defined.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { resourceRoutes } from "../api/resource.routes.ts";
import { itemToWire } from "../api/resource.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { profileResource } from "./profiles.resource.ts";
import type { ProfilesService, ShownProfile } from "./profiles.service.ts";

const toWire = (profile: ShownProfile) => withoutNulls(itemToWire(profile));

interface ProfilesRoutesDeps {
  readonly profiles: ProfilesService;
  readonly responses: ResponseSpace;
  readonly auth: AuthPlugin;
}

export const profilesRoutes = ({ profiles, responses, auth }: ProfilesRoutesDeps) =>
  resourceRoutes(profileResource, {
    service: profiles,
    longList: { responses, read: profiles.read },
    toWire,
    read: ({ principal }, id) => profiles.get(principal, id),
    auth,
  });
