import { eq, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { deviceCredentials } from "./credentials.tables.ts";
import type { OtherCredentials } from "./credentials.types.ts";
import { deviceTokensOf } from "./device-tokens.ts";
import { devices } from "./devices.tables.ts";

type Row = typeof deviceCredentials.$inferSelect;

const toCredentials = (row: Row): OtherCredentials => ({
  ...row,
});

export function createCredentialsRepository(database: MainDatabase) {
  const { orm } = database;
  const tokens = deviceTokensOf(database);
  const byDevice = lazyStatement(() =>
    orm
      .select()
      .from(deviceCredentials)
      .where(eq(deviceCredentials.deviceId, sql.placeholder("deviceId"))),
  );
  return {
    find(deviceId: DeviceId): OtherCredentials | undefined {
      const row = byDevice.get({ deviceId });
      return row && toCredentials(row);
    },
    save: (credentials: OtherCredentials): void =>
      void orm
        .insert(deviceCredentials)
        .values(credentials)
        .onConflictDoUpdate({ target: deviceCredentials.deviceId, set: credentials })
        .run(),
    delete: (deviceId: DeviceId): void =>
      void orm.delete(deviceCredentials).where(eq(deviceCredentials.deviceId, deviceId)).run(),
    saveToken: (deviceId: DeviceId, token: string, now: number): void =>
      void orm
        .update(devices)
        .set({ ...tokens.columns(token), updatedAt: now })
        .where(eq(devices.deviceId, deviceId))
        .run(),
  };
}

export type CredentialsRepository = ReturnType<typeof createCredentialsRepository>;
