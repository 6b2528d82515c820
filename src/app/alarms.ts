import { textOf } from "../lib/domain-error.ts";
import type { DeviceId, ProfileId, TenantId } from "../lib/ids.ts";
import { createAlarmCommander } from "../modules/alarms/alarm-commander.ts";
import { createAlarmCommandsRepository } from "../modules/alarms/alarm-commands.repository.ts";
import { createAlarmEngine } from "../modules/alarms/alarm-engine.ts";
import { createEscalation } from "../modules/alarms/alarm-escalation.ts";
import { createHoldBack } from "../modules/alarms/alarm-hold.ts";
import { type AlarmLife, createAlarmLife } from "../modules/alarms/alarm-life.ts";
import { type AlarmRulesService, createAlarmRulesService } from "../modules/alarms/alarm-rules.service.ts";
import { createAlarmsRepository } from "../modules/alarms/alarms.repository.ts";
import { type AlarmsService, createAlarmsService } from "../modules/alarms/alarms.service.ts";
import { type Alarm, type EscalationSettings, escalationDefaults } from "../modules/alarms/alarms.types.ts";
import { createProfileRules } from "../modules/alarms/profile-rules.ts";
import type { AttributesService } from "../modules/attributes/attributes.service.ts";
import type { CommandsService } from "../modules/commands/commands.service.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import type { TelemetryObserver } from "../modules/ingest/ingest.service.ts";
import { createMaintenanceRepository } from "../modules/maintenance/maintenance.repository.ts";
import {
  createMaintenanceService,
  type MaintenanceService,
} from "../modules/maintenance/maintenance.service.ts";
import { createMaintenanceWatch } from "../modules/maintenance/maintenance-watch.ts";
import type { NotificationsService } from "../modules/notifications/notifications.service.ts";
import type { OutboundService } from "../modules/outbound/outbound.service.ts";
import type { ProfilesService } from "../modules/profiles/profiles.service.ts";
import type { TelemetryStore } from "../modules/telemetry/store/store.types.ts";
import { type Clock, createSteadyNow } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import { newId } from "../platform/ids.ts";
import type { Part } from "../platform/lifecycle.ts";
import type { Logger } from "../platform/log.ts";
import { createNotifications } from "./notifications.ts";
import type { People } from "./people.ts";

interface Alarming {
  readonly alarms: AlarmsService;
  readonly alarmRules: AlarmRulesService;
  readonly maintenance: MaintenanceService;
  readonly notifications: NotificationsService;
  readonly openAlarms: (deviceId: DeviceId) => readonly Alarm[];
  readonly observeAlarms: TelemetryObserver;
  readonly alarmsPart: Part;
}

/** Wires what raises alarms, and what people do about them. */
export function createAlarms(deps: {
  database: MainDatabase;
  devices: DevicesService;
  directory: DeviceDirectory;
  profiles: ProfilesService;
  attributes: AttributesService;
  commands: () => CommandsService;
  outbound: () => OutboundService;
  people: Pick<People, "users" | "tenants" | "mail">;
  config: Pick<Config, "public_url">;
  store: Pick<TelemetryStore, "scan">;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}): Alarming {
  const { database, directory, profiles, attributes, devices, clock } = deps;
  const { transact } = database;
  const now = createSteadyNow(clock);
  const repository = createAlarmsRepository(database);
  const writtenRules = (tenantId: TenantId, profileId: ProfileId) =>
    profiles.ensure(tenantId, profileId).alarmRules;
  const rulesOf = createProfileRules({ ...deps, rulesOf: writtenRules });
  const attribute = ({ deviceId }: { deviceId: DeviceId }, scope: string, key: string) =>
    attributes.valueOf(deviceId, scope, key);
  const findDevice = (deviceId: DeviceId) => directory.find(deviceId);
  const ruleOf = ({ deviceId, alarmType }: Alarm) => {
    const device = directory.find(deviceId);
    return device && rulesOf(device)?.all.find((rule) => rule.alarmType === alarmType);
  };
  /** By tenant: asked for with every alarm that is raised. */
  const escalations = new Map<TenantId, EscalationSettings>();
  const escalationOf = (tenantId: TenantId): EscalationSettings => {
    const settings = escalations.get(tenantId) ?? repository.escalation(tenantId) ?? escalationDefaults;
    escalations.set(tenantId, settings);
    return settings;
  };
  const commander = createAlarmCommander({
    ...deps,
    commandsRepository: createAlarmCommandsRepository(database),
    repository,
    ruleOf,
    life: () => life,
  });
  const watch = createMaintenanceWatch({ ...deps, repository: createMaintenanceRepository(database) });
  const mutedMs = (deviceId: DeviceId) => {
    const device = directory.find(deviceId);
    return device === undefined ? 0 : watch.remainingMs(device);
  };
  const telling = createNotifications({
    ...deps,
    mutedMs,
    noted: (alarmId, text) =>
      repository.addEvent({
        ...{ eventId: newId(), alarmId, eventType: "NOTIFIED", ...textOf(text), by: null },
        createdAt: clock.now(),
      }),
  });
  const life: AlarmLife = createAlarmLife({
    ...deps,
    repository,
    transact,
    hooks: [telling.noticeHook, commander.hook],
    escalationOf,
    now,
  });
  const escalation = createEscalation({
    ...deps,
    repository,
    life,
    settingsOf: escalationOf,
    mutedMs,
    now,
  });
  const engine = createAlarmEngine({
    ...deps,
    repository,
    life,
    rulesOf,
    findDevice,
    attribute,
    holdBack: createHoldBack({ ...deps, maintenance: watch }),
    childrenOf: (deviceId) => devices.children.listIds(deviceId),
    transact,
  });
  const alarmRules = createAlarmRulesService({
    ...deps,
    engine,
    findDevice,
    rulesOf,
    writtenRulesOf: ({ tenantId, profileId }) => writtenRules(tenantId, profileId),
    attribute,
  });
  const parts = [watch, telling.part, engine, escalation, commander];
  return {
    alarms: createAlarmsService({
      ...deps,
      repository,
      life,
      onEscalationChanged(tenantId) {
        escalations.delete(tenantId);
        escalation.settingsChanged(tenantId);
      },
    }),
    alarmRules,
    maintenance: createMaintenanceService({ ...deps, watch }),
    notifications: telling.notifications,
    openAlarms: repository.listOpen,
    // In a microtask, after the engine's own, in which it writes.
    observeAlarms: (device, readings) =>
      engine.onTelemetry(device, readings) ? Promise.resolve().then(() => database.durable()) : undefined,
    alarmsPart: {
      name: "alarms",
      start() {
        for (const part of parts) void part.start?.();
      },
      async stop() {
        for (const part of [...parts].reverse()) await part.stop?.();
      },
    },
  };
}
