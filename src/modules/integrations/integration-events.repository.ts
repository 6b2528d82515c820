import { and, asc, desc, eq, gt, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { MainDatabase } from "../../platform/database.ts";
import { integrationEvents, integrationSeen } from "./integrations.tables.ts";
import type { EventStatus, IntegrationEvent } from "./integrations.types.ts";

export type NewEvent = Omit<IntegrationEvent, "seq">;
export type EventOutcome = Pick<
  IntegrationEvent,
  "status" | "stage" | "message" | "result" | "isReplayable"
> & { readonly payload: Uint8Array | null };

export interface EventFilter {
  readonly status?: EventStatus | undefined;
  readonly direction?: "IN" | "OUT" | undefined;
  readonly search?: string | undefined;
  /** Only those that came after, or before, the one of this number. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
  readonly offset: number;
}

export interface IntegrationEventsRepository {
  insert(event: NewEvent): void;
  finish(eventId: string, outcome: EventOutcome): void;
  setReplayed(eventId: string, at: number): void;
  find(integrationId: string, eventId: string): IntegrationEvent | undefined;
  /** The newest first. */
  list(integrationId: string, filter: EventFilter): { items: IntegrationEvent[]; total: number };
  /** The oldest first, of all tenants. */
  listPending(limit: number): IntegrationEvent[];
  /** Failed ones that were not worked on again, the oldest first. */
  listReplayable(integrationId: string, limit: number): IntegrationEvent[];
  countIn(integrationId: string, statuses: readonly EventStatus[]): number;
  /** Keeps the newest `keep` of those in these states. */
  trim(integrationId: string, statuses: readonly EventStatus[], keep: number): void;
  deleteAll(integrationId: string): void;
  isSeen(integrationId: string, key: string): boolean;
  markSeen(integrationId: string, key: string, at: number): void;
  forgetSeen(before: number, limit: number): void;
}

type Row = typeof integrationEvents.$inferSelect;
const toEvent = (row: Row) => row as IntegrationEvent; // its stage is one that we wrote

export function createIntegrationEventsRepository({ orm }: MainDatabase): IntegrationEventsRepository {
  const given = sql.placeholder;
  const fields = [
    "eventId",
    "integrationId",
    "direction",
    "status",
    "stage",
    "message",
    "payload",
    "origin",
    "result",
    "isReplayable",
    "replayedAt",
    "createdAt",
  ] as const satisfies ReadonlyArray<keyof NewEvent>;
  // One for each message that comes in: prepared, and in the form that the columns hold.
  const insert = orm
    .insert(integrationEvents)
    .values(
      Object.fromEntries(fields.map((name) => [name, sql`${given(name)}`])) as unknown as Row, // every column but the number has its placeholder
    )
    .prepare();
  const isSeen = orm
    .select({ at: integrationSeen.at })
    .from(integrationSeen)
    .where(
      and(eq(integrationSeen.integrationId, given("integrationId")), eq(integrationSeen.key, given("key"))),
    )
    .prepare();
  const markSeen = orm
    .insert(integrationSeen)
    .values({ integrationId: given("integrationId"), key: given("key"), at: given("at") })
    .onConflictDoNothing()
    .prepare();

  const listed = (where: SQL | undefined, order: SQL, page: { limit: number; offset: number }) =>
    orm
      .select()
      .from(integrationEvents)
      .where(where)
      .orderBy(order)
      .limit(page.limit)
      .offset(page.offset)
      .all()
      .map(toEvent);
  const counted = (where: SQL | undefined) =>
    orm.select({ n: sql<number>`count(*)` }).from(integrationEvents).where(where).get()?.n ?? 0;
  const ofIntegration = (integrationId: string) => eq(integrationEvents.integrationId, integrationId);
  const inStates = (integrationId: string, statuses: readonly EventStatus[]) =>
    and(ofIntegration(integrationId), inArray(integrationEvents.status, [...statuses]));

  function whereOf(integrationId: string, filter: EventFilter): SQL | undefined {
    const { status, direction, search, after, before } = filter;
    const text = (search ?? "").toLowerCase();
    return and(
      ofIntegration(integrationId),
      status && eq(integrationEvents.status, status),
      direction && eq(integrationEvents.direction, direction),
      after === undefined ? undefined : gt(integrationEvents.seq, after),
      before === undefined ? undefined : lt(integrationEvents.seq, before),
      text === ""
        ? undefined
        : sql`(instr(lower(${integrationEvents.message}), ${text}) > 0 OR instr(lower(coalesce(${integrationEvents.result}, '')), ${text}) > 0 OR instr(lower(cast(coalesce(${integrationEvents.payload}, '') AS TEXT)), ${text}) > 0)`,
    );
  }

  return {
    insert: (event) =>
      void insert.run({
        ...event,
        origin: event.origin === null ? null : JSON.stringify(event.origin),
        isReplayable: event.isReplayable ? 1 : 0,
      }),
    finish: (eventId, { payload, ...outcome }) =>
      void orm
        .update(integrationEvents)
        .set({ ...outcome, payload: payload === null ? null : Buffer.from(payload) })
        .where(eq(integrationEvents.eventId, eventId))
        .run(),
    setReplayed: (eventId, replayedAt) =>
      void orm
        .update(integrationEvents)
        .set({ replayedAt, isReplayable: false })
        .where(eq(integrationEvents.eventId, eventId))
        .run(),
    find: (integrationId, eventId) =>
      listed(
        and(ofIntegration(integrationId), eq(integrationEvents.eventId, eventId)),
        asc(integrationEvents.seq),
        { limit: 1, offset: 0 },
      )[0],
    list(integrationId, filter) {
      const where = whereOf(integrationId, filter);
      return { items: listed(where, desc(integrationEvents.seq), filter), total: counted(where) };
    },
    listPending: (limit) =>
      listed(eq(integrationEvents.status, "PENDING"), asc(integrationEvents.seq), { limit, offset: 0 }),
    listReplayable: (integrationId, limit) =>
      listed(
        and(inStates(integrationId, ["ERROR"]), eq(integrationEvents.isReplayable, true)),
        asc(integrationEvents.seq),
        { limit, offset: 0 },
      ),
    countIn: (integrationId, statuses) => counted(inStates(integrationId, statuses)),
    trim(integrationId, statuses, keep) {
      const oldestKept = orm
        .select({ seq: integrationEvents.seq })
        .from(integrationEvents)
        .where(inStates(integrationId, statuses))
        .orderBy(desc(integrationEvents.seq))
        .limit(1)
        .offset(keep - 1)
        .get();
      if (oldestKept === undefined) return;
      orm
        .delete(integrationEvents)
        .where(and(inStates(integrationId, statuses), lt(integrationEvents.seq, oldestKept.seq)))
        .run();
    },
    deleteAll: (integrationId) =>
      void orm.delete(integrationEvents).where(ofIntegration(integrationId)).run(),
    isSeen: (integrationId, key) => isSeen.get({ integrationId, key }) !== undefined,
    markSeen: (integrationId, key, at) => void markSeen.run({ integrationId, key, at }),
    forgetSeen: (before, limit) =>
      void orm.run(
        sql`DELETE FROM integration_seen WHERE rowid IN (SELECT rowid FROM integration_seen WHERE at < ${before} LIMIT ${limit})`,
      ),
  };
}
