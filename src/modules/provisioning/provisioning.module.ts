import type { AuditService } from "../audit/audit.service.ts";
import type { CredentialsService } from "../devices/credentials.service.ts";
import type { DeviceActivityTracker } from "../devices/device-activity.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import { refusalReporter } from "../report-refusal.ts";
import { createClaimLimits } from "./claim-limits.ts";
import { createProvisioningRepository } from "./provisioning.repository.ts";
import { claimRoutes, provisioningRoutes, reopenRoutes } from "./provisioning.routes.ts";
import { createProvisioningService } from "./provisioning.service.ts";

/** Lets new devices claim their credentials. */
export function createProvisioningModule(
  { database, clock, events }: Core,
  deps: {
    profiles: ProfilesService;
    devices: DevicesService;
    credentials: CredentialsService;
    activity: DeviceActivityTracker;
    audit: AuditService;
  },
) {
  const { profiles, devices, credentials, activity, audit } = deps;
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
  return {
    provisioning,
    routes: (auth: AuthPlugin) => [
      provisioningRoutes({ provisioning, auth }),
      reopenRoutes({ provisioning, auth }),
      claimRoutes({ provisioning }),
    ],
  };
}
