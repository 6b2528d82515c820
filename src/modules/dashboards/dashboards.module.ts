import type { AlarmsModule } from "../alarms/alarms.module.ts";
import type { AttributesModule } from "../attributes/attributes.module.ts";
import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { TelemetryModule } from "../telemetry/telemetry.module.ts";
import { createAliasDevices } from "./alias-devices.ts";
import { createChoicesRepository } from "./choices.repository.ts";
import { createDashboardData } from "./dashboard-data.ts";
import { dashboardResource } from "./dashboards.resource.ts";
import { dashboardsRoutes } from "./dashboards.routes.ts";
import { createDashboardsService } from "./dashboards.service.ts";
import { withPositions } from "./map-positions.ts";
import { createSharesRepository } from "./shares.repository.ts";
import { sharedDashboardRoutes, sharesRoutes } from "./shares.routes.ts";
import { createSharesService } from "./shares.service.ts";
import { createTypeDashboards } from "./type-dashboards.ts";
import { createVersionsRepository } from "./versions.repository.ts";

/** Creates the dashboards, and the links that show them without an account. */
export function createDashboardsModule(
  { responses, database, clock, events }: Core,
  modules: {
    readonly devices: DevicesModule;
    readonly telemetry: TelemetryModule;
    readonly alarms: AlarmsModule;
    readonly attributes: AttributesModule;
  },
) {
  const { devices, currentOf } = modules.devices;
  const { telemetry } = modules.telemetry;
  const { alarms } = modules.alarms;
  const { attributes } = modules.attributes;
  const repository = createSharesRepository(database);
  const dashboards = createDashboardsService({
    store: dashboardResource.createStore(database, clock),
    aliasDevices: createAliasDevices({ devices, currentOf }),
    dataOf: withPositions(createDashboardData({ telemetry, alarms }), attributes),
    contentForType: createTypeDashboards({ devices, telemetry }),
    devices,
    alarms,
    choices: createChoicesRepository(database),
    versions: createVersionsRepository(database),
    transact: database.transact,
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
    endSession: (sessionId, isChanged = false) => events.emit("session.ended", { sessionId, isChanged }),
    clock,
  });
  return {
    dashboards,
    shares,
    routes: (auth: AuthPlugin) => [
      dashboardsRoutes({ dashboards, responses, auth }),
      sharesRoutes({ shares, auth }),
      sharedDashboardRoutes({ shares, responses }),
    ],
  };
}

export type DashboardsModule = ReturnType<typeof createDashboardsModule>;
