import { asc, lte, sql } from "drizzle-orm";
import type { MainDatabase } from "../../platform/database.ts";
import { integrationEventGroups } from "./integrations.tables.ts";
import type { IntegrationEvent } from "./integrations.types.ts";

/** An event as its group holds it: its payload stands among those of the group. */
type Grouped = Omit<IntegrationEvent, "payload"> & { readonly payloadBytes: number | null };

export interface EventGroup {
  readonly groupId: number;
  readonly bytes: number;
  readonly events: readonly IntegrationEvent[];
}

function withPayloads(grouped: readonly Grouped[], payloads: Buffer): IntegrationEvent[] {
  let start = 0;
  return grouped.map(({ payloadBytes, ...event }) => {
    if (payloadBytes === null) return { ...event, payload: null };
    const payload = payloads.subarray(start, start + payloadBytes);
    start += payloadBytes;
    return { ...event, payload };
  });
}

/** Events in groups of one row each, in the order in which they came. */
export function createEventGroupsRepository({ orm }: MainDatabase) {
  const { groupId } = integrationEventGroups;
  const insert = orm
    .insert(integrationEventGroups)
    .values({
      groupId: sql.placeholder("groupId"),
      events: sql`${sql.placeholder("events")}`,
      payloads: sql`${sql.placeholder("payloads")}`,
    })
    .prepare();
  return {
    /** Returns the length of the group. */
    insert(groupId: number, events: readonly IntegrationEvent[]): number {
      const grouped = events.map(
        ({ payload, ...event }): Grouped => ({ ...event, payloadBytes: payload?.length ?? null }),
      );
      const payloads = Buffer.concat(events.flatMap(({ payload }) => payload ?? []));
      const text = JSON.stringify(grouped);
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
          events: withPayloads(JSON.parse(events) as Grouped[], payloads), // written above
        })),
    deleteUpTo: (newest: number): void =>
      void orm.delete(integrationEventGroups).where(lte(groupId, newest)).run(),
  };
}

export type EventGroupsRepository = ReturnType<typeof createEventGroupsRepository>;
