import { and, asc, count, eq, sql } from "drizzle-orm";
import type { DeviceId, TenantId, UserId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { devices } from "../devices/devices.tables.ts";
import { apiKeyDevices, apiKeys } from "./api-keys.tables.ts";
import type { ApiKey } from "./api-keys.types.ts";

type Row = typeof apiKeys.$inferSelect;

const toApiKey = ({ secretHash: _, ...row }: Row): ApiKey => ({
  ...row,
  tenantId: row.tenantId as TenantId, // ids in our own tables were minted by us
  createdBy: row.createdBy as UserId | null,
});

export function createApiKeysRepository({ orm }: MainDatabase) {
  const bySecret = orm
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.secretHash, sql.placeholder("secretHash")))
    .prepare();
  const first = (where: ReturnType<typeof eq> | undefined) => {
    const row = orm.select().from(apiKeys).where(where).get();
    return row && toApiKey(row);
  };
  return {
    findBySecretHash(secretHash: string): ApiKey | undefined {
      const row = bySecret.get({ secretHash });
      return row && toApiKey(row);
    },
    findById: (apiKeyId: string): ApiKey | undefined => first(eq(apiKeys.apiKeyId, apiKeyId)),
    findByName: (tenantId: TenantId, name: string): ApiKey | undefined =>
      first(and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.name, name))),
    list: (tenantId: TenantId): ApiKey[] =>
      orm
        .select()
        .from(apiKeys)
        .where(eq(apiKeys.tenantId, tenantId))
        .orderBy(sql`${apiKeys.name} COLLATE NOCASE`, asc(apiKeys.apiKeyId))
        .all()
        .map(toApiKey),
    count: (tenantId: TenantId): number =>
      orm.select({ count: count() }).from(apiKeys).where(eq(apiKeys.tenantId, tenantId)).get()?.count ?? 0,
    insert: (apiKey: ApiKey, secretHash: string): void =>
      void orm
        .insert(apiKeys)
        .values({ ...apiKey, secretHash })
        .run(),
    rename: (apiKeyId: string, name: string): void =>
      void orm.update(apiKeys).set({ name }).where(eq(apiKeys.apiKeyId, apiKeyId)).run(),
    delete: (apiKeyId: string): void => void orm.delete(apiKeys).where(eq(apiKeys.apiKeyId, apiKeyId)).run(),
    saveLastUse: (apiKeyId: string, timeMs: number): void =>
      void orm.update(apiKeys).set({ lastUsedAt: timeMs }).where(eq(apiKeys.apiKeyId, apiKeyId)).run(),
    listDevices: (apiKeyId: string): DeviceId[] =>
      orm
        .select({ deviceId: apiKeyDevices.deviceId })
        .from(apiKeyDevices)
        .innerJoin(devices, eq(devices.deviceId, apiKeyDevices.deviceId))
        .where(eq(apiKeyDevices.apiKeyId, apiKeyId))
        .orderBy(asc(apiKeyDevices.deviceId))
        .all()
        .map((row) => row.deviceId as DeviceId), // minted by us
    /** The first of the ids that is no device of the tenant. */
    findUnknownDevice: (tenantId: TenantId, deviceIds: readonly string[]): string | undefined =>
      orm.all<{ value: string }>(
        sql`SELECT value FROM json_each(${JSON.stringify(deviceIds)}) WHERE NOT EXISTS (SELECT 1 FROM devices WHERE device_id = value AND tenant_id = ${tenantId}) LIMIT 1`,
      )[0]?.value,
    setDevices: (apiKeyId: string, deviceIds: readonly DeviceId[]): void =>
      void orm.run(
        sql`INSERT INTO ${apiKeyDevices} (api_key_id, device_id) SELECT ${apiKeyId}, value FROM json_each(${JSON.stringify([...new Set(deviceIds)])})`,
      ),
  };
}

export type ApiKeysRepository = ReturnType<typeof createApiKeysRepository>;
