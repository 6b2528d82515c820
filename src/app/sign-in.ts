import type { AuditRecorder } from "../modules/audit/audit.types.ts";
import { createCredentialsRepository } from "../modules/devices/credentials.repository.ts";
import { createCredentialsService } from "../modules/devices/credentials.service.ts";
import type { DeviceActivityTracker } from "../modules/devices/device-activity.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import { createDevicePasswords } from "../modules/devices/device-passwords.ts";
import { createDeviceSignIn } from "../modules/devices/device-sign-in.ts";
import type { DevicesRepository } from "../modules/devices/devices.repository.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import { createTokenSignIn } from "../modules/devices/token-sign-in.service.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import type { ProfilesService } from "../modules/profiles/profiles.service.ts";
import { createProvisioningRepository } from "../modules/provisioning/provisioning.repository.ts";
import { createProvisioningService } from "../modules/provisioning/provisioning.service.ts";
import type { Clock } from "../platform/clock.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";

/** How devices sign in, and how people decide on it. */
export function createSignIn(deps: {
  database: MainDatabase;
  devices: DevicesService;
  devicesRepository: DevicesRepository;
  directory: DeviceDirectory;
  profiles: ProfilesService;
  activity: Pick<DeviceActivityTracker, "get">;
  audit: AuditRecorder;
  clock: Clock;
  events: EventBus<DomainEvents>;
}) {
  const { database, devices, devicesRepository, directory, clock, events } = deps;
  const repository = createCredentialsRepository(database);
  const passwords = createDevicePasswords({ clock });
  const credentials = createCredentialsService({
    repository,
    devices,
    devicesRepository,
    passwords,
    transact: database.transact,
    clock,
    events,
  });
  const provisioning = createProvisioningService({
    repository: createProvisioningRepository(database),
    profiles: deps.profiles,
    devices,
    credentials,
    activityOf: deps.activity.get,
    durable: database.durable,
    audit: deps.audit,
    clock,
  });
  const signIn = createDeviceSignIn({ repository, directory, passwords, clock });
  return { credentials, provisioning, signIn, tokens: createTokenSignIn({ directory, clock }) };
}
