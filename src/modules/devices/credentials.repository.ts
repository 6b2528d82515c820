import { eq, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { deviceCredentials } from "./credentials.tables.ts";
import { identityOf, type OtherCredentials } from "./credentials.types.ts";
import { deviceTokensOf } from "./device-tokens.ts";
import { devices } from "./devices.tables.ts";

type Row = typeof deviceCredentials.$inferSelect;

const toCredentials = ({ identity: _, ...row }: Row): OtherCredentials => ({
  ...row,
  deviceId: row.deviceId as DeviceId, // ids in our own tables were minted by us
});

export function createCredentialsRepository(database: MainDatabase) {
  const { orm } = database;
  const tokens = deviceTokensOf(database);
  const prepare = (column: "deviceId" | "identity" | "fingerprint") =>
    orm
      .select()
      .from(deviceCredentials)
      .where(eq(deviceCredentials[column], sql.placeholder("value")))
      .prepare();
  const byDevice = prepare("deviceId");
  const byIdentity = prepare("identity");
  const byFingerprint = prepare("fingerprint");
  const first = (row: Row | undefined) => row && toCredentials(row);
  return {
    find: (deviceId: DeviceId): OtherCredentials | undefined => first(byDevice.get({ value: deviceId })),
    findByIdentity: (identity: string): OtherCredentials | undefined =>
      first(byIdentity.get({ value: identity })),
    findByFingerprint: (fingerprint: string): OtherCredentials | undefined =>
      first(byFingerprint.get({ value: fingerprint })),
    save(credentials: OtherCredentials): void {
      const { type, clientId, username } = credentials;
      const identity = type === "MQTT_BASIC" ? identityOf(clientId, username) : null;
      const row = { ...credentials, identity };
      orm
        .insert(deviceCredentials)
        .values(row)
        .onConflictDoUpdate({ target: deviceCredentials.deviceId, set: row })
        .run();
    },
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
