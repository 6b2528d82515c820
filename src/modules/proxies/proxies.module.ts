import type { Config } from "../../platform/config.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { SettingsService } from "../settings/settings.service.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { proxiesRoutes } from "./proxies.routes.ts";
import { ProxySettings } from "./proxy-settings.ts";

/** Creates the module of the settings about reverse proxies. */
export function createProxiesModule(
  { config, clock, restart }: Core,
  {
    given,
    settings,
    tenants,
  }: {
    /** The configuration without what is stored. */
    given: Config;
    settings: SettingsService;
    tenants: TenantsService;
  },
) {
  const proxySettings = new ProxySettings({ settings, given, running: config, clock });
  return {
    routes: (auth: AuthPlugin) =>
      proxiesRoutes({ settings: proxySettings, restart: () => restart.request(), tenants, auth }),
  };
}
