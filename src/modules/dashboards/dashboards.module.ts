import type { AlarmsService } from "../alarms/alarms.service.ts";
import type { DeviceActivityTracker } from "../devices/device-activity.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { TelemetryService } from "../telemetry/telemetry.service.ts";
import { createAliasDevices } from "./alias-devices.ts";
import { createDashboardData } from "./dashboard-data.ts";
import { createDashboardsRepository } from "./dashboards.repository.ts";
import { dashboardsRoutes } from "./dashboards.routes.ts";
import { createDashboardsService } from "./dashboards.service.ts";
import { createSharesRepository } from "./shares.repository.ts";
import { sharesRoutes } from "./shares.routes.ts";
import { createSharesService } from "./shares.service.ts";
import { createTypeDashboards } from "./type-dashboards.ts";

/** Dashboards, and the links that show one without an account. */
export function createDashboardsModule(
  { database, clock, events }: Core,
  deps: {
    devices: DevicesService;
    activity: DeviceActivityTracker;
    telemetry: TelemetryService;
    alarms: AlarmsService;
  },
) {
  const { devices, activity, telemetry, alarms } = deps;
  const repository = createSharesRepository(database);
  const dashboards = createDashboardsService({
    repository: createDashboardsRepository(database),
    aliasDevices: createAliasDevices({
      devices,
      isActive: ({ deviceId }) => activity.get(deviceId)?.active ?? false,
    }),
    dataOf: createDashboardData({ telemetry, alarms }),
    contentForType: createTypeDashboards({ devices, telemetry }),
    devices,
    alarms,
    isShared: (dashboardId) => repository.list(dashboardId).length > 0,
    onChanged: (dashboardId) => shares.changed(dashboardId),
    onDeleted: (dashboardId) => shares.endAll(dashboardId),
    clock,
  });
  const shares = createSharesService({
    repository,
    dashboards,
    devices,
    telemetry,
    endSession: (sessionId) => events.emit("session.ended", { sessionId }),
    clock,
  });
  return {
    dashboards,
    shares,
    routes: (auth: AuthPlugin) => [dashboardsRoutes({ dashboards, auth }), sharesRoutes({ shares, auth })],
  };
}
