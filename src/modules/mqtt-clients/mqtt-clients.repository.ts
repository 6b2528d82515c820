import { and, eq } from "drizzle-orm";
import type { TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { apiKeys } from "../api-keys/api-keys.tables.ts";
import { type MqttClient, mqttClientResource } from "./mqtt-clients.resource.ts";
import { mqttClients } from "./mqtt-clients.tables.ts";

export function createMqttClientsRepository(database: MainDatabase, clock: Clock) {
  const { orm } = database;
  const store = mqttClientResource.createStore(database, clock);
  return {
    ...store,
    findByApiKey: (apiKeyId: string): MqttClient | undefined =>
      orm.select().from(mqttClients).where(eq(mqttClients.apiKeyId, apiKeyId)).get(),
    /** Returns whether an MQTT client or an API key with this id exists. */
    isCredential: (id: string): boolean =>
      store.findAcrossTenants(id) !== undefined ||
      orm.select({ id: apiKeys.apiKeyId }).from(apiKeys).where(eq(apiKeys.apiKeyId, id)).get() !== undefined,
    /** Returns the key if it belongs to the tenant. */
    findApiKey: (tenantId: TenantId, apiKeyId: string) =>
      orm
        .select({ hasGlobalDeviceAccess: apiKeys.hasGlobalDeviceAccess })
        .from(apiKeys)
        .where(and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.apiKeyId, apiKeyId)))
        .get(),
  };
}

export type MqttClientsRepository = ReturnType<typeof createMqttClientsRepository>;
