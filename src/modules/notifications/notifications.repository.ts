import { and, asc, eq, getTableColumns, lte, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { notificationFlows, notificationQueue, notificationSettings } from "./notifications.tables.ts";
import type {
  AlarmNotification,
  Flow,
  NotificationSettings,
  QueuedNotification,
} from "./notifications.types.ts";

/** Key of the window of one recipient on one channel. */
type FlowKey = Pick<Flow, "recipientId" | "channel">;

export function createNotificationsRepository({ orm }: MainDatabase) {
  const ofFlow = ({ recipientId, channel }: FlowKey) =>
    and(eq(notificationFlows.recipientId, recipientId), eq(notificationFlows.channel, channel));
  // An alarm storm inserts thousands.
  const names = Object.keys(getTableColumns(notificationQueue)).filter(
    (name) => name !== "sequence" && name !== "notifiedUpTo",
  );
  const insert = lazyStatement(() =>
    orm.insert(notificationQueue).values(
      Object.fromEntries(
        names.map((name) => [name, sql.placeholder(name)]),
      ) as unknown as typeof notificationQueue.$inferInsert, // every column has its placeholder
    ),
  );
  return {
    addNotification: (notification: AlarmNotification): void => void insert.run({ ...notification }),
    /** Lists notifications, oldest first. */
    listNotifications: (limit: number): QueuedNotification[] =>
      orm
        .select()
        .from(notificationQueue)
        .orderBy(asc(notificationQueue.sequence))
        .limit(limit)
        .all()
        .map((row) => ({
          ...row,
        })),
    /** Deletes notifications up to this sequence number. */
    deleteNotifications: (until: number): void =>
      void orm.delete(notificationQueue).where(lte(notificationQueue.sequence, until)).run(),
    /** Notes that the notification has reached its recipients up to this id. */
    saveNotifiedUpTo: (sequence: number, recipientId: string): void =>
      void orm
        .update(notificationQueue)
        .set({ notifiedUpTo: recipientId })
        .where(eq(notificationQueue.sequence, sequence))
        .run(),
    findFlow: (key: FlowKey): Flow | undefined =>
      orm.select().from(notificationFlows).where(ofFlow(key)).get(),
    saveFlow: (flow: Flow): void =>
      void orm
        .insert(notificationFlows)
        .values(flow)
        .onConflictDoUpdate({ target: [notificationFlows.recipientId, notificationFlows.channel], set: flow })
        .run(),
    deleteFlow: (flow: Flow): void => void orm.delete(notificationFlows).where(ofFlow(flow)).run(),
    listEnded: (now: number, limit: number): Flow[] =>
      orm
        .select()
        .from(notificationFlows)
        .where(lte(notificationFlows.endsAt, now))
        .orderBy(asc(notificationFlows.endsAt))
        .limit(limit)
        .all(),
    nextEnd: (): number | undefined =>
      orm
        .select({ endsAt: notificationFlows.endsAt })
        .from(notificationFlows)
        .orderBy(asc(notificationFlows.endsAt))
        .limit(1)
        .get()?.endsAt,
    /** Limits the end of windows, because a clock that was set back must not delay them. */
    capDueTimes: (latest: number): void =>
      void orm
        .update(notificationFlows)
        .set({ endsAt: latest })
        .where(sql`${notificationFlows.endsAt} > ${latest}`)
        .run(),
    findSettings(tenantId: TenantId): NotificationSettings | undefined {
      const row = orm
        .select()
        .from(notificationSettings)
        .where(eq(notificationSettings.tenantId, tenantId))
        .get();
      if (row === undefined) return undefined;
      const { tenantId: _, ...settings } = row;
      return settings;
    },
    saveSettings: (tenantId: TenantId, settings: NotificationSettings): void =>
      void orm
        .insert(notificationSettings)
        .values({ tenantId, ...settings })
        .onConflictDoUpdate({ target: notificationSettings.tenantId, set: settings })
        .run(),
  };
}

export type NotificationsRepository = ReturnType<typeof createNotificationsRepository>;
