import { and, asc, count, eq, type SQL, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { apiKeys } from "../api-keys/api-keys.tables.ts";
import { mqttClients } from "./mqtt-clients.tables.ts";
import type { MqttClient } from "./mqtt-clients.types.ts";

type Row = typeof mqttClients.$inferSelect;

const toMqttClient = (row: Row): MqttClient => ({ ...row, tenantId: row.tenantId as TenantId }); // minted by us

export function createMqttClientsRepository({ orm }: MainDatabase) {
  const first = (where: SQL | undefined): MqttClient | undefined => {
    const row = orm.select().from(mqttClients).where(where).get();
    return row && toMqttClient(row);
  };
  return {
    findById: (id: string) => first(eq(mqttClients.mqttClientId, id)),
    findByName: (tenantId: TenantId, name: string) =>
      first(and(eq(mqttClients.tenantId, tenantId), eq(mqttClients.name, name))),
    findByApiKey: (apiKeyId: string) => first(eq(mqttClients.apiKeyId, apiKeyId)),
    /** Returns whether there is an MQTT client or an API key of this id. */
    isCredential: (id: string): boolean =>
      orm
        .select({ id: mqttClients.mqttClientId })
        .from(mqttClients)
        .where(eq(mqttClients.mqttClientId, id))
        .get() !== undefined ||
      orm.select({ id: apiKeys.apiKeyId }).from(apiKeys).where(eq(apiKeys.apiKeyId, id)).get() !== undefined,
    list: (tenantId: TenantId): MqttClient[] =>
      orm
        .select()
        .from(mqttClients)
        .where(eq(mqttClients.tenantId, tenantId))
        .orderBy(sql`${mqttClients.name} COLLATE NOCASE`, asc(mqttClients.mqttClientId))
        .all()
        .map(toMqttClient),
    count: (tenantId: TenantId): number =>
      orm.select({ count: count() }).from(mqttClients).where(eq(mqttClients.tenantId, tenantId)).get()
        ?.count ?? 0,
    /** Returns the key if it belongs to the tenant. */
    findApiKey: (tenantId: TenantId, apiKeyId: string) =>
      orm
        .select({ hasGlobalDeviceAccess: apiKeys.hasGlobalDeviceAccess })
        .from(apiKeys)
        .where(and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.apiKeyId, apiKeyId)))
        .get(),
    insert: (client: MqttClient): void => void orm.insert(mqttClients).values(client).run(),
    update: ({ mqttClientId, ...fields }: MqttClient): void =>
      void orm.update(mqttClients).set(fields).where(eq(mqttClients.mqttClientId, mqttClientId)).run(),
    delete: (id: string): void => void orm.delete(mqttClients).where(eq(mqttClients.mqttClientId, id)).run(),
  };
}

export type MqttClientsRepository = ReturnType<typeof createMqttClientsRepository>;
