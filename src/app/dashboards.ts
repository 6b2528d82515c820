import type { AlarmsService } from "../modules/alarms/alarms.service.ts";
import { createAliasDevices } from "../modules/dashboards/alias-devices.ts";
import { createDashboardData } from "../modules/dashboards/dashboard-data.ts";
import { createDashboardsRepository } from "../modules/dashboards/dashboards.repository.ts";
import { createDashboardsService, type DashboardsService } from "../modules/dashboards/dashboards.service.ts";
import { createSharesRepository } from "../modules/dashboards/shares.repository.ts";
import { createSharesService, type SharesService } from "../modules/dashboards/shares.service.ts";
import type { DeviceActivityTracker } from "../modules/devices/device-activity.ts";
import type { TelemetryService } from "../modules/telemetry/telemetry.service.ts";
import { createDemoPlant } from "./demo-plant.ts";

/** Wires dashboards, and the simulated factory that comes with one. */
export function createDashboards(
  deps: Omit<Parameters<typeof createDemoPlant>[0], "dashboards"> & {
    telemetry: TelemetryService;
    alarms: AlarmsService;
    activity: DeviceActivityTracker;
  },
): { dashboards: DashboardsService; shares: SharesService } & ReturnType<typeof createDemoPlant> {
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
    onChanged: (dashboardId) => shares.changed(dashboardId),
    onDeleted: (dashboardId) => shares.endAll(dashboardId),
    clock,
  });
  const shares = createSharesService({
    repository,
    dashboards,
    devices,
    endSession: (sessionId) => deps.events.emit("session.ended", { sessionId }),
    clock,
  });
  return {
    dashboards,
    shares,
    ...createDemoPlant({ ...deps, dashboards, log: deps.log.child("demo plant") }),
  };
}
