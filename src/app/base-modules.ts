import type { DeviceId } from "../lib/ids.ts";
import { checkAlarmRules } from "../modules/alarms/alarm-rule.ts";
import { createApiKeysModule } from "../modules/api-keys/api-keys.module.ts";
import { createAttributesModule } from "../modules/attributes/attributes.module.ts";
import { createAuditModule } from "../modules/audit/audit.module.ts";
import { createDevicesModule } from "../modules/devices/devices.module.ts";
import { DEV_EUI_KEY } from "../modules/devices/devices.types.ts";
import { createFaultsModule } from "../modules/faults/faults.module.ts";
import { createIdentityModule } from "../modules/identity/identity.module.ts";
import type { PasswordHasher } from "../modules/identity/provider/password.ts";
import { createIngestModule } from "../modules/ingest/ingest.module.ts";
import { createLoginIdentitiesModule } from "../modules/login-identities/login-identities.module.ts";
import { createMailModule } from "../modules/mail/mail.module.ts";
import type { Core } from "../modules/module.types.ts";
import { messengerResource } from "../modules/notifications/messengers.resource.ts";
import { createOutboundModule } from "../modules/outbound/outbound.module.ts";
import { createPipelinesModule } from "../modules/pipelines/pipelines.module.ts";
import { createProfilesModule } from "../modules/profiles/profiles.module.ts";
import { createSettingsModule } from "../modules/settings/settings.module.ts";
import { createStorageModule } from "../modules/telemetry/storage.module.ts";
import { createTelemetryModule } from "../modules/telemetry/telemetry.module.ts";
import { createTenantsModule } from "../modules/tenants/tenants.module.ts";
import { createUsersModule } from "../modules/users/users.module.ts";
import type { ReadOnlyCheck, ReadSpace } from "../platform/disk-guard.ts";

/** Tenants, people and how they sign in. */
export function createUserModules(core: Core, { hasher }: { hasher?: PasswordHasher }) {
  const tenancy = createTenantsModule(core);
  const { tenants, plans, branding, quotas } = tenancy;
  const { settings } = createSettingsModule(core);
  const auditing = createAuditModule(core, { tenants, quotas });
  const mailing = createMailModule(core, { tenants, branding, settings });
  const { users, usersRepository } = createUsersModule(core);
  const apiKeys = createApiKeysModule(core, { users });
  const identity = createIdentityModule(core, {
    tenants,
    plans,
    branding,
    users,
    usersRepository,
    audit: auditing.audit,
    mail: mailing.mail,
    keys: apiKeys.keys,
    hasher,
  });
  return { tenancy, settings, auditing, mailing, users, apiKeys, identity };
}

export type UserModules = ReturnType<typeof createUserModules>;

/** Connects the check of alarm rules, which knows where the gateway may send to and whom it can notify. */
function connectRuleChecks(
  { database, clock }: Core,
  deps: {
    profiling: Pick<ReturnType<typeof createProfilesModule>, "checkAlarmRules">;
    outbound: Pick<ReturnType<typeof createOutboundModule>["outbound"], "refusalOf">;
    users: Pick<UserModules["users"], "listOf">;
  },
): void {
  const messengers = messengerResource.createStore(database, clock);
  deps.profiling.checkAlarmRules.connect((tenantId, rules, before) =>
    checkAlarmRules(rules, {
      refusalOf: (url) => deps.outbound.refusalOf(tenantId, url),
      isRecipient: (id) =>
        messengers.find(tenantId, id) !== undefined ||
        deps.users.listOf(tenantId).some(({ userId }) => userId === id),
      before,
    }),
  );
}

/** Devices, what is kept of them, and the one way of their telemetry into the store. */
export function createDeviceModules(
  core: Core,
  userModules: UserModules,
  disk: { readonly readSpace?: ReadSpace; readonly isReadOnly?: ReadOnlyCheck },
) {
  const { tenants, plans, quotas, messageRate, created } = userModules.tenancy;
  const storage = createStorageModule(core, { quotas, disk });
  const { store, diskGuard } = storage;
  const outbounds = createOutboundModule(core, { tenants });
  const { outbound } = outbounds;
  const profiling = createProfilesModule(core);
  const { profiles } = profiling;
  created.connect(({ tenantId }) => profiles.createDefault(tenantId));
  connectRuleChecks(core, { profiling, outbound, users: userModules.users });
  const signIns = createLoginIdentitiesModule(core);
  const fleet = createDevicesModule(core, { tenants, plans, messageRate, profiles, store, ...signIns });
  const { devices, devicesRepository, directory, activity, tokens } = fleet;
  const faulting = createFaultsModule(core, { tenants, devices, directory });
  userModules.auditing.isDevice.connect((id) => directory.find(id as DeviceId) !== undefined);
  const attributing = createAttributesModule(core, { devices, activity });
  const { attributes } = attributing;
  fleet.saveDevEui.connect((deviceId, devEui) => attributes.saveServer(deviceId, DEV_EUI_KEY, devEui));
  fleet.searchAttributes.connect(attributing.search);
  const pipelines = createPipelinesModule(core, {
    devices,
    devicesRepository,
    profiles,
    directory,
    attributes,
    outbound,
  });
  faulting.subjects.add("pipeline", pipelines.names);
  const ingesting = createIngestModule(core, {
    store,
    diskGuard,
    devices,
    directory,
    activity,
    tokens,
    attributes,
    pipelines: pipelines.engine,
    outbound,
    keysOf: ({ tenantId, profileId }) => profiles.keysOf(tenantId, profileId),
  });
  const telemetry = createTelemetryModule(core, {
    store,
    tenants,
    plans,
    devices,
    devicesRepository,
    profiles,
  });
  return {
    /** Modules that start right after the storage, and stop before it. */
    first: [telemetry, fleet, faulting],
    tenants,
    messageRate,
    storage,
    outbounds,
    profiling,
    fleet,
    faulting,
    attributing,
    pipelines,
    ingesting,
    telemetry,
    signIns,
  };
}

export type DeviceModules = ReturnType<typeof createDeviceModules>;
