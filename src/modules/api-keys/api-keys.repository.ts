import { asc, eq, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { devices } from "../devices/devices.tables.ts";
import { type ApiKey, apiKeyResource } from "./api-keys.resource.ts";
import { apiKeyDevices, apiKeys } from "./api-keys.tables.ts";

export function createApiKeysRepository(database: MainDatabase, clock: Pick<Clock, "now">) {
  const { orm } = database;
  const bySecret = lazyStatement(() =>
    orm
      .select()
      .from(apiKeys)
      .where(eq(apiKeys.secretHash, sql.placeholder("secretHash"))),
  );
  return {
    ...apiKeyResource.createStore(database, clock),
    findBySecretHash: (secretHash: string): ApiKey | undefined => bySecret.get({ secretHash }),
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
        .map((row) => row.deviceId),
    /** Returns the first id that does not belong to a device of the tenant. */
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
