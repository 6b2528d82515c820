import { and, count, desc, eq, exists, gte, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { AlarmSeverity } from "../../../lib/alarms/severity.ts";
import { comparedId, type ProfileId } from "../../../lib/core/ids.ts";
import type { MainDatabase } from "../../../platform/database/database.ts";
import { isAmong } from "../../../platform/database/is-among.ts";
import { devices } from "../../devices/devices.tables.ts";
import { type AlarmViewer, conditionOf, havingProperties } from "../alarms.repository.ts";
import { alarmEvents, alarms, alarmTrims, isCountedEvent } from "../alarms.tables.ts";
import type { AlarmFilter } from "../alarms.types.ts";

/** Max. newest alarms of a rule searched for one of a visible device. */
const LOOKED_THROUGH_MAX = 10_000;

export type CountedFilter = Omit<
  AlarmFilter,
  "from" | "to" | "statuses" | "raisedUntil" | "sort" | "limit" | "offset"
>;

/** Raised or acknowledged alarm. Times in epoch ms. */
export interface CountedEvent {
  readonly sequence: number;
  readonly at: number;
  readonly isAcknowledged: boolean;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly name: string;
  readonly severity: AlarmSeverity;
  /** Time at which the alarm was first raised. */
  readonly firstRaisedAt: number;
  /** False for alarms that the viewer may not see or the filter excludes. */
  readonly isCounted: boolean;
}

/** Creates the queries over many alarms. */
export function createAlarmStatisticsRepository({ orm }: MainDatabase) {
  /** Matches a gateway, its children, and devices whose alarms were propagated to it. */
  const isUnder = ({ gatewayId }: CountedFilter): SQL | undefined =>
    gatewayId === undefined
      ? undefined
      : or(
          eq(devices.deviceId, comparedId(gatewayId)),
          eq(devices.parentDeviceId, comparedId(gatewayId)),
          exists(
            orm
              .select({ alarmId: alarms.alarmId })
              .from(alarms)
              .where(and(eq(alarms.deviceId, devices.deviceId), eq(alarms.gatewayId, comparedId(gatewayId)))),
          ),
        );
  return {
    /** Returns a page of events, newest first, starting at `before`. */
    listEvents(
      viewer: AlarmViewer,
      filter: CountedFilter,
      range: {
        from: number;
        to: number;
        before: Pick<CountedEvent, "at" | "sequence"> | undefined;
        limit: number;
      },
    ): CountedEvent[] {
      const { from, to, before, limit } = range;
      // Filtered here rather than in the query, where one page could read through all events.
      const page = orm
        .select({
          sequence: alarmEvents.sequence,
          alarmId: alarmEvents.alarmId,
          eventType: alarmEvents.eventType,
          createdAt: alarmEvents.createdAt,
        })
        .from(alarmEvents)
        .where(
          and(
            isCountedEvent,
            eq(alarmEvents.tenantId, viewer.tenantId),
            gte(alarmEvents.createdAt, from),
            lte(alarmEvents.createdAt, before?.at ?? to),
            before &&
              sql`(${alarmEvents.createdAt}, ${alarmEvents.sequence}) < (${before.at}, ${before.sequence})`,
          ),
        )
        .orderBy(desc(alarmEvents.createdAt), desc(alarmEvents.sequence))
        .limit(limit)
        .as("page");
      const condition: SQL | undefined = conditionOf(viewer.tenantId, viewer.devices, filter);
      return orm
        .select({
          sequence: page.sequence,
          at: page.createdAt,
          isAcknowledged: sql`${page.eventType} = 'ACK'`.mapWith(Boolean),
          deviceId: alarms.deviceId,
          deviceName: devices.name,
          name: alarms.alarmType,
          severity: alarms.severity,
          firstRaisedAt: alarms.createdAt,
          isCounted: sql`(${condition}) IS TRUE`.mapWith(Boolean),
        })
        .from(page)
        .innerJoin(alarms, eq(alarms.alarmId, page.alarmId))
        .innerJoin(devices, eq(devices.deviceId, alarms.deviceId))
        .orderBy(desc(page.createdAt), desc(page.sequence))
        .all();
    },
    /**
     * Returns whether events of visible devices at or after a time were deleted because there were too many. Names and severities of deleted events
     * are unknown, so these filters are ignored.
     */
    hasDeletedSince(
      { tenantId, devices: visible }: AlarmViewer,
      filter: CountedFilter,
      from: number,
    ): boolean {
      const row = orm
        .select({ deviceId: alarmTrims.deviceId })
        .from(alarmTrims)
        .innerJoin(devices, eq(devices.deviceId, alarmTrims.deviceId))
        .where(
          and(
            gte(alarmTrims.deletedUntil, from),
            eq(devices.tenantId, tenantId),
            isAmong(alarmTrims.deviceId, visible),
            isUnder(filter),
            havingProperties(filter),
          ),
        )
        .limit(1)
        .get();
      return row !== undefined;
    },
    /** Returns the time of a rule's last alarm on devices that the caller sees; null if there is none. */
    lastRaisedBy(
      { devices: visible }: AlarmViewer,
      rule: { profileId: ProfileId; alarmType: string },
    ): number | null {
      const newest = orm
        .select({ deviceId: alarms.deviceId, raisedAt: alarms.raisedAt, sequence: alarms.sequence })
        .from(alarms)
        .where(and(eq(alarms.profileId, rule.profileId), eq(alarms.alarmType, rule.alarmType)))
        .orderBy(desc(alarms.sequence))
        .limit(LOOKED_THROUGH_MAX)
        .as("newest");
      const last = orm
        .select({ raisedAt: newest.raisedAt })
        .from(newest)
        .where(isAmong(newest.deviceId, visible))
        .orderBy(desc(newest.sequence))
        .limit(1)
        .get();
      return last?.raisedAt ?? null;
    },
    /** Returns the number of open alarms of each rule that has any. */
    countOpenByRule: ({ tenantId, devices: visible }: AlarmViewer) =>
      orm
        .select({ profileId: alarms.profileId, alarmType: alarms.alarmType, openCount: count() })
        .from(alarms)
        .where(
          and(eq(alarms.tenantId, tenantId), isNull(alarms.clearedAt), isAmong(alarms.deviceId, visible)),
        )
        .groupBy(alarms.profileId, alarms.alarmType)
        .all(),
  };
}

export type AlarmStatisticsRepository = ReturnType<typeof createAlarmStatisticsRepository>;
