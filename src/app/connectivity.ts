import type { TenantId } from "../lib/ids.ts";
import type { Endpoints } from "../modules/connectivity/connectivity.service.ts";
import { createWebhookSecretsRepository } from "../modules/connectivity/webhook-secrets.repository.ts";
import { createWebhookSecretsService } from "../modules/connectivity/webhook-secrets.service.ts";
import type { MqttServer } from "../mqtt/mqtt.types.ts";
import type { Tls } from "../platform/tls.ts";
import { createIntegrations, type IntegrationsContext } from "./integrations.ts";

/** Where the ways in are, what programs show that come by them, and what comes from other networks. */
export function createConnectivity(
  deps: Omit<IntegrationsContext, "secrets"> & {
    mqtt: Pick<MqttServer, "port" | "tlsPort">;
    tls: Tls | undefined;
    httpsPort: () => number | undefined;
  },
) {
  const { config, database, mqtt, clock } = deps;
  const secrets = createWebhookSecretsService({
    repository: createWebhookSecretsRepository(database),
    clock,
  });
  const { integrationsPart, radio, ...integrated } = createIntegrations({ ...deps, secrets });
  return {
    authority: () => deps.tls?.authority,
    webhookSecrets: secrets,
    webhooksOf(tenantId: TenantId, requestUrl: string) {
      const { origin } = new URL(config.public_url ?? requestUrl);
      return integrated.integrations
        .listWebhooks(tenantId)
        .map(({ path, ...webhook }) => ({ ...webhook, url: `${origin}${path}` }));
    },
    integrated,
    integrationsPart,
    radio,
    endpointsFor(requestUrl: string): Endpoints {
      const base = new URL(config.public_url ?? requestUrl);
      const host = base.hostname;
      const secure = { https: deps.httpsPort(), mqtt: mqtt.tlsPort };
      return {
        host,
        httpUrl: base.origin,
        mqttPort: mqtt.port,
        ...(secure.https !== undefined && { httpsUrl: `https://${host}:${secure.https}` }),
        ...(secure.mqtt !== undefined && { mqttTlsPort: secure.mqtt }),
      };
    },
  };
}
