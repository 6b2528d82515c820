import { and, asc, count, eq, gt, inArray, isNotNull, lt, notInArray, or, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import { contains } from "../../platform/database/contains.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import type { RowPage } from "../../platform/database/row-list.ts";
import type { DeliveryTarget } from "../../platform/delivery-queue/delivery-lanes.ts";
import { createDeliveryStore, targetPlaceholder } from "../../platform/delivery-queue/delivery-store.ts";
import { integrationDownlinks as downlinks, integrationRoutes as routes } from "./downlinks.tables.ts";
import type { Downlink, DownlinkRoute, DownlinkState, NewDownlink } from "./downlinks.types.ts";

export type DownlinkChanges = Partial<
  Pick<Downlink, "state" | "networkId" | "attempts" | "error" | "dueAt">
> & { readonly changedAt: number };

/** Bytes of a downlink without its strings: other columns and index entries. */
const DOWNLINK_BYTES = 512;
/** Max. MiB of an integration's waiting downlinks, and separately of its other downlinks. */
export const SPACE_MIB = 8;
export const SPACE_BYTES = SPACE_MIB * 1024 * 1024;
/** Max. downlinks per deletion; fewer settle between two deletions. */
const TRIMMED_PER_STEP = 4_000;

const bytes = sql`${DOWNLINK_BYTES} + octet_length(${downlinks.payload})`;
const bytesWithError = sql`${bytes} + coalesce(octet_length(${downlinks.error}), 0)`;

/** Returns the size of a downlink, the same as `bytes` of its row. */
export const bytesOf = ({ payload }: Pick<Downlink, "payload">): number =>
  DOWNLINK_BYTES + Buffer.byteLength(JSON.stringify(payload));

const toDownlink = (row: typeof downlinks.$inferSelect): Downlink => ({
  ...row,
  bytes: bytesOf(row),
});

export function createDownlinksRepository(database: MainDatabase) {
  const { orm } = database;
  const isQueued = sql`${downlinks.state} = 'QUEUED'`; // by this text, the index is found
  const isOpen = notInArray(downlinks.state, ["ACKNOWLEDGED", "FAILED"]);
  const downlinkOf = (row: typeof downlinks.$inferSelect | undefined) => row && toDownlink(row);
  const routeOf = lazyStatement(() =>
    orm
      .select()
      .from(routes)
      .where(
        and(
          eq(routes.tenantId, sql.placeholder("tenantId")),
          eq(routes.deviceKey, sql.placeholder("deviceKey")),
        ),
      ),
  );
  const store = createDeliveryStore(database, {
    table: downlinks,
    seq: downlinks.seq,
    isOfTarget: eq(downlinks.integrationId, targetPlaceholder),
    orderKey: downlinks.deviceKey,
    state: downlinks.state,
    waiting: "QUEUED",
    dueAt: downlinks.dueAt,
    expiresAt: downlinks.expiresAt,
    bytes,
    toRow: toDownlink,
  });
  return {
    ...store,
    targets: (): DeliveryTarget[] =>
      orm
        .selectDistinct({ targetId: downlinks.integrationId, tenantId: downlinks.tenantId })
        .from(downlinks)
        .where(isQueued)
        .all(),
    listOf: (seqs: readonly number[]): Downlink[] =>
      orm
        .select()
        .from(downlinks)
        .where(inArray(downlinks.seq, [...seqs]))
        .all()
        .map(toDownlink),
    /** Returns `undefined` if the command already has a downlink. */
    insert(downlink: NewDownlink): Downlink | undefined {
      const row = orm
        .insert(downlinks)
        .values({
          ...downlink,
          state: "QUEUED",
          attempts: 0,
          dueAt: downlink.createdAt,
          changedAt: downlink.createdAt,
        })
        .onConflictDoNothing()
        .returning()
        .get() as typeof downlinks.$inferSelect | undefined; // none on a conflict
      return downlinkOf(row);
    },
    find: (downlinkId: string): Downlink | undefined =>
      downlinkOf(orm.select().from(downlinks).where(eq(downlinks.downlinkId, downlinkId)).get()),
    /** Finds a downlink by its own id or the network server's. */
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
    /** Lists downlinks, newest first. */
    list(
      integrationId: string,
      filter: {
        limit: number;
        offset: number;
        state?: DownlinkState | undefined;
        search?: string | undefined;
      },
    ): RowPage<Downlink> {
      const { state, search } = filter;
      const isWanted = and(
        eq(downlinks.integrationId, integrationId),
        state === undefined ? undefined : eq(downlinks.state, state),
        search === undefined ? undefined : contains(downlinks.deviceKey, search),
      );
      return store.list(isWanted, filter);
    },
    /** Returns the number of downlinks waiting for a device. */
    countQueued: (tenantId: TenantId, deviceKey: string): number =>
      orm
        .select({ count: count() })
        .from(downlinks)
        .where(and(isQueued, eq(downlinks.tenantId, tenantId), eq(downlinks.deviceKey, deviceKey)))
        .get()?.count ?? 0,
    /** Lists the oldest unfinished downlinks of one integration that carry commands. */
    listCarriers: (integrationId: string, limit: number): Downlink[] =>
      orm
        .select()
        .from(downlinks)
        .where(and(eq(downlinks.integrationId, integrationId), isNotNull(downlinks.commandRpcId), isOpen))
        .orderBy(asc(downlinks.seq))
        .limit(limit)
        .all()
        .map(toDownlink),
    hasCommand: (commandRpcId: number): boolean =>
      orm.select({ one: sql`1` }).from(downlinks).where(eq(downlinks.commandRpcId, commandRpcId)).get() !==
      undefined,
    /** Returns whether an unfinished downlink carries a command to the device. */
    hasOpenCommand(deviceId: DeviceId): boolean {
      const wanted = and(eq(downlinks.deviceId, deviceId), isNotNull(downlinks.commandRpcId), isOpen);
      return orm.select({ one: sql`1` }).from(downlinks).where(wanted).limit(1).get() !== undefined;
    },
    /**
     * Deletes the oldest finished downlinks of an integration beyond `bytesMax`, a limited number per call. A downlink that carries a command and
     * may still be reported on is kept until the command expires.
     */
    trimSettled(integrationId: string, { bytesMax, now }: { bytesMax: number; now: number }): void {
      const isSettled = sql`state <> 'QUEUED' AND NOT (${and(isNotNull(downlinks.commandRpcId), isOpen, gt(downlinks.expiresAt, now))})`;
      const settled = sql`SELECT sequence, sum(${bytesWithError}) OVER (ORDER BY sequence DESC) AS bytes FROM integration_downlinks WHERE integration_id = ${integrationId} AND ${isSettled}`;
      const oldest = sql`SELECT sequence FROM (${settled}) WHERE bytes > ${bytesMax} LIMIT ${TRIMMED_PER_STEP}`;
      orm.delete(downlinks).where(sql`${downlinks.seq} IN (${oldest})`).run();
    },
    deleteSettled: (before: number, limit: number): number =>
      orm
        .delete(downlinks)
        .where(
          sql`${downlinks.seq} IN (SELECT sequence FROM integration_downlinks WHERE ${lt(downlinks.changedAt, before)} AND state <> 'QUEUED' LIMIT ${limit})`,
        )
        .returning({ seq: downlinks.seq })
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
