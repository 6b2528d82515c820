import type { DevicesService } from "../devices/devices.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { SettingsService } from "../settings/settings.service.ts";
import { createOverviewRepository } from "./overview.repository.ts";
import { overviewRoutes } from "./overview.routes.ts";
import { createOverviewService } from "./overview.service.ts";
import { OverviewHistory } from "./overview-history.ts";
import { OverviewPins } from "./overview-pins.service.ts";

/** Key figures of each tenant with their history, and the values that administrators have pinned. */
export function createOverviewModule(
  { database, clock, events, log }: Core,
  { settings, devices }: { settings: SettingsService; devices: DevicesService },
) {
  const repository = createOverviewRepository(database);
  const history = new OverviewHistory({ repository, settings, clock, log: log.child("overview") });
  const pins = new OverviewPins({ settings, devices, clock });
  const overview = createOverviewService({ repository, history, pins, devices });
  events.on("tenant.deleted", ({ tenantId }) => overview.forget(tenantId));
  return {
    routes: (auth: AuthPlugin) => [overviewRoutes({ overview, auth })],
    parts: [{ name: "overview", start: () => history.start(), stop: () => history.stop() }],
  };
}
