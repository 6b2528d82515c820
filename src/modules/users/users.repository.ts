import { eq, sql } from "drizzle-orm";
import type { DeviceId, TenantId, UserId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { userDevices, users } from "./users.tables.ts";
import type { User } from "./users.types.ts";

export interface UsersRepository {
  findById(userId: UserId): User | undefined;
  findByEmail(email: string): User | undefined;
  /** Ids of the devices granted to a user without global access. */
  listDevices(userId: UserId): DeviceId[];
  insert(user: User, now: number): void;
  grantDevice(userId: UserId, deviceId: DeviceId): void;
  count(): number;
}

type Row = typeof users.$inferSelect;

const toUser = (row: Row): User => ({
  userId: row.userId as UserId, // ids in our own tables were minted by us
  tenantId: row.tenantId as TenantId | null,
  email: row.email,
  fullName: row.fullName,
  role: row.role,
  status: row.status,
  canAcknowledgeAlarms: row.canAcknowledgeAlarms,
  hasGlobalDeviceAccess: row.hasGlobalDeviceAccess,
});

export function createUsersRepository({ orm }: MainDatabase): UsersRepository {
  const byId = orm
    .select()
    .from(users)
    .where(eq(users.userId, sql.placeholder("userId")))
    .prepare();
  const byEmail = orm
    .select()
    .from(users)
    .where(eq(users.email, sql.placeholder("email")))
    .prepare();
  const devicesOf = orm
    .select({ deviceId: userDevices.deviceId })
    .from(userDevices)
    .where(eq(userDevices.userId, sql.placeholder("userId")))
    .prepare();
  return {
    findById(userId) {
      const row = byId.get({ userId });
      return row && toUser(row);
    },
    findByEmail(email) {
      const row = byEmail.get({ email: email.trim().toLowerCase() });
      return row && toUser(row);
    },
    listDevices: (userId) => devicesOf.all({ userId }).map((row) => row.deviceId as DeviceId),
    insert: (user, now) =>
      void orm
        .insert(users)
        .values({ ...user, email: user.email.trim().toLowerCase(), createdAt: now, updatedAt: now })
        .run(),
    grantDevice: (userId, deviceId) =>
      void orm.insert(userDevices).values({ userId, deviceId }).onConflictDoNothing().run(),
    count: () => orm.select({ count: sql<number>`count(*)` }).from(users).get()?.count ?? 0,
  };
}
