import { Port } from "../../platform/core/port.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import { keyMetadataRoutes } from "./key-metadata.routes.ts";
import { createKeyMetadataService } from "./key-metadata.service.ts";
import { createKeyMetadataRepository, createProfilesRepository } from "./profiles.repository.ts";
import { profilesRoutes } from "./profiles.routes.ts";
import { type CheckAlarmRules, createProfilesService } from "./profiles.service.ts";

/** Creates the device profiles. */
export function createProfilesModule({ responses, database, clock, events }: Core) {
  const checkAlarmRules = new Port<CheckAlarmRules>("profiles.checkAlarmRules");
  const keys = createKeyMetadataService({ repository: createKeyMetadataRepository(database), events });
  const profiles = createProfilesService({
    keys,
    repository: createProfilesRepository(database, clock),
    transact: database.transact,
    changes: database.changes,
    checkAlarmRules: (...checked) => checkAlarmRules.call(...checked),
    events,
  });
  return {
    profiles,
    keys,
    /** Checks alarm rules before they are saved. */
    checkAlarmRules,
    routes: (auth: AuthPlugin) => [
      profilesRoutes({ profiles, responses, auth }),
      keyMetadataRoutes({ keys, auth }),
    ],
  };
}

export type ProfilesModule = ReturnType<typeof createProfilesModule>;
