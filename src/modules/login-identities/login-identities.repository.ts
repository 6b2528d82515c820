import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { deviceCredentials } from "../devices/credentials.tables.ts";
import { mqttClients } from "../mqtt-clients/mqtt-clients.tables.ts";
import { tenants } from "../tenants/tenants.tables.ts";
import { loginIdentities } from "./login-identities.tables.ts";
import type { LoginHolder } from "./login-identities.types.ts";

type Row = typeof loginIdentities.$inferSelect;

export function createLoginIdentitiesRepository({ orm }: MainDatabase) {
  const holders = (where: SQL | undefined) =>
    orm
      .select({
        ownerId: loginIdentities.ownerId,
        deviceId: loginIdentities.deviceId,
        mqttClientId: loginIdentities.mqttClientId,
        tenantId: loginIdentities.tenantId,
        value: loginIdentities.value,
        since: loginIdentities.since,
        confirmedAt: loginIdentities.confirmedAt,
        passwordHash: sql<
          string | null
        >`coalesce(${deviceCredentials.passwordHash}, ${mqttClients.passwordHash})`,
        isEnabled: sql`coalesce(${mqttClients.enabled}, 1)`.mapWith(Boolean),
      })
      .from(loginIdentities)
      .leftJoin(deviceCredentials, eq(deviceCredentials.deviceId, loginIdentities.deviceId))
      .leftJoin(mqttClients, eq(mqttClients.mqttClientId, loginIdentities.mqttClientId))
      .where(where)
      .orderBy(asc(loginIdentities.since), asc(loginIdentities.ownerId));
  const placeholders = ["first", "second", "third"].map((name) => sql.placeholder(name));
  const byNames = lazyStatement(() =>
    holders(and(eq(loginIdentities.kind, "NAME"), inArray(loginIdentities.value, placeholders))),
  );
  const byCertificate = lazyStatement(() =>
    holders(
      and(eq(loginIdentities.kind, "CERTIFICATE"), eq(loginIdentities.value, sql.placeholder("value"))),
    ),
  );
  const firstTenants = lazyStatement(() => orm.select({ tenantId: tenants.tenantId }).from(tenants).limit(2));
  const minted = (rows: ReturnType<typeof byNames.all>): LoginHolder[] => rows as LoginHolder[]; // ids in our own tables were minted by us

  return {
    /** Returns the holders of any of the names, oldest first. */
    findByNames: ([first, second = first, third = first]: readonly [
      string,
      string?,
      string?,
    ]): LoginHolder[] => minted(byNames.all({ first, second, third })),
    /** Returns the holders of the certificate, oldest first. */
    findByCertificate: (value: string): LoginHolder[] => minted(byCertificate.all({ value })),
    findInTenant: (tenantId: TenantId, { kind, value }: Pick<Row, "kind" | "value">) =>
      orm
        .select({ ownerId: loginIdentities.ownerId })
        .from(loginIdentities)
        .where(
          and(
            eq(loginIdentities.kind, kind),
            eq(loginIdentities.value, value),
            eq(loginIdentities.tenantId, tenantId),
          ),
        )
        .get(),
    find: (ownerId: string): Row | undefined =>
      orm.select().from(loginIdentities).where(eq(loginIdentities.ownerId, ownerId)).get(),
    save: (row: Row): void =>
      void orm
        .insert(loginIdentities)
        .values(row)
        .onConflictDoUpdate({ target: loginIdentities.ownerId, set: row })
        .run(),
    confirm: (ownerId: string, confirmedAt: number): void =>
      void orm.update(loginIdentities).set({ confirmedAt }).where(eq(loginIdentities.ownerId, ownerId)).run(),
    delete: (ownerId: string): void =>
      void orm.delete(loginIdentities).where(eq(loginIdentities.ownerId, ownerId)).run(),
    hasSeveralTenants: (): boolean => firstTenants.all().length > 1,
  };
}

export type LoginIdentitiesRepository = ReturnType<typeof createLoginIdentitiesRepository>;
