import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { SettingsModule } from "../settings/settings.module.ts";
import type { TenantsModule } from "../tenants/tenants.module.ts";
import { proxiesRoutes } from "./proxies.routes.ts";
import { ProxySettings } from "./proxy-settings.ts";

/** Creates the settings for reverse proxies. */
export function createProxiesModule(
  { config, configured, clock, restart }: Core,
  modules: { readonly settings: SettingsModule; readonly tenants: TenantsModule },
) {
  const { settings } = modules.settings;
  const { tenants } = modules.tenants;
  const proxySettings = new ProxySettings({ settings, configured, running: config, clock });
  return {
    routes: (auth: AuthPlugin) =>
      proxiesRoutes({ settings: proxySettings, restart: () => restart.request(), tenants, auth }),
  };
}
