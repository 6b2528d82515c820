import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { SettingsService } from "../settings/settings.service.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { proxiesRoutes } from "./proxies.routes.ts";
import { ProxySettings } from "./proxy-settings.ts";

/** Creates the module of the settings about reverse proxies. */
export function createProxiesModule(
  { config, configured, clock, restart }: Core,
  { settings, tenants }: { settings: SettingsService; tenants: TenantsService },
) {
  const proxySettings = new ProxySettings({ settings, configured, running: config, clock });
  return {
    routes: (auth: AuthPlugin) =>
      proxiesRoutes({ settings: proxySettings, restart: () => restart.request(), tenants, auth }),
  };
}
