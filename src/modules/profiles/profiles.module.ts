import { Port } from "../../platform/port.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import { keyMetadataRoutes } from "./key-metadata.routes.ts";
import { createKeyMetadataService } from "./key-metadata.service.ts";
import { createKeyMetadataRepository, createProfilesRepository } from "./profiles.repository.ts";
import { profilesRoutes } from "./profiles.routes.ts";
import { type CheckAlarmRules, createProfilesService } from "./profiles.service.ts";

/** Device profiles. */
export function createProfilesModule({ database, clock, events }: Core) {
  /** Throws for alarm rules that cannot be evaluated. */
  const checkAlarmRules = new Port<CheckAlarmRules>("profiles.checkAlarmRules");
  const keys = createKeyMetadataService({ repository: createKeyMetadataRepository(database), events });
  const profiles = createProfilesService({
    keys,
    repository: createProfilesRepository(database, clock),
    transact: database.transact,
    checkAlarmRules: (...rules) => checkAlarmRules.call(...rules),
    events,
  });
  return {
    profiles,
    keys,
    checkAlarmRules,
    routes: (auth: AuthPlugin) => [profilesRoutes({ profiles, auth }), keyMetadataRoutes({ keys, auth })],
  };
}
