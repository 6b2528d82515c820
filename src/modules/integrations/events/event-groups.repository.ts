import { asc, lte, sql } from "drizzle-orm";
import type { MainDatabase } from "../../../platform/database/database.ts";
import { lazyStatement } from "../../../platform/database/lazy-statement.ts";
import { integrationEventGroups } from "../integrations.tables.ts";
import type { IntegrationEvent } from "../integrations.types.ts";

/** Returns an event as stored in its group: without field names, and with the length of its payload, which is stored with the group's payloads. */
const toTuple = (event: IntegrationEvent) =>
  [
    event.seq,
    event.eventId,
    event.integrationId,
    event.direction,
    event.status,
    event.stage,
    event.text,
    event.origin,
    event.result,
    event.isReplayable,
    event.replayedAt,
    event.createdAt,
    event.payload?.length ?? null,
  ] as const;

type Tuple = ReturnType<typeof toTuple>;

function toEvent(tuple: Tuple, payload: Uint8Array | null): IntegrationEvent {
  const [seq, eventId, integrationId, direction, status, stage, ...rest] = tuple;
  const [text, origin, result, isReplayable, replayedAt, createdAt] = rest;
  return {
    seq,
    eventId,
    integrationId,
    direction,
    status,
    stage,
    text,
    payload,
    origin,
    result,
    isReplayable,
    replayedAt,
    createdAt,
  };
}

export interface EventGroup {
  readonly groupId: number;
  readonly bytes: number;
  readonly events: readonly IntegrationEvent[];
}

function withPayloads(tuples: readonly Tuple[], payloads: Buffer): IntegrationEvent[] {
  let start = 0;
  return tuples.map((tuple) => {
    const length = tuple[12];
    if (length === null) return toEvent(tuple, null);
    start += length;
    return toEvent(tuple, payloads.subarray(start - length, start));
  });
}

/** Stores events in groups of one row each, in order of arrival. */
export function createEventGroupsRepository({ orm }: MainDatabase) {
  const { groupId } = integrationEventGroups;
  const insert = lazyStatement(() =>
    orm.insert(integrationEventGroups).values({
      groupId: sql.placeholder("groupId"),
      events: sql`${sql.placeholder("events")}`,
      payloads: sql`${sql.placeholder("payloads")}`,
    }),
  );
  return {
    /** Returns the size of the group, in bytes. */
    insert(groupId: number, events: readonly IntegrationEvent[]): number {
      const payloads = Buffer.concat(events.flatMap(({ payload }) => payload ?? []));
      const text = JSON.stringify(events.map(toTuple));
      insert.run({ groupId, events: text, payloads });
      return text.length + payloads.length;
    },
    list: (): EventGroup[] =>
      orm
        .select()
        .from(integrationEventGroups)
        .orderBy(asc(groupId))
        .all()
        .map(({ groupId, events, payloads }) => ({
          groupId,
          bytes: events.length + payloads.length,
          events: withPayloads(JSON.parse(events) as Tuple[], payloads), // written above
        })),
    deleteUpTo: (newest: number): void =>
      void orm.delete(integrationEventGroups).where(lte(groupId, newest)).run(),
  };
}

export type EventGroupsRepository = ReturnType<typeof createEventGroupsRepository>;
