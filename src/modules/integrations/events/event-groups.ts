import type { EventStatus, IntegrationEvent } from "../integrations.types.ts";
import type { EventGroupsRepository } from "./event-groups.repository.ts";
import type { EventsSize } from "./integration-events.repository.ts";

/**
 * Kept events of an integration. Failed events have their own share, so that a minute of successful events does not displace them. Bytes are limited
 * too, because events are kept whole: a thousand of the largest would be a gigabyte, which a search reads.
 */
export const KEPT: EventsSize = { events: 1_000, bytes: 16 * 1024 * 1024 };
/** Max. bytes of the kept events of a tenant's integrations, for successful and for failed events. */
const TENANT_BYTES = 64 * 1024 * 1024;

/** Returns the events and bytes kept for each of a tenant's `count` integrations. */
export const keptOf = (count: number): EventsSize => ({
  events: KEPT.events,
  bytes: Math.min(KEPT.bytes, TENANT_BYTES / Math.max(1, count)),
});
/** Max. events and bytes in groups, which are read as a whole when a user views events. */
const GROUPED_MAX: EventsSize = { events: 4_000, bytes: 2 * 1024 * 1024 };

export const groupOf = (status: EventStatus): 0 | 1 => (status === "ERROR" ? 1 : 0);
const shareOf = ({ integrationId, status }: IntegrationEvent) => `${integrationId}${groupOf(status)}`;

/** Sizes of the events of a group, by integration and share. */
type Sizes = ReadonlyMap<string, EventsSize>;

interface GroupSizes {
  readonly groupId: number;
  /** Size of the group, in bytes. */
  readonly bytes: number;
  readonly sizes: Sizes;
}

const plus = (a: EventsSize | undefined, b: EventsSize): EventsSize =>
  a === undefined ? b : { events: a.events + b.events, bytes: a.bytes + b.bytes };

const isWithin = (size: EventsSize | undefined, limit: EventsSize): boolean =>
  size === undefined || (size.events < limit.events && size.bytes < limit.bytes);

const sizeOf = ({ payload }: IntegrationEvent): EventsSize => ({ events: 1, bytes: payload?.length ?? 0 });

function sizesOf(events: readonly IntegrationEvent[]): Sizes {
  const sizes = new Map<string, EventsSize>();
  for (const event of events) {
    const share = shareOf(event);
    sizes.set(share, plus(sizes.get(share), sizeOf(event)));
  }
  return sizes;
}

function totalOf(groups: readonly GroupSizes[]): EventsSize {
  let total: EventsSize = { events: 0, bytes: 0 };
  for (const { bytes, sizes } of groups)
    total = plus(total, { events: [...sizes.values()].reduce((sum, { events }) => sum + events, 0), bytes });
  return total;
}

/** Removes groups that only have events beyond the kept number. */
function withoutSuperseded(groups: readonly GroupSizes[]): readonly GroupSizes[] {
  const newer = new Map<string, EventsSize>();
  let oldest = groups.length;
  for (const [index, { sizes }] of [...groups.entries()].reverse())
    for (const [share, size] of sizes) {
      if (isWithin(newer.get(share), KEPT)) oldest = index;
      newer.set(share, plus(newer.get(share), size));
    }
  return groups.slice(oldest);
}

/** Returns the newest events of each share, oldest first. */
function newestOf(events: readonly IntegrationEvent[]): IntegrationEvent[] {
  const newer = new Map<string, EventsSize>();
  const kept = events.toReversed().filter((event) => {
    const share = shareOf(event);
    const size = newer.get(share);
    newer.set(share, plus(size, sizeOf(event)));
    return isWithin(size, KEPT);
  });
  return kept.reverse();
}

/**
 * Events without rows of their own. A row with its indexes costs more than all other processing of a message, and at many messages per second most
 * events are superseded before anyone views them. They are written as one row per group, and superseded groups are deleted. Events get rows when
 * they are viewed, or when there is no room for more groups.
 */
export class EventGroups {
  /** Groups, oldest first. Replaced but never modified, so that a failed transaction can restore them. */
  #groups: readonly GroupSizes[] = [];
  #total: EventsSize = { events: 0, bytes: 0 };
  #nextId = 1;

  /** @param deps.unpack writes events as rows, oldest first */
  readonly #deps: {
    readonly repository: EventGroupsRepository;
    readonly unpack: (events: readonly IntegrationEvent[]) => void;
  };

  constructor(deps: {
    readonly repository: EventGroupsRepository;
    readonly unpack: (events: readonly IntegrationEvent[]) => void;
  }) {
    this.#deps = deps;
  }

  get isEmpty(): boolean {
    return this.#groups.length === 0;
  }

  /** Loads the groups of an earlier run. Returns their events. */
  load(): readonly IntegrationEvent[] {
    const groups = this.#deps.repository.list();
    this.#set(groups.map(({ groupId, bytes, events }) => ({ groupId, bytes, sizes: sizesOf(events) })));
    this.#nextId = 1 + (groups.at(-1)?.groupId ?? 0);
    return groups.flatMap(({ events }) => events);
  }

  /** Returns a function that restores the current groups after a failed transaction. */
  savepoint(): () => void {
    const groups = this.#groups;
    return () => this.#set(groups);
  }

  /** Writes events as a group, within a transaction. */
  add(events: readonly IntegrationEvent[]): void {
    const { repository } = this.#deps;
    const groupId = this.#nextId++;
    const bytes = repository.insert(groupId, events);
    this.#groups = [...this.#groups, { groupId, bytes, sizes: sizesOf(events) }];
    this.#total = plus(this.#total, { events: events.length, bytes });
    if (isWithin(this.#total, GROUPED_MAX)) return;
    const left = withoutSuperseded(this.#groups);
    const before = left[0]?.groupId;
    if (left.length < this.#groups.length && before !== undefined) repository.deleteUpTo(before - 1);
    this.#set(left);
    // With less than half free, the groups would be scanned too often.
    if (!isWithin({ events: 2 * this.#total.events, bytes: 2 * this.#total.bytes }, GROUPED_MAX))
      this.unpack();
  }

  /** Writes all events as rows, within a transaction. */
  unpack(): void {
    const { repository, unpack } = this.#deps;
    const groups = repository.list();
    const newest = groups.at(-1)?.groupId;
    if (newest === undefined) return;
    unpack(newestOf(groups.flatMap(({ events }) => events)));
    repository.deleteUpTo(newest);
    this.#set([]);
  }

  #set(groups: readonly GroupSizes[]): void {
    this.#groups = groups;
    this.#total = totalOf(groups);
  }
}
