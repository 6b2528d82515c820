import type { DeviceId, ProfileId, TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import { Port } from "../../platform/core/port.ts";
import type { AttributesModule } from "../attributes/attributes.module.ts";
import type { CommandsModule } from "../commands/commands.module.ts";
import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { TelemetryObserver } from "../ingest/ingest.service.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { MaintenanceModule } from "../maintenance/maintenance.module.ts";
import type { Core } from "../module.types.ts";
import type { OutboundModule } from "../outbound/outbound.module.ts";
import type { ProfilesModule } from "../profiles/profiles.module.ts";
import type { StorageModule } from "../telemetry/storage.module.ts";
import { AlarmCommander } from "./actions/alarm-commander.ts";
import { createAlarmCommandsRepository } from "./actions/alarm-commands.repository.ts";
import { AlarmEscalation } from "./actions/alarm-escalation.ts";
import { EscalationCache } from "./actions/escalation-cache.ts";
import { type AlarmEventHook, AlarmLifecycle } from "./alarm-lifecycle.ts";
import { createAlarmsRepository } from "./alarms.repository.ts";
import { alarmsRoutes } from "./alarms.routes.ts";
import { createAlarmsService } from "./alarms.service.ts";
import type { Alarm } from "./alarms.types.ts";
import { AlarmEngine } from "./engine/alarm-engine.ts";
import { createHoldBack } from "./engine/alarm-hold.ts";
import { AlarmTime } from "./engine/alarm-time.ts";
import { createWatchedDevices } from "./engine/watched-devices.repository.ts";
import { alarmRulesRoutes } from "./rules/alarm-rules.routes.ts";
import { createAlarmRulesService } from "./rules/alarm-rules.service.ts";
import { createProfileRules } from "./rules/profile-rules.ts";
import { createAlarmStatisticsRepository } from "./statistics/alarm-statistics.repository.ts";
import { alarmStatisticsRoutes } from "./statistics/alarm-statistics.routes.ts";
import { createAlarmStatistics } from "./statistics/alarm-statistics.ts";

interface AlarmsModules {
  readonly devices: DevicesModule;
  readonly profiles: ProfilesModule;
  readonly attributes: AttributesModule;
  readonly commands: CommandsModule;
  readonly outbound: OutboundModule;
  readonly maintenance: MaintenanceModule;
  readonly storage: StorageModule;
}

/** Creates the queries that alarms make about devices, profiles and attributes. */
function createQueries({ events, log }: Pick<Core, "events" | "log">, modules: AlarmsModules) {
  const { directory, devicesRepository } = modules.devices;
  const { profiles } = modules.profiles;
  const writtenRules = (tenantId: TenantId, profileId: ProfileId) =>
    profiles.ensure(tenantId, profileId).alarmRules;
  const findDevice = (deviceId: DeviceId) => directory.find(deviceId);
  const rulesOf = createProfileRules({
    rulesOf: writtenRules,
    describe: (deviceId) => devicesRepository.find(deviceId),
    events,
    log,
  });
  return {
    findDevice,
    rulesOf,
    writtenRulesOf: ({ tenantId, profileId }: { tenantId: TenantId; profileId: ProfileId }) =>
      writtenRules(tenantId, profileId),
    ruleOf({ deviceId, alarmType }: Pick<Alarm, "deviceId" | "alarmType">) {
      const device = findDevice(deviceId);
      return device && rulesOf(device)?.all.find((rule) => rule.alarmType === alarmType);
    },
    attribute: (
      { deviceId }: { deviceId: DeviceId },
      scope: string,
      key: string,
      onText?: (characters: number) => void,
    ) => modules.attributes.attributes.valueOf(deviceId, scope, key, onText),
    keysOf: ({ tenantId, profileId }: IngestDevice) => profiles.keysOf(tenantId, profileId),
    /** Returns for how long the device is muted, in ms; 0 if it is not muted. */
    mutedMs(deviceId: DeviceId): number {
      const device = findDevice(deviceId);
      return device === undefined ? 0 : modules.maintenance.watch.remainingMs(device);
    },
  };
}

/** Creates alarms: the rules that raise and clear them, escalation, commands, and handling by users. */
export function createAlarmsModule(core: Core, modules: AlarmsModules) {
  const { devices } = modules.devices;
  const { commands } = modules.commands;
  const { outbound } = modules.outbound;
  const { watch: maintenance } = modules.maintenance;
  const { store } = modules.storage;
  const { responses, database, clock, events } = core;
  const { transact } = database;
  const log = core.log.child("alarms");
  const time = new AlarmTime(clock);
  const repository = createAlarmsRepository(database);
  const { ruleOf, mutedMs, ...queries } = createQueries({ events, log }, modules);
  const escalations = new EscalationCache(repository);
  const escalationOf = (tenantId: TenantId) => escalations.of(tenantId);
  const roomForEvents = new Port<(tenantId: TenantId) => Promise<void> | undefined>("alarms.roomForEvents");
  /** Called with each event of an alarm, within its transaction; other modules add their hooks. */
  const hooks: AlarmEventHook[] = [];
  const lifecycle = new AlarmLifecycle({ repository, transact, hooks, escalationOf, clock, time, events });
  const commander = new AlarmCommander({
    commandsRepository: createAlarmCommandsRepository(database),
    repository,
    ruleOf,
    lifecycle,
    commands,
    outbound,
    clock,
    events,
    log,
  });
  commander.subscribe();
  hooks.push((alarm, event) => commander.hook(alarm, event));
  const escalation = new AlarmEscalation({
    repository,
    lifecycle,
    settingsOf: escalationOf,
    mutedMs,
    clock,
    time,
    events,
    log,
  });
  escalation.subscribe();
  const engine = new AlarmEngine({
    repository,
    lifecycle,
    ...queries,
    holdBack: createHoldBack({ maintenance, clock }),
    childrenOf: (deviceId) => devices.children.listIds(deviceId),
    transact,
    roomForEvents: (tenantId) => roomForEvents.call(tenantId),
    clock,
    events,
    log,
  });
  engine.subscribe();
  const statistics = createAlarmStatisticsRepository(database);
  const alarmRules = createAlarmRulesService({
    engine,
    devices,
    watchedDevices: createWatchedDevices(database),
    profiles: modules.profiles.profiles,
    statistics,
    store,
    ...queries,
    clock,
  });
  const alarms = createAlarmsService({
    repository,
    lifecycle,
    devices,
    onEscalationChanged(tenantId) {
      escalations.forget(tenantId);
      escalation.settingsChanged(tenantId);
    },
  });
  // In a microtask, after that in which the engine writes.
  const observe: TelemetryObserver = (device, readings) => {
    const hasWritten = engine.onTelemetry(device, readings);
    if (hasWritten === false) return undefined;
    return Promise.resolve(hasWritten).then((mustWait) => (mustWait ? database.durable() : undefined));
  };
  return {
    alarms,
    hooks,
    mutedMs,
    observe,
    /** Provided by the module that publishes events of alarms: resolves when a tenant may cause more; undefined if it may now. */
    roomForEvents,
    recipientIdsOf: (alarm: Pick<Alarm, "deviceId" | "alarmType">) => ruleOf(alarm)?.recipientIds,
    openAlarms: (deviceId: DeviceId): readonly Alarm[] => repository.listOpen(deviceId),
    noteNotified: (alarm: Pick<Alarm, "alarmId" | "tenantId" | "deviceId">, text: Text) =>
      lifecycle.noteNotified(alarm, text),
    routes: (auth: AuthPlugin) => [
      alarmStatisticsRoutes({ read: createAlarmStatistics({ repository: statistics, alarms, clock }), auth }),
      alarmsRoutes({ alarms, responses, auth }),
      alarmRulesRoutes({ alarmRules, auth }),
    ],
    parts: [
      { name: "alarms", start: () => engine.start(), stop: () => engine.stop() },
      { name: "alarm escalation", start: () => escalation.start(), stop: () => escalation.stop() },
      { name: "alarm commands", start: () => commander.start(), stop: () => commander.stop() },
    ],
  };
}

export type AlarmsModule = ReturnType<typeof createAlarmsModule>;
