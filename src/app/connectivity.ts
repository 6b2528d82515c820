import type { Endpoints } from "../modules/connectivity/connectivity.service.ts";
import { createWebhookSecretsRepository } from "../modules/connectivity/webhook-secrets.repository.ts";
import { createWebhookSecretsService } from "../modules/connectivity/webhook-secrets.service.ts";
import type { MqttServer } from "../mqtt/mqtt.types.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { Tls } from "../platform/tls.ts";

/** Where the ways in are, and what programs show that come by them. */
export function createConnectivity(deps: {
  config: Config;
  database: MainDatabase;
  mqtt: Pick<MqttServer, "port" | "tlsPort">;
  tls: Tls | undefined;
  httpsPort: () => number | undefined;
  clock: Clock;
}) {
  const { config, database, mqtt, clock } = deps;
  const repository = createWebhookSecretsRepository(database);
  return {
    authority: () => deps.tls?.authority,
    webhookSecrets: createWebhookSecretsService({ repository, clock }),
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
