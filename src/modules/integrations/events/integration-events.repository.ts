import {
  and,
  asc,
  desc,
  eq,
  exists,
  getTableColumns,
  getTableName,
  gt,
  inArray,
  lt,
  lte,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { containsText } from "../../../platform/database/contains.ts";
import type { MainDatabase } from "../../../platform/database/database.ts";
import { lazyStatement } from "../../../platform/database/lazy-statement.ts";
import { workShare } from "../../../platform/load/fair-share.ts";
import { integrationEvents, integrationSeen, integrations } from "../integrations.tables.ts";
import type { EventStatus, IntegrationEvent, MessageOrigin } from "../integrations.types.ts";

export type EventOutcome = Pick<IntegrationEvent, "status" | "stage" | "text" | "result" | "isReplayable"> & {
  readonly payload: Uint8Array | null;
  /** Source of the message, if the outcome changes it. */
  readonly origin?: MessageOrigin;
};

export interface EventFilter {
  readonly status?: EventStatus | undefined;
  readonly direction?: "IN" | "OUT" | undefined;
  /** Sequence number after (or before) which events are listed. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  /** True to exclude payloads from the search. */
  readonly isPayloadHidden?: boolean;
  readonly limit: number;
  readonly offset: number;
}

export interface EventsSize {
  readonly events: number;
  readonly bytes: number;
}

/** Max. bytes of a payload in a list of up to a thousand events. */
export const LISTED_BYTES_MAX = 8 * 1024;

/** Events whose texts are searched without a pause; with 8 KiB each, about 8 ms. */
const SEARCHED_PER_STEP = 500;

type Row = typeof integrationEvents.$inferSelect;
const toEvent = (row: Row) => row as IntegrationEvent; // only our own stages are stored

/** Returns the number of the newest events that fit into `bytesMax`, and their oldest. The newest event always fits. */
function newestWithin(
  newestFirst: readonly { readonly seq: number; readonly bytes: number }[],
  bytesMax: number,
) {
  let oldest: number | undefined;
  let left: EventsSize = { events: 0, bytes: 0 };
  for (const { seq, bytes } of newestFirst) {
    if (left.bytes + bytes > bytesMax && oldest !== undefined) break;
    left = { events: left.events + 1, bytes: left.bytes + bytes };
    oldest = seq;
  }
  return { oldest, left };
}

/** Returns the highest sequence number ever used. */
function lastSeqOf(orm: MainDatabase["orm"]): number {
  const name = getTableName(integrationEvents);
  return orm.get<[number] | undefined>(sql`SELECT seq FROM sqlite_sequence WHERE name = ${name}`)?.[0] ?? 0;
}

/** Searches the part of a payload that lists show. */
const inPayload = (text: string): SQL =>
  sql`instr(lower(cast(coalesce(substr(${integrationEvents.payload}, 1, ${LISTED_BYTES_MAX}), '') AS TEXT)), ${text}) > 0`;

/** Prepares the statements that run for each received message. */
function prepareMessage(orm: MainDatabase["orm"]) {
  const placeholder = sql.placeholder;
  const fields = [
    "seq",
    "eventId",
    "integrationId",
    "direction",
    "status",
    "stage",
    "text",
    "payload",
    "origin",
    "result",
    "isReplayable",
    "replayedAt",
    "createdAt",
  ] as const satisfies ReadonlyArray<keyof IntegrationEvent>;
  // In the form that the columns hold.
  const insert = lazyStatement(() =>
    orm.insert(integrationEvents).values(
      Object.fromEntries(fields.map((name) => [name, sql`${placeholder(name)}`])) as unknown as Row, // every column has its placeholder
    ),
  );
  const isSeen = lazyStatement(() =>
    orm
      .select({ at: integrationSeen.at })
      .from(integrationSeen)
      .where(
        and(
          eq(integrationSeen.integrationId, placeholder("integrationId")),
          eq(integrationSeen.key, placeholder("key")),
        ),
      ),
  );
  const markSeen = lazyStatement(() =>
    orm
      .insert(integrationSeen)
      .values({ integrationId: placeholder("integrationId"), key: placeholder("key"), at: placeholder("at") })
      .onConflictDoNothing(),
  );
  return { insert, isSeen, markSeen };
}

export function createIntegrationEventsRepository({ orm }: MainDatabase) {
  const { insert, isSeen, markSeen } = prepareMessage(orm);
  const { payload, ...unread } = getTableColumns(integrationEvents);
  const inPart = { ...unread, payload: sql<Buffer | null>`substr(${payload}, 1, ${LISTED_BYTES_MAX + 1})` };
  const listed = (where: SQL | undefined, page: { limit: number; offset: number }) =>
    orm
      .select(inPart)
      .from(integrationEvents)
      .where(where)
      .orderBy(desc(integrationEvents.seq))
      .limit(page.limit)
      .offset(page.offset)
      .all()
      .map(toEvent);
  const idsOf = (where: SQL | undefined, limit: number) =>
    orm
      .select({ eventId: integrationEvents.eventId })
      .from(integrationEvents)
      .where(where)
      .orderBy(asc(integrationEvents.seq))
      .limit(limit)
      .all()
      .map(({ eventId }) => eventId);
  const counted = (where: SQL | undefined) =>
    orm.select({ n: sql<number>`count(*)` }).from(integrationEvents).where(where).get()?.n ?? 0;
  const ofIntegration = (integrationId: string) => eq(integrationEvents.integrationId, integrationId);
  const inStates = (integrationId: string, statuses: readonly EventStatus[]) =>
    and(ofIntegration(integrationId), inArray(integrationEvents.status, [...statuses]));

  function whereOf(integrationId: string, filter: EventFilter): SQL | undefined {
    const { status, direction, after, before } = filter;
    return and(
      ofIntegration(integrationId),
      status && eq(integrationEvents.status, status),
      direction && eq(integrationEvents.direction, direction),
      after === undefined ? undefined : gt(integrationEvents.seq, after),
      before === undefined ? undefined : lt(integrationEvents.seq, before),
    );
  }

  const seqsOf = (where: SQL | undefined) =>
    orm
      .select({ seq: integrationEvents.seq })
      .from(integrationEvents)
      .where(where)
      .orderBy(desc(integrationEvents.seq))
      .all()
      .map(({ seq }) => seq);
  const amongSeqs = (seqs: readonly number[]) =>
    sql`${integrationEvents.seq} IN (SELECT value FROM json_each(${JSON.stringify(seqs)}))`;

  /** Returns the numbers of the events that contain the text, newest first. Reads some events at a time. */
  async function searched(where: SQL | undefined, text: string, isPayloadHidden = false): Promise<number[]> {
    const isFound = sql`(${containsText(integrationEvents.text, text)} OR instr(lower(coalesce(${integrationEvents.result}, '')), ${text}) > 0 OR ${isPayloadHidden ? sql`FALSE` : inPayload(text)})`;
    const all = seqsOf(where);
    const found: number[] = [];
    for (let start = 0; start < all.length; start += SEARCHED_PER_STEP) {
      if (start > 0) await workShare.pause();
      found.push(...seqsOf(and(amongSeqs(all.slice(start, start + SEARCHED_PER_STEP)), isFound)));
    }
    return found;
  }

  return {
    insert: (event: IntegrationEvent): void =>
      void insert.run({
        ...event,
        text: JSON.stringify(event.text),
        origin: event.origin === null ? null : JSON.stringify(event.origin),
        isReplayable: event.isReplayable ? 1 : 0,
      }),
    /** Returns whether the event exists. */
    finish: (eventId: string, { payload, ...outcome }: EventOutcome): boolean =>
      orm
        .update(integrationEvents)
        .set({ ...outcome, payload: payload === null ? null : Buffer.from(payload) })
        .where(eq(integrationEvents.eventId, eventId))
        .returning({ seq: integrationEvents.seq })
        .all().length > 0,
    setReplayed: (eventId: string, replayedAt: number): void =>
      void orm
        .update(integrationEvents)
        .set({ replayedAt, isReplayable: false })
        .where(eq(integrationEvents.eventId, eventId))
        .run(),
    find(integrationId: string, eventId: string): IntegrationEvent | undefined {
      const where = and(ofIntegration(integrationId), eq(integrationEvents.eventId, eventId));
      const row = orm.select().from(integrationEvents).where(where).get();
      return row && toEvent(row);
    },
    /** Lists events, newest first, with the first `LISTED_BYTES_MAX + 1` bytes of each payload. */
    list(integrationId: string, filter: EventFilter): { items: IntegrationEvent[]; total: number } {
      const where = whereOf(integrationId, filter);
      return { items: listed(where, filter), total: counted(where) };
    },
    /** Like `list`, for events that contain the text. */
    async search(
      integrationId: string,
      text: string,
      filter: EventFilter,
    ): Promise<{ items: IntegrationEvent[]; total: number }> {
      const { limit, offset, isPayloadHidden } = filter;
      const where = whereOf(integrationId, filter);
      const found = await searched(where, text.toLowerCase(), isPayloadHidden);
      const items = listed(amongSeqs(found.slice(offset, offset + limit)), { limit, offset: 0 });
      return { items, total: found.length };
    },
    /** Lists active integrations with waiting messages, of all tenants. */
    listWaiting: (): string[] =>
      orm
        .select({ integrationId: integrations.integrationId })
        .from(integrations)
        .where(
          and(
            inArray(integrations.status, ["active", "error"]),
            exists(
              orm
                .select({ one: sql`1` })
                .from(integrationEvents)
                .where(
                  and(
                    eq(integrationEvents.integrationId, integrations.integrationId),
                    eq(integrationEvents.status, "PENDING"),
                  ),
                ),
            ),
          ),
        )
        .all()
        .map(({ integrationId }) => integrationId),
    /** Returns the next sequence number, greater than those of all earlier events, including deleted ones. */
    nextSeq: (): number => lastSeqOf(orm) + 1,
    /** Lists ids of waiting messages, oldest first: those before a number, and later ones up to a time. */
    listPending: (
      integrationId: string,
      { ownFrom, settledAt }: { ownFrom: number; settledAt: number },
      limit: number,
    ): string[] =>
      idsOf(
        and(
          inStates(integrationId, ["PENDING"]),
          or(lt(integrationEvents.seq, ownFrom), lte(integrationEvents.createdAt, settledAt)),
        ),
        limit,
      ),
    /** Lists ids of failed events that were not replayed, oldest first. */
    listReplayable: (integrationId: string, limit: number): string[] =>
      idsOf(and(inStates(integrationId, ["ERROR"]), eq(integrationEvents.isReplayable, true)), limit),
    /** Returns number and payload size of the events in these states, counting up to `limit`. */
    sizeOf(
      integrationId: string,
      statuses: readonly EventStatus[],
      limit: number = Number.MAX_SAFE_INTEGER,
    ): EventsSize {
      const sizes = orm
        .select({ bytes: sql<number | null>`length(${integrationEvents.payload})`.as("bytes") })
        .from(integrationEvents)
        .where(inStates(integrationId, statuses))
        .limit(limit)
        .as("sizes");
      const sums = { events: sql<number>`count(*)`, bytes: sql<number>`coalesce(sum(${sizes.bytes}), 0)` };
      return orm.select(sums).from(sizes).get() ?? { events: 0, bytes: 0 };
    },
    /** Deletes the oldest events in these states beyond the number and payload bytes in `keep`. Returns the size of the rest. */
    trim(integrationId: string, statuses: readonly EventStatus[], keep: EventsSize): EventsSize {
      const kept = orm
        .select({ seq: integrationEvents.seq, bytes: sql<number>`coalesce(length(${payload}), 0)` })
        .from(integrationEvents)
        .where(inStates(integrationId, statuses))
        .orderBy(desc(integrationEvents.seq))
        .limit(keep.events)
        .all();
      const { oldest, left } = newestWithin(kept, keep.bytes);
      if (oldest === undefined) return left;
      orm
        .delete(integrationEvents)
        .where(and(inStates(integrationId, statuses), lt(integrationEvents.seq, oldest)))
        .run();
      return left;
    },
    deleteAll: (integrationId: string): void =>
      void orm.delete(integrationEvents).where(ofIntegration(integrationId)).run(),
    isSeen: (integrationId: string, key: string): boolean => isSeen.get({ integrationId, key }) !== undefined,
    markSeen: (integrationId: string, key: string, timeMs: number): void =>
      void markSeen.run({ integrationId, key, at: timeMs }),
    forgetSeen: (before: number, limit: number): void =>
      void orm.run(
        sql`DELETE FROM integration_seen WHERE rowid IN (SELECT rowid FROM integration_seen WHERE at < ${before} LIMIT ${limit})`,
      ),
  };
}

export type IntegrationEventsRepository = ReturnType<typeof createIntegrationEventsRepository>;
