import { and, asc, count, eq } from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import type { Messenger } from "./messengers.types.ts";
import { messengers } from "./notifications.tables.ts";

type Row = typeof messengers.$inferSelect;
const toMessenger = (row: Row): Messenger => ({ ...row, tenantId: row.tenantId as TenantId }); // minted by us

export function createMessengersRepository({ orm }: MainDatabase) {
  const isMessenger = (tenantId: TenantId, messengerId: string) =>
    and(eq(messengers.tenantId, tenantId), eq(messengers.messengerId, messengerId));
  return {
    list: (tenantId: TenantId): Messenger[] =>
      orm
        .select()
        .from(messengers)
        .where(eq(messengers.tenantId, tenantId))
        .orderBy(asc(messengers.name), asc(messengers.messengerId))
        .all()
        .map(toMessenger),
    count: (tenantId: TenantId): number =>
      orm.select({ total: count() }).from(messengers).where(eq(messengers.tenantId, tenantId)).get()?.total ??
      0,
    find(tenantId: TenantId, messengerId: string): Messenger | undefined {
      const row = orm.select().from(messengers).where(isMessenger(tenantId, messengerId)).get();
      return row && toMessenger(row);
    },
    insert: (messenger: Messenger): void => void orm.insert(messengers).values(messenger).run(),
    update: ({ messengerId, tenantId, ...changes }: Messenger): void =>
      void orm.update(messengers).set(changes).where(isMessenger(tenantId, messengerId)).run(),
    delete: (tenantId: TenantId, messengerId: string): void =>
      void orm.delete(messengers).where(isMessenger(tenantId, messengerId)).run(),
    /** Returns the messenger of whatever tenant, for the windows of digests. */
    findById(messengerId: string): Messenger | undefined {
      const row = orm.select().from(messengers).where(eq(messengers.messengerId, messengerId)).get();
      return row && toMessenger(row);
    },
  };
}

export type MessengersRepository = ReturnType<typeof createMessengersRepository>;
