import type { AuditService } from "../audit/audit.service.ts";
import type { CredentialsService } from "../devices/credentials.service.ts";
import type { DeviceActivityTracker } from "../devices/device-activity.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { TokenSignIn } from "../devices/token-sign-in.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { IngestService } from "../ingest/ingest.service.ts";
import type { Core } from "../module.types.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import { refusalReporter } from "../report-refusal.ts";
import type { UsersService } from "../users/users.service.ts";
import { createClaimLimits } from "./claim-limits.ts";
import { createClaimingRepository } from "./claiming.repository.ts";
import { claimingRequestRoutes, claimingRoutes } from "./claiming.routes.ts";
import { createClaimingService } from "./claiming.service.ts";
import { createProvisioningRepository } from "./provisioning.repository.ts";
import { claimRoutes, provisioningRoutes, reopenRoutes } from "./provisioning.routes.ts";
import { createProvisioningService } from "./provisioning.service.ts";

/** Lets new devices claim their credentials, and people claim devices. */
export function createProvisioningModule(
  { database, clock, events }: Core,
  deps: {
    profiles: ProfilesService;
    users: UsersService;
    fleet: {
      devices: DevicesService;
      credentials: CredentialsService;
      activity: DeviceActivityTracker;
      tokens: TokenSignIn;
    };
    ingest: IngestService;
    audit: AuditService;
  },
) {
  const { profiles, users, ingest, audit } = deps;
  const { devices, credentials, activity, tokens } = deps.fleet;
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
