import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { SettingsModule } from "../settings/settings.module.ts";
import { createOverviewRepository } from "./overview.repository.ts";
import { overviewRoutes } from "./overview.routes.ts";
import { createOverviewService } from "./overview.service.ts";
import { OverviewHistory } from "./overview-history.ts";
import { OverviewPins } from "./overview-pins.service.ts";

/** Creates the key figures of each tenant with their history, and the values pinned by administrators. */
export function createOverviewModule(
  { database, clock, events, log }: Core,
  modules: { readonly settings: SettingsModule; readonly devices: DevicesModule },
) {
  const { settings } = modules.settings;
  const { devices } = modules.devices;
  const repository = createOverviewRepository(database);
  const history = new OverviewHistory({ repository, devices, settings, clock, log: log.child("overview") });
  const pins = new OverviewPins({ settings, devices, clock });
  const overview = createOverviewService({ repository, history, pins, devices });
  events.on("tenant.deleted", ({ tenantId }) => overview.forget(tenantId));
  return {
    routes: (auth: AuthPlugin) => [overviewRoutes({ overview, auth })],
    parts: [{ name: "overview", start: () => history.start(), stop: () => history.stop() }],
  };
}
