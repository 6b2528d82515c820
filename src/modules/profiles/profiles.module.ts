import type { TenantId } from "../../lib/ids.ts";
import { Port } from "../../platform/port.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import { createProfilesRepository } from "./profiles.repository.ts";
import { profilesRoutes } from "./profiles.routes.ts";
import { createProfilesService } from "./profiles.service.ts";

/** Device profiles. */
export function createProfilesModule({ database, clock, events }: Core) {
  /** Throws for alarm rules that cannot be evaluated. */
  const checkAlarmRules = new Port<(tenantId: TenantId, rules: readonly unknown[]) => void>(
    "profiles.checkAlarmRules",
  );
  const profiles = createProfilesService({
    repository: createProfilesRepository(database),
    transact: database.transact,
    checkAlarmRules: (tenantId, rules) => checkAlarmRules.call(tenantId, rules),
    clock,
    events,
  });
  return { profiles, checkAlarmRules, routes: (auth: AuthPlugin) => [profilesRoutes({ profiles, auth })] };
}
