import { and, desc, eq, inArray, isNotNull, isNull, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/core/ids.ts";
import { Growth } from "../../lib/data/growth.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { alarmEvents, alarmStates, alarms, alarmTrims, isCountedEvent } from "./alarms.tables.ts";
import type { Alarm, AlarmEvent } from "./alarms.types.ts";

/*
 * Statements for raising and clearing alarms, and for a device's first message. They are prepared once, because a plant that stops raises
 * thousands of alarms within seconds, and building a statement takes many times as long as running it.
 */

/** Max. kept cleared alarms of a device; older ones are deleted. */
const CLEARED_KEPT_MAX = 1_000;
/** Max. kept events of an alarm, so that an alarm that flaps for years does not fill the disk. */
const EVENTS_KEPT_MAX = 1_000;
/** Max. events kept per device, so that flapping alarms do not fill the disk. */
const DEVICE_EVENTS_KEPT_MAX = 5_000;
/** Number of new events after which a device's oldest events are deleted; in between, it has up to 6,000. */
const DEVICE_EVENTS_ADDED_MAX = 1_000;
/** Max. events of a device per deletion, about 10 ms; further events are deleted at the next event. */
const DEVICE_EVENTS_TRIMMED_PER_STEP = 5_000;
const TRIMMED_PER_STEP = 100;

export type AlarmRow = typeof alarms.$inferSelect;

const CHANGING = [
  "profileId",
  "severity",
  "status",
  "message",
  "raisedAt",
  "raiseCount",
  "messageParts",
  "updatedAt",
  "acknowledgedAt",
  "acknowledgedBy",
  "clearedAt",
  "clearedBy",
  "gatewayId",
  "escalationLevel",
  "escalationSince",
] as const satisfies ReadonlyArray<keyof Alarm>;
const LASTING = ["alarmId", "tenantId", "deviceId", "alarmType", "createdAt"] as const;

const each = <Name extends string, Given>(names: readonly Name[], give: (name: Name) => Given) =>
  Object.fromEntries(names.map((name) => [name, give(name)])) as Record<Name, Given>; // one for each
const input = <Name extends string>(name: Name): Placeholder<Name> => sql.placeholder(name);
const set = (name: string): SQL => sql`${sql.placeholder(name)}`;

const toRow = ({ messageParts, ...alarm }: Alarm) => ({
  ...alarm,
  messageParts: messageParts && JSON.stringify(messageParts),
});

const ofDevice = eq(alarms.deviceId, input("deviceId"));

/** Creates the function that marks an alarm as the last raised. */
function createMoveToFront(orm: MainDatabase["orm"]) {
  const statement = lazyStatement(() =>
    orm
      .update(alarms)
      .set({ sequence: sql`(SELECT max(sequence) + 1 FROM alarms)` })
      .where(eq(alarms.alarmId, input("alarmId"))),
  );
  return (alarmId: string): void => void statement.run({ alarmId });
}

/** Creates the function that records the times of a device's deleted events, so that statistics can be marked as incomplete. */
function createNoteDeleted(orm: MainDatabase["orm"]) {
  const statement = lazyStatement(() =>
    orm
      .insert(alarmTrims)
      .values(each(["deviceId", "deletedUntil"], input))
      .onConflictDoUpdate({
        target: alarmTrims.deviceId,
        set: { deletedUntil: sql`max(deleted_until, excluded.deleted_until)` },
      }),
  );
  return (deviceId: DeviceId, times: readonly number[]): void => {
    if (times.length > 0) statement.run({ deviceId, deletedUntil: Math.max(...times) });
  };
}
type NoteDeleted = ReturnType<typeof createNoteDeleted>;

/** Creates the function that deletes the events of a device, or of one of its alarms, beyond the kept number. */
function createTrimEvents(
  orm: MainDatabase["orm"],
  noteDeleted: NoteDeleted,
  { of, kept, limit }: { of: SQL; kept: number; limit: number },
) {
  const tooMany = orm
    .select({ sequence: alarmEvents.sequence })
    .from(alarmEvents)
    .where(of)
    .orderBy(desc(alarmEvents.sequence))
    .limit(limit)
    .offset(kept);
  const areTooMany = lazyStatement(() => tooMany);
  const trim = lazyStatement(() =>
    orm
      .delete(alarmEvents)
      .where(inArray(alarmEvents.sequence, tooMany))
      .returning({ at: alarmEvents.createdAt, isCounted: sql`${isCountedEvent}`.mapWith(Boolean) }),
  );
  /** Returns the number of deleted events. */
  return (ids: { alarmId: string; deviceId: DeviceId }): number => {
    if (!areTooMany.get(ids)) return 0; // looking costs a tenth of deleting nothing
    const deleted = trim.all(ids);
    noteDeleted(
      ids.deviceId,
      deleted.flatMap(({ at, isCounted }) => (isCounted ? at : [])),
    );
    return deleted.length;
  };
}

/** Creates the functions that count new events of a device and, after each 1,000 of them, delete its oldest events. */
function createDeviceTrim(orm: MainDatabase["orm"], noteDeleted: NoteDeleted) {
  const grown = new Growth<DeviceId>(DEVICE_EVENTS_ADDED_MAX);
  const alarmsOfDevice = orm.select({ alarmId: alarms.alarmId }).from(alarms).where(ofDevice);
  const trim = createTrimEvents(orm, noteDeleted, {
    of: inArray(alarmEvents.alarmId, alarmsOfDevice),
    kept: DEVICE_EVENTS_KEPT_MAX,
    limit: DEVICE_EVENTS_TRIMMED_PER_STEP,
  });
  return {
    added(ids: { alarmId: string; deviceId: DeviceId }): void {
      if (!grown.add(ids.deviceId, 1)) return;
      if (trim(ids) === DEVICE_EVENTS_TRIMMED_PER_STEP) grown.forget(ids.deviceId);
    },
    forget: (deviceId: DeviceId): void => grown.forget(deviceId),
  };
}

export function createAlarmWrites({ orm }: MainDatabase) {
  const listOpen = lazyStatement(() =>
    orm
      .select()
      .from(alarms)
      .where(and(ofDevice, isNull(alarms.clearedAt))),
  );
  const findNewest = lazyStatement(() =>
    orm
      .select()
      .from(alarms)
      .where(and(ofDevice, eq(alarms.alarmType, input("alarmType"))))
      .orderBy(desc(alarms.sequence))
      .limit(1),
  );
  const insert = lazyStatement(() => orm.insert(alarms).values(each([...LASTING, ...CHANGING], input)));
  const update = lazyStatement(() =>
    orm
      .update(alarms)
      .set(each(CHANGING, set))
      .where(eq(alarms.alarmId, input("alarmId"))),
  );
  const over = orm
    .select({ sequence: alarms.sequence })
    .from(alarms)
    .where(and(ofDevice, isNotNull(alarms.clearedAt)))
    .orderBy(desc(alarms.sequence))
    .limit(TRIMMED_PER_STEP)
    .offset(CLEARED_KEPT_MAX);
  const isOver = lazyStatement(() => over);
  const trim = lazyStatement(() =>
    orm
      .delete(alarms)
      .where(inArray(alarms.sequence, over))
      .returning({ raisedAt: alarms.raisedAt, acknowledgedAt: alarms.acknowledgedAt }),
  );
  const addEvent = lazyStatement(() =>
    orm
      .insert(alarmEvents)
      .values(
        each(["eventId", "alarmId", "tenantId", "eventType", "code", "params", "by", "createdAt"], input),
      ),
  );
  const noteDeleted = createNoteDeleted(orm);
  const trimOfAlarm = createTrimEvents(orm, noteDeleted, {
    of: eq(alarmEvents.alarmId, input("alarmId")),
    kept: EVENTS_KEPT_MAX,
    limit: TRIMMED_PER_STEP,
  });
  const deviceTrim = createDeviceTrim(orm, noteDeleted);
  const saveState = lazyStatement(() =>
    orm
      .insert(alarmStates)
      .values(each(["deviceId", "state", "dueAt"], input))
      .onConflictDoUpdate({
        target: alarmStates.deviceId,
        set: { state: sql`excluded.state`, dueAt: sql`excluded.due_at` },
      }),
  );
  const findState = lazyStatement(() =>
    orm
      .select({ state: alarmStates.state })
      .from(alarmStates)
      .where(eq(alarmStates.deviceId, input("deviceId"))),
  );

  return {
    listOpen: (deviceId: DeviceId): AlarmRow[] => listOpen.all({ deviceId }),
    /** Returns the newest alarm of the type, open or not. */
    findNewest: (deviceId: DeviceId, alarmType: string): AlarmRow | undefined =>
      findNewest.get({ deviceId, alarmType }),
    insert(alarm: Alarm): void {
      insert.run(toRow(alarm));
      const { deviceId } = alarm;
      if (!isOver.get({ deviceId })) return; // looking costs a tenth of deleting nothing
      const deleted = trim.all({ deviceId });
      noteDeleted(
        deviceId,
        deleted.map(({ raisedAt, acknowledgedAt }) => Math.max(raisedAt, acknowledgedAt ?? 0)),
      );
    },
    update: (alarm: Alarm): void => void update.run(toRow(alarm)),
    moveToFront: createMoveToFront(orm),
    addEvent(event: AlarmEvent, { tenantId, deviceId }: Pick<Alarm, "tenantId" | "deviceId">): void {
      addEvent.run({ ...event, tenantId });
      const ids = { alarmId: event.alarmId, deviceId };
      trimOfAlarm(ids);
      deviceTrim.added(ids);
    },
    /** Forgets a deleted device and its alarms. */
    forgetDevice: deviceTrim.forget,
    saveState: (deviceId: DeviceId, state: string, dueAt: number | undefined): void =>
      void saveState.run({ deviceId, state, dueAt: dueAt ?? null }),
    findState: (deviceId: DeviceId): string | undefined => findState.get({ deviceId })?.state,
  };
}
