import { and, asc, desc, eq, gt, isNotNull, lt, lte, notInArray, or, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import { contains } from "../../platform/contains.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { integrationDownlinks as downlinks, integrationRoutes as routes } from "./downlinks.tables.ts";
import type { Downlink, DownlinkRoute, DownlinkState, NewDownlink } from "./downlinks.types.ts";

export type DownlinkChanges = Partial<
  Pick<Downlink, "state" | "networkId" | "attempts" | "error" | "nextAttemptAt">
> & { readonly changedAt: number };

const toDownlink = (row: typeof downlinks.$inferSelect): Downlink => ({
  ...row,
  tenantId: row.tenantId as TenantId, // branded when they were written
  deviceId: row.deviceId as DeviceId | null,
});

export function createDownlinksRepository({ orm }: MainDatabase) {
  const isQueued = eq(downlinks.state, "QUEUED");
  const isOpen = notInArray(downlinks.state, ["ACKNOWLEDGED", "FAILED"]);
  const downlinkOf = (row: typeof downlinks.$inferSelect | undefined) => row && toDownlink(row);
  const routeOf = orm
    .select()
    .from(routes)
    .where(
      and(
        eq(routes.tenantId, sql.placeholder("tenantId")),
        eq(routes.deviceKey, sql.placeholder("deviceKey")),
      ),
    )
    .prepare();
  const isOldest = sql`NOT EXISTS (SELECT 1 FROM integration_downlinks AS older WHERE older.integration_id = ${downlinks.integrationId} AND older.device_key = ${downlinks.deviceKey} AND older.sequence < ${downlinks.sequence} AND older.state = 'QUEUED')`;
  return {
    /** Returns `undefined` if its command has one already. */
    insert(downlink: NewDownlink): Downlink | undefined {
      const row = orm
        .insert(downlinks)
        .values({
          ...downlink,
          ...{
            state: "QUEUED",
            attempts: 0,
            nextAttemptAt: downlink.createdAt,
            changedAt: downlink.createdAt,
          },
        })
        .onConflictDoNothing()
        .returning()
        .get() as typeof downlinks.$inferSelect | undefined; // none on a conflict
      return downlinkOf(row);
    },
    find: (downlinkId: string): Downlink | undefined =>
      downlinkOf(orm.select().from(downlinks).where(eq(downlinks.downlinkId, downlinkId)).get()),
    /** Finds a downlink by our id or the network server's. */
    findReported(integrationId: string, id: string): Downlink | undefined {
      const isIt = or(eq(downlinks.downlinkId, id), eq(downlinks.networkId, id));
      return downlinkOf(
        orm
          .select()
          .from(downlinks)
          .where(and(eq(downlinks.integrationId, integrationId), isIt))
          .get(),
      );
    },
    update: (downlinkId: string, changes: DownlinkChanges): void =>
      void orm.update(downlinks).set(changes).where(eq(downlinks.downlinkId, downlinkId)).run(),
    /** The newest first. */
    list(
      integrationId: string,
      {
        limit,
        offset,
        state,
        search,
      }: { limit: number; offset: number; state?: DownlinkState | undefined; search?: string | undefined },
    ): {
      items: Downlink[];
      total: number;
    } {
      const wanted = and(
        eq(downlinks.integrationId, integrationId),
        state === undefined ? undefined : eq(downlinks.state, state),
        search === undefined ? undefined : contains(downlinks.deviceKey, search),
      );
      const total = orm.select({ n: sql<number>`count(*)` }).from(downlinks).where(wanted).get()?.n ?? 0;
      const page = orm.select().from(downlinks).where(wanted).orderBy(desc(downlinks.sequence));
      return { items: page.limit(limit).offset(offset).all().map(toDownlink), total };
    },
    /** Integrations for which something is due. */
    dueIntegrations: (now: number): string[] =>
      orm
        .selectDistinct({ integrationId: downlinks.integrationId })
        .from(downlinks)
        .where(and(isQueued, lte(downlinks.nextAttemptAt, now)))
        .all()
        .map(({ integrationId }) => integrationId),
    /** Returns the oldest downlink that waits of a device that is not among `busy`, of one integration, if it is due. */
    nextDue(integrationId: string, now: number, busy: readonly string[]): Downlink | undefined {
      const wanted = and(
        isQueued,
        eq(downlinks.integrationId, integrationId),
        lte(downlinks.nextAttemptAt, now),
        busy.length === 0 ? undefined : notInArray(downlinks.deviceKey, [...busy]),
        isOldest,
      );
      return downlinkOf(
        orm.select().from(downlinks).where(wanted).orderBy(asc(downlinks.sequence)).limit(1).get(),
      );
    },
    listExpired: (now: number, limit: number): Downlink[] =>
      orm
        .select()
        .from(downlinks)
        .where(and(isQueued, lte(downlinks.expiresAt, now)))
        .orderBy(asc(downlinks.sequence))
        .limit(limit)
        .all()
        .map(toDownlink),
    /** Returns the time at which the next downlink is due, of those that are not due yet. */
    nextAt: (now: number): number | undefined =>
      orm
        .select({ at: downlinks.nextAttemptAt })
        .from(downlinks)
        .where(and(isQueued, gt(downlinks.nextAttemptAt, now)))
        .orderBy(asc(downlinks.nextAttemptAt))
        .limit(1)
        .get()?.at,
    /** All that wait (of one integration) are due. */
    hasten(now: number, integrationId?: string): void {
      const wanted = and(
        isQueued,
        integrationId === undefined ? undefined : eq(downlinks.integrationId, integrationId),
      );
      orm.update(downlinks).set({ nextAttemptAt: now }).where(wanted).run();
    },
    countQueued(of: { integrationId: string } | { deviceKey: string; tenantId: TenantId }): number {
      const wanted =
        "integrationId" in of
          ? eq(downlinks.integrationId, of.integrationId)
          : and(eq(downlinks.tenantId, of.tenantId), eq(downlinks.deviceKey, of.deviceKey));
      return (
        orm.select({ n: sql<number>`count(*)` }).from(downlinks).where(and(isQueued, wanted)).get()?.n ?? 0
      );
    },
    /** Lists the unfinished downlinks of one integration that carry commands. */
    listCarriers: (integrationId: string): Downlink[] =>
      orm
        .select()
        .from(downlinks)
        .where(and(eq(downlinks.integrationId, integrationId), isNotNull(downlinks.commandRpcId), isOpen))
        .all()
        .map(toDownlink),
    /** Returns whether the command is carried already. */
    hasCommand: (commandRpcId: number): boolean =>
      orm.select({ one: sql`1` }).from(downlinks).where(eq(downlinks.commandRpcId, commandRpcId)).get() !==
      undefined,
    /** Commands of the device that a downlink still carries. */
    hasOpenCommand(deviceId: DeviceId): boolean {
      const wanted = and(eq(downlinks.deviceId, deviceId), isNotNull(downlinks.commandRpcId), isOpen);
      return orm.select({ one: sql`1` }).from(downlinks).where(wanted).limit(1).get() !== undefined;
    },
    deleteSettled: (before: number, limit: number): number =>
      orm
        .delete(downlinks)
        .where(
          sql`${downlinks.sequence} IN (SELECT sequence FROM integration_downlinks WHERE ${lt(downlinks.changedAt, before)} AND state <> 'QUEUED' LIMIT ${limit})`,
        )
        .returning({ sequence: downlinks.sequence })
        .all().length,
    route(tenantId: TenantId, deviceKey: string): DownlinkRoute | undefined {
      const row = routeOf.get({ tenantId, deviceKey });
      if (row === undefined) return undefined;
      const { applicationId, networkDeviceId, topicApplication, pushUrl } = row;
      return {
        integrationId: row.integrationId,
        ...(applicationId !== null && { applicationId }),
        ...(networkDeviceId !== null && { networkDeviceId }),
        ...(topicApplication !== null && { topicApplication }),
        ...(pushUrl !== null && { pushUrl }),
      };
    },
    saveRoute(tenantId: TenantId, deviceKey: string, route: DownlinkRoute): void {
      const { applicationId = null, networkDeviceId = null, topicApplication = null, pushUrl = null } = route;
      const values = {
        integrationId: route.integrationId,
        applicationId,
        networkDeviceId,
        topicApplication,
        pushUrl,
      };
      orm
        .insert(routes)
        .values({ tenantId, deviceKey, ...values })
        .onConflictDoUpdate({ target: [routes.tenantId, routes.deviceKey], set: values })
        .run();
    },
  };
}

export type DownlinksRepository = ReturnType<typeof createDownlinksRepository>;
