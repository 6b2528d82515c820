import type { TenantId } from "../../lib/ids.ts";
import { Port } from "../../platform/port.ts";
import type { Tls } from "../../platform/tls.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import { connectivityRoutes } from "./connectivity.routes.ts";
import type { Webhook } from "./connectivity.schemas.ts";
import type { Endpoints } from "./connectivity.service.ts";
import { createWebhookSecretsRepository } from "./webhook-secrets.repository.ts";
import { webhookSecretsRoutes } from "./webhook-secrets.routes.ts";
import { createWebhookSecretsService } from "./webhook-secrets.service.ts";

/** Creates the module of the addresses at which devices and programs reach the gateway, and of the webhook secrets. */
export function createConnectivityModule(
  { config, database, clock, ports }: Core,
  { tls }: { tls: Tls | undefined },
) {
  /** The paths that take messages of a tenant. */
  const webhooksOf = new Port<(tenantId: TenantId) => readonly (Omit<Webhook, "url"> & { path: string })[]>(
    "connectivity.webhooksOf",
  );
  const secrets = createWebhookSecretsService({
    repository: createWebhookSecretsRepository(database),
    clock,
  });
  function endpointsFor(requestUrl: string): Endpoints {
    const base = new URL(config.public_url ?? requestUrl);
    const https = ports.get("https");
    const mqttTls = ports.get("mqttTls");
    return {
      host: base.hostname,
      httpUrl: base.origin,
      mqttPort: ports.get("mqtt") ?? config.mqtt_port,
      ...(https !== undefined && { httpsUrl: `https://${base.hostname}:${https}` }),
      ...(mqttTls !== undefined && { mqttTlsPort: mqttTls }),
    };
  }
  return {
    secrets,
    endpointsFor,
    webhooksOf,
    routes: (auth: AuthPlugin) => [
      connectivityRoutes({ endpointsFor, authority: () => tls?.authority }),
      webhookSecretsRoutes({
        secrets,
        webhooksOf(tenantId, requestUrl) {
          const { origin } = new URL(config.public_url ?? requestUrl);
          return webhooksOf
            .call(tenantId)
            .map(({ path, ...webhook }) => ({ ...webhook, url: `${origin}${path}` }));
        },
        auth,
      }),
    ],
  };
}
