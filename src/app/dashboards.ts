import type { AlarmsService } from "../modules/alarms/alarms.service.ts";
import { createAliasDevices } from "../modules/dashboards/alias-devices.ts";
import { createDashboardData } from "../modules/dashboards/dashboard-data.ts";
import { createDashboardsRepository } from "../modules/dashboards/dashboards.repository.ts";
import { createDashboardsService, type DashboardsService } from "../modules/dashboards/dashboards.service.ts";
import { createSharesRepository } from "../modules/dashboards/shares.repository.ts";
import { createSharesService, type SharesService } from "../modules/dashboards/shares.service.ts";
import type { DeviceActivityTracker } from "../modules/devices/device-activity.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { TelemetryService } from "../modules/telemetry/telemetry.service.ts";
import type { Clock } from "../platform/clock.ts";
import type { MainDatabase } from "../platform/database.ts";

/** Wires dashboards. */
export function createDashboards(deps: {
  database: MainDatabase;
  devices: DevicesService;
  telemetry: TelemetryService;
  alarms: AlarmsService;
  activity: DeviceActivityTracker;
  clock: Clock;
}): { dashboards: DashboardsService; shares: SharesService } {
  const { database, devices, telemetry, alarms, activity, clock } = deps;
  const repository = createSharesRepository(database);
  const dashboards = createDashboardsService({
    repository: createDashboardsRepository(database),
    aliasDevices: createAliasDevices({
      devices,
      isActive: ({ deviceId }) => activity.get(deviceId)?.active ?? false,
    }),
    dataOf: createDashboardData({ telemetry, alarms }),
    devices,
    telemetry,
    isShared: (dashboardId) => repository.list(dashboardId).length > 0,
    clock,
  });
  return { dashboards, shares: createSharesService({ repository, dashboards, devices, clock }) };
}
