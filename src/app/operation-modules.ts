import { createBackupsModule } from "../modules/backups/backups.module.ts";
import type { CommandsService } from "../modules/commands/commands.service.ts";
import type { Core, Module } from "../modules/module.types.ts";
import type { createNotificationsModule } from "../modules/notifications/notifications.module.ts";
import { createOverviewModule } from "../modules/overview/overview.module.ts";
import { createProxiesModule } from "../modules/proxies/proxies.module.ts";
import { createSystemModule } from "../modules/system/system.module.ts";
import { createUpdatesModule } from "../modules/updates/updates.module.ts";
import { createUplinksModule } from "../modules/uplinks/uplinks.module.ts";
import type { MqttServer } from "../mqtt/mqtt.types.ts";
import type { DeviceModules, UserModules } from "./base-modules.ts";

/** The modules that operate the gateway: its settings, backups and self-monitoring. */
export function createOperationModules(
  core: Core,
  { tenancy, settings, users, mailing, identity, auditing }: UserModules,
  deps: {
    base: DeviceModules;
    commands: CommandsService;
    mqtt: MqttServer;
    notifications: ReturnType<typeof createNotificationsModule>;
  },
): readonly Module[] {
  const { base, mqtt } = deps;
  const { notifications } = deps.notifications;
  const { tenants } = tenancy;
  const backing = createBackupsModule(core, {
    tenants,
    settings,
    setup: identity.setup,
    disk: base.storage.diskGuard,
  });
  const uplinking = createUplinksModule(core, {
    commands: deps.commands,
    reach: base.outbounds.reach,
    settings,
    store: base.storage.store,
    tenants,
  });
  const system = createSystemModule(core, {
    settings,
    faults: base.faulting.faults,
    tenants,
    devices: base.fleet.devices,
    directory: base.fleet.directory,
    profiles: base.profiling.profiles,
    ingest: base.ingesting.ingest,
    traffic: base.ingesting.traffic,
    store: base.storage.store,
    unknown: base.telemetry.unknown,
    backups: backing.backups,
    disk: base.storage.diskGuard,
    mqtt: () => mqtt.stats(),
    uplinks: uplinking.totals,
    users,
    mail: mailing.mail,
    languageOf: (tenantId) => notifications.settingsOf(tenantId).language,
  });
  const updating = createUpdatesModule(core, { tenants, backups: backing.backups, audit: auditing.audit });
  const proxying = createProxiesModule(core, { settings, tenants });
  const overview = createOverviewModule(core, { settings, devices: base.fleet.devices });
  return [overview, backing, system, updating, uplinking, proxying];
}
