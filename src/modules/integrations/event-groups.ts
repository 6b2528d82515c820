import type { EventGroupsRepository } from "./event-groups.repository.ts";
import type { EventsSize } from "./integration-events.repository.ts";
import type { EventStatus, IntegrationEvent } from "./integrations.types.ts";

/**
 * Of one integration: those that failed have a share of their own, so that a minute of good ones does not wash them away. Their bytes
 * count as well, for they are kept whole: a thousand of the largest would be a gigabyte on a small card, which a search goes through.
 */
export const KEPT: EventsSize = { events: 1_000, bytes: 16 * 1024 * 1024 };
/** Bytes that the integrations of a tenant keep together, of the good ones and of those that failed. */
const TENANT_BYTES = 64 * 1024 * 1024;

/** Returns the events and bytes that each of `count` integrations of a tenant keeps. */
export const keptOf = (count: number): EventsSize => ({
  events: KEPT.events,
  bytes: Math.min(KEPT.bytes, TENANT_BYTES / Math.max(1, count)),
});
/** Max. events and bytes in groups: these are read as a whole when somebody looks at events. */
const GROUPED_MAX: EventsSize = { events: 4_000, bytes: 2 * 1024 * 1024 };

export const groupOf = (status: EventStatus): 0 | 1 => (status === "ERROR" ? 1 : 0);
const shareOf = ({ integrationId, status }: IntegrationEvent) => `${integrationId}${groupOf(status)}`;

/** Sizes of the events of a group, by integration and share. */
type Sizes = ReadonlyMap<string, EventsSize>;

interface GroupSizes {
  readonly groupId: number;
  /** Length of the group. */
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

/** Leaves out the oldest groups: those all of whose events are beyond what is kept. */
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

/** Returns the newest of each share, the oldest first. */
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
 * Events that have no rows of their own yet. A row with its indexes costs more than all else that is done with a message, and of many
 * messages per second most events are superseded before anybody looks at them: they are written a group a row, and the groups that are
 * superseded as a whole are deleted. Events get rows of their own when they are looked at, or when there is no room for more groups.
 */
export class EventGroups {
  /** The oldest first. Replaced and never changed, so that a transaction that fails can put it back. */
  #groups: readonly GroupSizes[] = [];
  #total: EventsSize = { events: 0, bytes: 0 };
  #nextId = 1;

  /** @param deps.unpack gives events rows of their own, the oldest first. */
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

  /** Takes in what an earlier run has left. Returns its events. */
  load(): readonly IntegrationEvent[] {
    const groups = this.#deps.repository.list();
    this.#set(groups.map(({ groupId, bytes, events }) => ({ groupId, bytes, sizes: sizesOf(events) })));
    this.#nextId = 1 + (groups.at(-1)?.groupId ?? 0);
    return groups.flatMap(({ events }) => events);
  }

  /** Returns a function that restores the present groups, for a transaction that fails. */
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
    // Half of it must have become free: the groups are gone through too often otherwise.
    if (!isWithin({ events: 2 * this.#total.events, bytes: 2 * this.#total.bytes }, GROUPED_MAX))
      this.unpack();
  }

  /** Gives all events rows of their own, within a transaction. */
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
