import type { TenantId } from "../../lib/core/ids.ts";
import type { Config } from "../../platform/config/config.ts";
import { Port } from "../../platform/core/port.ts";
import { hostForDevices, isLoopback } from "../../platform/network/own-origin.ts";
import { publicAddressOf } from "../../platform/network/public-address.ts";
import type { Tls } from "../../platform/network/tls.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import { connectivityRoutes } from "./connectivity.routes.ts";
import type { Webhook } from "./connectivity.schemas.ts";
import type { Endpoints } from "./connectivity.service.ts";
import { createWebhookSecretsRepository } from "./webhook-secrets.repository.ts";
import { webhookSecretsRoutes } from "./webhook-secrets.routes.ts";
import { createWebhookSecretsService } from "./webhook-secrets.service.ts";

/** Returns whether MQTT without TLS only serves programs on this machine, in addition to MQTT with TLS for devices. */
const isForThisMachine = ({ tls, mqtt_host: host, mqtt_tls_host: tlsHost }: Config): boolean =>
  tls !== "off" && tlsHost !== undefined && isLoopback(host);

/** Creates the gateway's addresses for devices and programs, and the webhook secrets. */
export function createConnectivityModule(
  { config, database, clock, events, ports }: Core,
  { tls }: { tls: Tls | undefined },
) {
  /** Returns the paths that accept messages of a tenant. */
  const webhooksOf = new Port<(tenantId: TenantId) => readonly (Omit<Webhook, "url"> & { path: string })[]>(
    "connectivity.webhooksOf",
  );
  const repository = createWebhookSecretsRepository(database);
  events.on("tenant.deleted", ({ tenantId }) => repository.forget(tenantId));
  const secrets = createWebhookSecretsService({ repository, clock });
  function endpointsFor(requestUrl: string): Endpoints {
    const base = new URL(config.public_url ?? requestUrl);
    const hostOf = (listensOn: string) =>
      config.public_url === undefined ? hostForDevices(base.hostname, listensOn) : base.hostname;
    const https = ports.get("https");
    const mqttTls = ports.get("mqttTls");
    const mqtt = isForThisMachine(config) ? undefined : ports.get("mqtt");
    return {
      host: hostOf(mqtt === undefined ? (config.mqtt_tls_host ?? config.mqtt_host) : config.mqtt_host),
      httpUrl: publicAddressOf(config) ?? base.origin.replace(base.hostname, hostOf(config.http_host)),
      ...(mqtt !== undefined && { mqttPort: mqtt }),
      ...(https !== undefined && {
        httpsUrl: `https://${hostOf(config.https_host ?? config.http_host)}:${https}`,
      }),
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
          const { httpUrl } = endpointsFor(requestUrl);
          return webhooksOf
            .call(tenantId)
            .map(({ path, ...webhook }) => ({ ...webhook, url: `${httpUrl}${path}` }));
        },
        auth,
      }),
    ],
  };
}

export type ConnectivityModule = ReturnType<typeof createConnectivityModule>;
