import { refusalReporter } from "../api/report-refusal.ts";
import type { AuditModule } from "../audit/audit.module.ts";
import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { IngestModule } from "../ingest/ingest.module.ts";
import type { Core } from "../module.types.ts";
import type { ProfilesModule } from "../profiles/profiles.module.ts";
import type { UsersModule } from "../users/users.module.ts";
import { createClaimLimits } from "./claim-limits.ts";
import { createClaimingRepository } from "./claiming.repository.ts";
import { claimingRequestRoutes, claimingRoutes } from "./claiming.routes.ts";
import { createClaimingService } from "./claiming.service.ts";
import { createProvisioningRepository } from "./provisioning.repository.ts";
import { claimRoutes, provisioningRoutes, reopenRoutes } from "./provisioning.routes.ts";
import { createProvisioningService } from "./provisioning.service.ts";

/** Creates the claiming of credentials by new devices, and of devices by users. */
export function createProvisioningModule(
  { database, clock, events }: Core,
  modules: {
    readonly profiles: ProfilesModule;
    readonly users: UsersModule;
    readonly devices: DevicesModule;
    readonly ingest: IngestModule;
    readonly audit: AuditModule;
  },
) {
  const { profiles } = modules.profiles;
  const { users } = modules.users;
  const { devices, credentials, activity, tokens } = modules.devices;
  const { ingest } = modules.ingest;
  const { audit } = modules.audit;
  const report = refusalReporter(events);
  const provisioning = createProvisioningService({
    repository: createProvisioningRepository(database),
    profiles,
    devices,
    credentials,
    activityOf: (deviceId) => activity.get(deviceId),
    durable: database.durable,
    audit,
    clock,
    limits: createClaimLimits(clock, report),
    report,
  });
  const claiming = createClaimingService({
    repository: createClaimingRepository(database),
    devices,
    users,
    transact: database.transact,
    durable: database.durable,
    clock,
  });
  return {
    provisioning,
    claiming,
    routes: (auth: AuthPlugin) => [
      provisioningRoutes({ provisioning, auth }),
      reopenRoutes({ provisioning, auth }),
      claimRoutes({ provisioning }),
      claimingRoutes({ claiming, auth }),
      claimingRequestRoutes({ claiming, tokens, ingest }),
    ],
  };
}

export type ProvisioningModule = ReturnType<typeof createProvisioningModule>;
