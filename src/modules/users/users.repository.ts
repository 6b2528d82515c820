import { and, asc, count, desc, eq, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import { comparedId, type DeviceId, type TenantId, type UserId } from "../../lib/core/ids.ts";
import { normalizeEmail } from "../../lib/strings/normalize-email.ts";
import { contains } from "../../platform/database/contains.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { devices } from "../devices/devices.tables.ts";
import { createGrantsRepository } from "./grants.repository.ts";
import { users } from "./users.tables.ts";
import type { Role, User, UserFilter } from "./users.types.ts";

type Row = typeof users.$inferSelect;

const toUser = (row: Row): User => ({
  ...row,
});

const toRow = (user: User) => ({
  ...user,
  email: normalizeEmail(user.email),
  notificationSeverities: [...user.notificationSeverities],
});

const sortable: Record<string, SQL> = {
  fullName: sql`${users.fullName} COLLATE NOCASE`,
  email: sql`${users.email}`,
  role: sql`CASE ${users.role} WHEN 'TENANT_OWNER' THEN 0 WHEN 'TENANT_ADMIN' THEN 1 WHEN 'TENANT_RW' THEN 2 ELSE 3 END`,
  status: sql`${users.status}`,
  createdAt: sql`${users.createdAt}`,
};

function orderOf(sort = "fullName"): SQL[] {
  const column = sortable[sort.replace(/^-/, "")] ?? sql`${users.fullName} COLLATE NOCASE`;
  return [sort.startsWith("-") ? desc(column) : asc(column), asc(users.userId)];
}

function whereOf(tenantId: TenantId, { search, role, status }: UserFilter): SQL | undefined {
  const conditions: Array<SQL | undefined> = [eq(users.tenantId, tenantId)];
  if (role !== undefined) conditions.push(eq(users.role, role as Role)); // another one simply matches nobody
  if (status !== undefined) conditions.push(eq(users.status, status as User["status"]));
  if (search !== undefined && search !== "") {
    conditions.push(
      or(
        contains(users.fullName, search),
        contains(users.email, search),
        eq(users.userId, comparedId(search)),
      ),
    );
  }
  return and(...conditions);
}

/** Returns the ids of devices granted by name or through an asset. */
function grantedTo({
  userId,
  tenantId,
  hasGlobalAssetAccess,
}: Pick<User, "userId" | "tenantId" | "hasGlobalAssetAccess">) {
  const byName = sql`SELECT devices.device_id FROM user_devices JOIN devices ON devices.device_id = user_devices.device_id WHERE user_id = ${userId} AND tenant_id = ${tenantId}`;
  const byAsset = hasGlobalAssetAccess
    ? sql`SELECT device_id FROM devices WHERE tenant_id = ${tenantId} AND asset_id IS NOT NULL`
    : sql`SELECT device_id FROM user_assets JOIN devices ON devices.tenant_id = ${tenantId} AND devices.asset_id = user_assets.asset_id WHERE user_id = ${userId}`;
  return sql`${byName} UNION ${byAsset}`;
}

export function createUsersRepository({ orm }: MainDatabase) {
  const byId = lazyStatement(() =>
    orm
      .select()
      .from(users)
      .where(eq(users.userId, sql.placeholder("userId"))),
  );
  const byEmail = lazyStatement(() =>
    orm
      .select()
      .from(users)
      .where(eq(users.email, sql.placeholder("email"))),
  );

  return {
    ...createGrantsRepository(orm),
    findById(userId: UserId): User | undefined {
      const row = byId.get({ userId });
      return row && toUser(row);
    },
    /** Finds a user by email address, ignoring case. */
    findByEmail(email: string): User | undefined {
      const row = byEmail.get({ email: normalizeEmail(email) });
      return row && toUser(row);
    },
    find(tenantId: TenantId, userId: string): User | undefined {
      const row = byId.get({ userId });
      return row?.tenantId === tenantId ? toUser(row) : undefined;
    },
    list(tenantId: TenantId, filter: UserFilter): { items: User[]; total: number } {
      const where = whereOf(tenantId, filter);
      const items = orm
        .select()
        .from(users)
        .where(where)
        .orderBy(...orderOf(filter.sort))
        .limit(filter.limit)
        .offset(filter.offset)
        .all();
      const total = orm.select({ total: count() }).from(users).where(where).get()?.total ?? 0;
      return { items: items.map(toUser), total };
    },
    insert: (user: User): void => void orm.insert(users).values(toRow(user)).run(),
    update: (user: User): void =>
      void orm.update(users).set(toRow(user)).where(eq(users.userId, user.userId)).run(),
    /** Records the first confirmation of the user's address. */
    confirm: (userId: UserId, confirmedAt: number): void =>
      void orm
        .update(users)
        .set({ confirmedAt })
        .where(and(eq(users.userId, userId), isNull(users.confirmedAt)))
        .run(),
    delete: (userId: UserId): void => void orm.delete(users).where(eq(users.userId, userId)).run(),
    /** Counts the users of the whole gateway. */
    count: (): number => orm.select({ count: count() }).from(users).get()?.count ?? 0,
    countOf: (tenantId: TenantId): number =>
      orm.select({ count: count() }).from(users).where(eq(users.tenantId, tenantId)).get()?.count ?? 0,
    /** Returns the number of owners that can sign in, excluding `except`. */
    countActiveOwners: (tenantId: TenantId, except?: UserId): number =>
      orm
        .select({ count: count() })
        .from(users)
        .where(
          and(
            eq(users.tenantId, tenantId),
            eq(users.role, "TENANT_OWNER"),
            eq(users.status, "ACTIVE"),
            except === undefined ? undefined : ne(users.userId, except),
          ),
        )
        .get()?.count ?? 0,
    /** Returns the devices granted by name or through an asset, for a user without access to all devices. */
    listVisibleDevices: (user: User): DeviceId[] =>
      orm.all<{ device_id: string }>(grantedTo(user)).map((row) => row.device_id as DeviceId), // minted by us
    countVisibleDevices({ hasGlobalDeviceAccess, tenantId, ...user }: User): number {
      const visible = hasGlobalDeviceAccess
        ? sql`SELECT device_id FROM devices WHERE tenant_id = ${tenantId}`
        : grantedTo({ tenantId, ...user });
      return orm.all<{ total: number }>(sql`SELECT count(*) AS total FROM (${visible})`)[0]?.total ?? 0;
    },
    /** Returns the number of distinct assets named by the tenant's devices. */
    countAssets: (tenantId: TenantId): number =>
      orm
        .select({ count: sql<number>`count(DISTINCT ${devices.assetId})` })
        .from(devices)
        .where(eq(devices.tenantId, tenantId))
        .get()?.count ?? 0,
  };
}

export type UsersRepository = ReturnType<typeof createUsersRepository>;
