import {
  and,
  asc,
  count,
  desc,
  eq,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { union } from "drizzle-orm/sqlite-core";
import type { MessagePart } from "../../lib/alarms/message-parts.ts";
import { ALARM_SEVERITIES } from "../../lib/alarms/severity.ts";
import { comparedId, type DeviceId, type ProfileId, type TenantId } from "../../lib/core/ids.ts";
import { omit } from "../../lib/core/omit.ts";
import { contains } from "../../platform/database/contains.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { isAmong, type VisibleDevices } from "../../platform/database/is-among.ts";
import { parseStored } from "../../platform/database/stored-json.ts";
import { devices } from "../devices/devices.tables.ts";
import { type AlarmRow, createAlarmWrites } from "./alarm-writes.repository.ts";
import {
  alarmEscalation,
  alarmEvents,
  alarmRun,
  alarmStates,
  alarms,
  severityRank,
} from "./alarms.tables.ts";
import type {
  Alarm,
  AlarmEvent,
  AlarmFilter,
  AlarmSortField,
  AlarmStatus,
  EscalationSettings,
  ListedAlarm,
  OpenAlarms,
} from "./alarms.types.ts";

export type AlarmRun = Omit<typeof alarmRun.$inferSelect, "one">;

type ListFilter = Omit<AlarmFilter, "sort" | "limit" | "offset">;

export interface AlarmViewer {
  readonly tenantId: TenantId;
  readonly devices: VisibleDevices;
}

/** Page of alarms by their sequence numbers, and the number of alarms on all pages. */
export interface AlarmSequences {
  readonly sequences: readonly number[];
  readonly total: number;
}

const toAlarm = ({ sequence: _, ...row }: AlarmRow): Alarm => ({
  ...row,
  profileId: row.profileId as ProfileId,
  messageParts:
    row.messageParts === null
      ? null
      : (parseStored(row.messageParts, "alarms", "message_parts") as MessagePart[]), // our own
});

const sortKeys: Record<AlarmSortField, SQL<string | number>> = {
  raisedAt: sql`${alarms.sequence}`,
  createdAt: sql`${alarms.createdAt}`,
  updatedAt: sql`${alarms.updatedAt}`,
  severity: severityRank,
  status: sql`${alarms.status}`,
  name: sql`lower(${alarms.alarmType})`,
  deviceName: sql`lower(${devices.name})`,
};

/** Matches alarms that may have been open in a time range; a reopened alarm counts from its first raise to its last end. */
const openIn = ({ from, to }: Pick<AlarmFilter, "from" | "to">): SQL | undefined =>
  and(
    from === undefined ? undefined : or(isNull(alarms.clearedAt), gte(alarms.clearedAt, from)),
    to === undefined ? undefined : lte(alarms.createdAt, to),
  );

/** Returns the index condition that all the statuses share. */
const halfOf = (statuses: readonly AlarmStatus[] | undefined) =>
  (["ACTIVE", "UNACK"] as const).find((part) =>
    statuses?.every((status) => status.split("_").includes(part)),
  );

/** Returns an index's own condition, without which SQLite does not use the small indexes of open and of unacknowledged alarms. */
function isInHalf(statuses: readonly AlarmStatus[] | undefined): SQL | undefined {
  const half = halfOf(statuses);
  return and(
    half === "ACTIVE" ? isNull(alarms.clearedAt) : undefined,
    half === "UNACK" ? isNull(alarms.acknowledgedAt) : undefined,
  );
}

/** Returns whether the condition of an index covers the statuses. */
const isHalf = (statuses: readonly AlarmStatus[] | undefined): boolean =>
  statuses === undefined || (halfOf(statuses) !== undefined && new Set(statuses).size === 2);

const hasStatus = (statuses: readonly AlarmStatus[] | undefined): SQL | undefined =>
  and(
    isInHalf(statuses),
    statuses === undefined || isHalf(statuses) ? undefined : inArray(alarms.status, [...statuses]),
  );

const containsTag = (search: string): SQL =>
  sql`(${devices.tags} <> '[]' AND EXISTS (SELECT 1 FROM json_each(${devices.tags}) AS tag WHERE ${contains(sql`tag.value`, search)}))`;

/** Matches devices that currently have these properties. */
export const havingProperties = ({
  profileId,
  deviceType,
  tag,
}: Pick<AlarmFilter, "profileId" | "deviceType" | "tag">): SQL | undefined =>
  and(
    profileId === undefined ? undefined : eq(devices.profileId, profileId as ProfileId), // only compared
    deviceType === undefined ? undefined : eq(devices.deviceType, deviceType),
    tag === undefined
      ? undefined
      : sql`EXISTS (SELECT 1 FROM json_each(${devices.tags}) AS tag WHERE tag.value = ${tag})`,
  );

/** Matches alarms of a gateway and of its children, and alarms propagated to it. */
const ofGateway = ({ gatewayId }: Pick<AlarmFilter, "gatewayId">): SQL | undefined =>
  gatewayId === undefined
    ? undefined
    : or(
        eq(alarms.deviceId, comparedId(gatewayId)),
        eq(alarms.gatewayId, comparedId(gatewayId)),
        eq(devices.parentDeviceId, comparedId(gatewayId)),
      );

/** Builds the condition of a filter on alarms, joined with their devices. */
export function conditionOf(
  tenantId: TenantId,
  visible: VisibleDevices,
  filter: ListFilter,
): SQL | undefined {
  const { search } = filter;
  return and(
    eq(alarms.tenantId, tenantId),
    isAmong(alarms.deviceId, visible),
    filter.deviceId && or(eq(alarms.deviceId, filter.deviceId), eq(alarms.gatewayId, filter.deviceId)),
    filter.severities && inArray(alarms.severity, [...filter.severities]),
    hasStatus(filter.statuses),
    openIn(filter),
    filter.raisedUntil === undefined ? undefined : lte(alarms.raisedAt, filter.raisedUntil),
    ofGateway(filter),
    havingProperties(filter),
    filter.name === undefined ? undefined : eq(alarms.alarmType, filter.name),
    search
      ? or(
          containsTag(search),
          contains(devices.label, search),
          contains(alarms.message, search),
          contains(alarms.alarmType, search),
          contains(devices.name, search),
        )
      : undefined,
  );
}

/** Creates the function that returns the devices with open alarms, unordered. */
const createOpenByDevice =
  (orm: MainDatabase["orm"]) =>
  (tenantId: TenantId, visible: VisibleDevices): OpenAlarms[] =>
    orm
      .select({
        deviceId: alarms.deviceId,
        deviceName: devices.name,
        parentDeviceId: devices.parentDeviceId,
        rank: sql<number>`max(${severityRank})`,
        count: count(),
        unacknowledged: sql<number>`sum(${alarms.acknowledgedAt} IS NULL)`,
      })
      .from(alarms)
      .innerJoin(devices, eq(devices.deviceId, alarms.deviceId))
      .where(and(eq(alarms.tenantId, tenantId), isNull(alarms.clearedAt), isAmong(alarms.deviceId, visible)))
      .groupBy(alarms.deviceId)
      .all()
      .map(({ rank, deviceId, parentDeviceId, ...counts }) => ({
        deviceId,
        parentDeviceId,
        severity: ALARM_SEVERITIES[rank] ?? "INDETERMINATE",
        ...counts,
      }));

const listedAlarms = (orm: MainDatabase["orm"]) =>
  orm
    .select({ alarm: alarms, deviceName: devices.name, deviceType: devices.deviceType })
    .from(alarms)
    .innerJoin(devices, eq(devices.deviceId, alarms.deviceId));

const toListed = ({
  alarm,
  ...device
}: {
  alarm: AlarmRow;
  deviceName: string;
  deviceType: string;
}): ListedAlarm => ({ ...toAlarm(alarm), ...device });

/** Candidate for a list of alarms. */
export interface SiftedAlarm {
  readonly sequence: number;
  readonly deviceId: string;
  /** Sort field of the list: a number, or a case-insensitive string. */
  readonly key: string | number;
  readonly isListed: boolean;
}

/** Max. devices whose alarms are read per device, instead of all alarms of the tenant. */
const OWN_DEVICES_MAX = 20;

/** Returns the next candidates for a list, from an index alone; the most recently raised first. */
function candidatesOf(
  orm: MainDatabase["orm"],
  { tenantId, devices: visible }: AlarmViewer,
  { filter, before, limit }: { filter: ListFilter; before: number; limit: number },
) {
  const { sequence } = alarms;
  const next = (isCandidate: SQL | undefined) =>
    orm
      .select({ sequence })
      .from(alarms)
      .where(and(isCandidate, lt(sequence, before)))
      .orderBy(desc(sequence))
      .limit(limit);
  const { deviceId, statuses } = filter;
  const isOfFew = visible !== "all" && visible.size > 0 && visible.size <= OWN_DEVICES_MAX;
  const ofDevices = isOfFew ? [...visible].map((id) => eq(alarms.deviceId, id)) : [];
  const conditions =
    deviceId === undefined ? ofDevices : [eq(alarms.deviceId, deviceId), eq(alarms.gatewayId, deviceId)];
  // One condition with all devices would sort all of their alarms each time.
  const [first, second, ...others] = conditions.map((condition, index) => {
    const part = next(condition).as(`part_${index}`);
    return orm.select({ sequence: part.sequence }).from(part);
  });
  if (first !== undefined && second !== undefined)
    return union(first, second, ...others)
      .orderBy(sql`sequence DESC`)
      .limit(limit)
      .as("candidates");
  if (conditions[0] !== undefined) return next(conditions[0]).as("candidates");
  return next(and(eq(alarms.tenantId, tenantId), isInHalf(statuses))).as("candidates");
}

/** Creates the functions that list alarms. Each call reads a limited number of alarms, or only an index, because a tenant may have millions. */
function createAlarmReads(orm: MainDatabase["orm"]) {
  return {
    /** Filters the next alarms of a list before a sequence number, most recently raised first. The caller removes alarms of hidden devices. */
    sift(
      viewer: AlarmViewer,
      filter: ListFilter,
      { before, limit, sort }: { before: number; limit: number; sort: AlarmSortField },
    ): SiftedAlarm[] {
      const candidates = candidatesOf(orm, viewer, { filter, before, limit });
      return orm
        .select({
          sequence: alarms.sequence,
          deviceId: alarms.deviceId,
          key: sortKeys[sort],
          isListed: sql`(${conditionOf(viewer.tenantId, "all", filter)}) IS TRUE`.mapWith(Boolean),
        })
        .from(candidates)
        .innerJoin(alarms, eq(alarms.sequence, candidates.sequence))
        .leftJoin(devices, eq(devices.deviceId, alarms.deviceId)) // a row for each candidate
        .orderBy(desc(alarms.sequence))
        .all();
    },
    /** Returns a page of a tenant's alarms (all, open or unacknowledged) by their sequence numbers. */
    listIndexed(
      tenantId: TenantId,
      statuses: AlarmFilter["statuses"],
      { limit, offset, isDescending }: { limit: number; offset: number; isDescending: boolean },
    ): AlarmSequences | undefined {
      if (!isHalf(statuses)) return undefined;
      const isListed = and(eq(alarms.tenantId, tenantId), isInHalf(statuses));
      const rows = orm
        .select({ sequence: alarms.sequence })
        .from(alarms)
        .where(isListed)
        .orderBy(isDescending ? desc(alarms.sequence) : asc(alarms.sequence))
        .limit(limit)
        .offset(offset)
        .all();
      const counted = orm.select({ total: count() }).from(alarms).where(isListed).get();
      return { sequences: rows.map(({ sequence }) => sequence), total: counted?.total ?? 0 };
    },
    /** Returns alarms in the given order, without deleted ones. */
    listBySequence(sequences: readonly number[]): ListedAlarm[] {
      const rows = listedAlarms(orm)
        .where(sql`${alarms.sequence} IN (SELECT value FROM json_each(${JSON.stringify(sequences)}))`)
        .all();
      const bySequence = new Map(rows.map((row) => [row.alarm.sequence, row]));
      return sequences.flatMap((sequence) => {
        const row = bySequence.get(sequence);
        return row === undefined ? [] : toListed(row);
      });
    },
  };
}

export function createAlarmsRepository(database: MainDatabase) {
  const { orm } = database;
  const writes = createAlarmWrites(database);
  const listed = () => listedAlarms(orm);
  return {
    ...createAlarmReads(orm),
    find(tenantId: TenantId, alarmId: string): ListedAlarm | undefined {
      const row = listed()
        .where(and(eq(alarms.tenantId, tenantId), eq(alarms.alarmId, alarmId)))
        .get();
      return row && toListed(row);
    },
    /** Returns the existing alarms among `alarmIds`, unordered. */
    findMany: (tenantId: TenantId, alarmIds: readonly string[]): Alarm[] =>
      orm
        .select()
        .from(alarms)
        .where(
          and(
            // The plus keeps SQLite from reading all alarms of the tenant by their index.
            sql`+${alarms.tenantId} = ${tenantId}`,
            sql`${alarms.alarmId} IN (SELECT value FROM json_each(${JSON.stringify(alarmIds)}))`,
          ),
        )
        .all()
        .map(toAlarm),
    findById(alarmId: string): Alarm | undefined {
      const row = orm.select().from(alarms).where(eq(alarms.alarmId, alarmId)).get();
      return row && toAlarm(row);
    },
    /** Returns alarms that may still escalate. */
    listEscalating: (tenantId?: TenantId): Alarm[] =>
      orm
        .select()
        .from(alarms)
        .where(
          and(
            isNotNull(alarms.escalationSince),
            tenantId === undefined ? undefined : eq(alarms.tenantId, tenantId),
          ),
        )
        .all()
        .map(toAlarm),
    listOpen: (deviceId: DeviceId): Alarm[] => writes.listOpen(deviceId).map(toAlarm),
    listDevicesWithOpen: (): DeviceId[] =>
      orm
        .selectDistinct({ deviceId: alarms.deviceId })
        .from(alarms)
        .where(isNull(alarms.clearedAt))
        .all()
        .map(({ deviceId }) => deviceId),
    /** Returns the devices of a profile that have open alarms. */
    listDevicesWithOpenOf: (profileId: ProfileId): DeviceId[] =>
      orm
        .select({ deviceId: devices.deviceId })
        .from(devices)
        .where(
          sql`${devices.profileId} = ${profileId} AND EXISTS (SELECT 1 FROM ${alarms} WHERE ${alarms.deviceId} = ${devices.deviceId} AND ${alarms.clearedAt} IS NULL)`,
        )
        .all()
        .map(({ deviceId }) => deviceId),
    listOpenByDevice: createOpenByDevice(orm),
    /** Returns the newest alarm of the type, open or not. */
    findNewest(deviceId: DeviceId, alarmType: string): Alarm | undefined {
      const row = writes.findNewest(deviceId, alarmType);
      return row && toAlarm(row);
    },
    insert: writes.insert,
    update: writes.update,
    moveToFront: writes.moveToFront,
    addEvent: writes.addEvent,
    forgetDevice: writes.forgetDevice,
    /** Lists events, oldest first. */
    listEvents: (alarmId: string): AlarmEvent[] =>
      orm
        .select()
        .from(alarmEvents)
        .where(eq(alarmEvents.alarmId, alarmId))
        .orderBy(asc(alarmEvents.sequence))
        .all()
        .map((event) => omit(event, "sequence")),
    saveState: writes.saveState,
    findState: writes.findState,
    deleteState: (deviceId: DeviceId): void =>
      void orm.delete(alarmStates).where(eq(alarmStates.deviceId, deviceId)).run(),
    /** Lists devices with a due evaluation if no message arrives. */
    listDue: (): Array<{ deviceId: DeviceId; dueAt: number }> =>
      orm
        .select({ deviceId: alarmStates.deviceId, dueAt: alarmStates.dueAt })
        .from(alarmStates)
        .where(isNotNull(alarmStates.dueAt))
        .all()
        .map(({ deviceId, dueAt }) => ({ deviceId, dueAt: dueAt ?? 0 })),
    /** Returns `undefined` before the first run. */
    findRun: (): AlarmRun | undefined => orm.select().from(alarmRun).get(),
    saveRun: (run: AlarmRun): void =>
      void orm
        .insert(alarmRun)
        .values({ one: 1, ...run })
        .onConflictDoUpdate({ target: alarmRun.one, set: run })
        .run(),
    escalation(tenantId: TenantId): EscalationSettings | undefined {
      const row = orm.select().from(alarmEscalation).where(eq(alarmEscalation.tenantId, tenantId)).get();
      if (row === undefined) return undefined;
      const settings = omit(row, "tenantId");
      return settings;
    },
    saveEscalation: (tenantId: TenantId, settings: EscalationSettings): void =>
      void orm
        .insert(alarmEscalation)
        .values({ tenantId, ...settings })
        .onConflictDoUpdate({ target: alarmEscalation.tenantId, set: settings })
        .run(),
  };
}

export type AlarmsRepository = ReturnType<typeof createAlarmsRepository>;
