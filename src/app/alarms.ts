import { createAlarmEngine } from "../modules/alarms/alarm-engine.ts";
import { createHoldBack } from "../modules/alarms/alarm-hold.ts";
import { createAlarmLife } from "../modules/alarms/alarm-life.ts";
import { createAlarmsRepository } from "../modules/alarms/alarms.repository.ts";
import { type AlarmsService, createAlarmsService } from "../modules/alarms/alarms.service.ts";
import { createProfileRules } from "../modules/alarms/profile-rules.ts";
import type { AttributesService } from "../modules/attributes/attributes.service.ts";
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
import type { ProfilesService } from "../modules/profiles/profiles.service.ts";
import type { Clock } from "../platform/clock.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Part } from "../platform/lifecycle.ts";
import type { Logger } from "../platform/log.ts";

interface Alarming {
  readonly alarms: AlarmsService;
  readonly maintenance: MaintenanceService;
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
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}): Alarming {
  const { database, directory, profiles, attributes, devices } = deps;
  const { transact } = database;
  const repository = createAlarmsRepository(database);
  const life = createAlarmLife({ ...deps, repository, transact });
  const rulesOf = createProfileRules({
    ...deps,
    rulesOf: (tenantId, profileId) => profiles.ensure(tenantId, profileId).alarmRules,
  });
  const watch = createMaintenanceWatch({ ...deps, repository: createMaintenanceRepository(database) });
  const engine = createAlarmEngine({
    ...deps,
    repository,
    life,
    rulesOf,
    findDevice: (deviceId) => directory.find(deviceId),
    attribute: ({ deviceId }, scope, key) => attributes.valueOf(deviceId, scope, key),
    holdBack: createHoldBack({ maintenance: watch }),
    childrenOf: (deviceId) => devices.children.listIds(deviceId),
    transact,
  });
  return {
    alarms: createAlarmsService({ ...deps, repository, life }),
    maintenance: createMaintenanceService({ ...deps, watch }),
    observeAlarms: engine.onTelemetry,
    alarmsPart: {
      name: "alarms",
      start() {
        watch.start();
        engine.start();
      },
      stop() {
        engine.stop();
        watch.stop();
      },
    },
  };
}
