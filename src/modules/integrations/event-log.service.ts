import { setImmediate } from "node:timers";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/log.ts";
import { toStorageFailure } from "../../platform/storage-failure.ts";
import type {
  EventOutcome,
  EventsSize,
  IntegrationEventsRepository,
  NewEvent,
} from "./integration-events.repository.ts";
import { integrationNotFound } from "./integrations.errors.ts";
import type { IntegrationsRepository } from "./integrations.repository.ts";
import type { EventStatus, IntegrationCounts, IntegrationEvent } from "./integrations.types.ts";

/**
 * Of one integration: those that failed have a share of their own, so that a minute of good ones does not wash them away. Their bytes
 * count as well, for they are kept whole: a thousand of the largest would be a gigabyte on a small card, which a search goes through.
 */
const KEPT: EventsSize = { events: 1_000, bytes: 16 * 1024 * 1024 };
/** Beyond it before the oldest go: deleting a hundred costs about what one does. */
const SLACK: EventsSize = { events: 100, bytes: 1024 * 1024 };
const COUNTS_EVERY_MS = 5_000;
const PUBLISH_INTERVAL_MS = 250;
const groups: readonly [readonly EventStatus[], readonly EventStatus[]] = [["OK", "DROPPED"], ["ERROR"]];
const groupOf = (status: EventStatus) => (status === "ERROR" ? 1 : 0);

type Counted = { -readonly [K in keyof IntegrationCounts]: number } & { lastMessageAt: number | null };
const nothing = (): Counted => ({
  received: 0,
  stored: 0,
  dropped: 0,
  failed: 0,
  sent: 0,
  lastMessageAt: null,
});

export interface Logged {
  readonly eventId: string;
  readonly written: Promise<void>;
}

/**
 * What happened to messages, written a turn of the event loop at a time: what came in together is one transaction. Whoever acknowledges
 * a message awaits the promise that it is given: by then its event, with the message itself, is on the disk.
 */
export function createEventLog(deps: {
  repository: IntegrationEventsRepository;
  integrations: Pick<IntegrationsRepository, "addCounts" | "find">;
  transact: (work: () => void) => void;
  durable: () => Promise<void>;
  /** There are new events of an integration, which can be read. */
  onLogged: (integrationId: string) => void;
  clock: Clock;
  log: Logger;
}) {
  const { repository, clock } = deps;
  let writes: Array<() => void> = [];
  let waiting: PromiseWithResolvers<void> | undefined;
  const touched = new Set<string>();
  /** Whether integrations are there, for one turn. */
  const there = new Map<string, boolean>();
  /** Integrations of which it will be told that they have new events, with what cancels that. */
  const scheduled = new Map<string, () => void>();
  /** Number of events of an integration there are, in each group, and how large; read from the table when one is first written. */
  const kept = new Map<string, [EventsSize, EventsSize]>();
  const counts = new Map<string, Counted>();
  let cancelTimer: () => void = () => undefined;

  /** Thousands a second are told four times a second. */
  function publishSoon(integrationId: string): void {
    if (scheduled.has(integrationId)) return;
    const cancel = clock.schedule(PUBLISH_INTERVAL_MS, () => {
      scheduled.delete(integrationId);
      deps.onLogged(integrationId);
    });
    scheduled.set(integrationId, cancel);
  }

  function later(work: () => void): Promise<void> {
    writes.push(work);
    if (waiting === undefined) {
      waiting = Promise.withResolvers<void>();
      waiting.promise.catch(() => undefined); // whoever waits for it hears of it
      setImmediate(flush);
    }
    return waiting.promise;
  }

  function isThere(integrationId: string): boolean {
    const existing = there.get(integrationId);
    if (existing !== undefined) return existing;
    const found = deps.integrations.find(integrationId) !== undefined;
    there.set(integrationId, found);
    return found;
  }

  /** What comes to its end after its integration was deleted is not written, and so does not undo what is written with it. */
  function laterOf(integrationId: string, work: () => void): Promise<void> {
    let isGone = false;
    const written = later(() => {
      isGone = !isThere(integrationId);
      if (!isGone) work();
    }).then(() => {
      if (isGone) throw integrationNotFound();
    });
    written.catch(() => undefined); // whoever waits for it hears of it
    return written;
  }

  function flush(): void {
    if (waiting === undefined) return;
    there.clear();
    const [work, promise] = [writes, waiting];
    const published = [...touched];
    writes = [];
    waiting = undefined;
    touched.clear();
    try {
      deps.transact(() => {
        for (const write of work) write();
      });
    } catch (error) {
      kept.clear(); // nothing of it was written: they are counted anew
      promise.reject(toStorageFailure(error) ?? error);
      return;
    }
    deps.durable().then(promise.resolve, promise.reject);
    for (const integrationId of published) publishSoon(integrationId);
  }

  const sizeOf = (integrationId: string, group: 0 | 1) => repository.sizeOf(integrationId, groups[group]);

  /** Within the transaction: one more in its group, and the oldest go when there are too many. */
  function counted(integrationId: string, { status, payload }: Pick<NewEvent, "status" | "payload">): void {
    if (status === "PENDING") return;
    const group = groupOf(status);
    let sizes = kept.get(integrationId);
    if (sizes === undefined) {
      sizes = [sizeOf(integrationId, 0), sizeOf(integrationId, 1)];
      kept.set(integrationId, sizes);
    } else {
      const { events, bytes } = sizes[group];
      sizes[group] = { events: events + 1, bytes: bytes + (payload?.length ?? 0) };
    }
    const { events, bytes } = sizes[group];
    if (events <= KEPT.events + SLACK.events && bytes <= KEPT.bytes + SLACK.bytes) return;
    repository.trim(integrationId, groups[group], KEPT);
    sizes[group] = sizeOf(integrationId, group);
  }

  function ofIntegration(integrationId: string): Counted {
    const count = counts.get(integrationId);
    if (count !== undefined) return count;
    const newCounted = nothing();
    counts.set(integrationId, newCounted);
    return newCounted;
  }

  function tally(integrationId: string, direction: "IN" | "OUT", status: EventStatus): void {
    const of = ofIntegration(integrationId);
    if (direction === "OUT") {
      if (status === "OK") of.sent++;
      else if (status === "ERROR") of.failed++;
      return;
    }
    if (status === "OK") of.stored++;
    else if (status === "DROPPED") of.dropped++;
    else if (status === "ERROR") of.failed++;
  }

  function saveCounts(): void {
    const fresh = [...counts];
    counts.clear();
    try {
      deps.transact(() => {
        for (const [integrationId, of] of fresh) deps.integrations.addCounts(integrationId, of);
      });
    } catch (error) {
      for (const [integrationId, of] of fresh) counts.set(integrationId, of);
      deps.log.warn("counts of integrations could not be written", { error });
    }
  }

  function arm(): void {
    cancelTimer = clock.schedule(COUNTS_EVERY_MS, () => {
      if (counts.size > 0) saveCounts();
      arm();
    });
  }

  return {
    add(input: Omit<NewEvent, "eventId" | "createdAt" | "replayedAt">, seenKey?: string): Logged {
      const event: NewEvent = { ...input, eventId: newId(), createdAt: clock.now(), replayedAt: null };
      const { integrationId, direction, status } = event;
      touched.add(integrationId);
      if (direction === "IN") {
        const of = ofIntegration(integrationId);
        of.received++;
        of.lastMessageAt = event.createdAt;
      }
      tally(integrationId, direction, status);
      const written = laterOf(integrationId, () => {
        repository.insert(event);
        if (seenKey !== undefined) repository.markSeen(integrationId, seenKey, event.createdAt);
        counted(integrationId, event);
      });
      return { eventId: event.eventId, written };
    },
    /** The end of one that was added as PENDING. */
    finish(
      {
        eventId,
        integrationId,
        direction,
      }: Pick<IntegrationEvent, "eventId" | "integrationId" | "direction">,
      outcome: EventOutcome,
      seenKey?: string,
    ): Promise<void> {
      touched.add(integrationId);
      tally(integrationId, direction, outcome.status);
      return laterOf(integrationId, () => {
        repository.finish(eventId, outcome);
        if (seenKey !== undefined) repository.markSeen(integrationId, seenKey, clock.now());
        counted(integrationId, outcome);
      });
    },
    setReplayed: (eventId: string): void => void later(() => repository.setReplayed(eventId, clock.now())),
    countsOf: (integrationId: string): Counted => counts.get(integrationId) ?? nothing(),
    /** Writes what waits; events are read after that. */
    flush,
    /** The integration is gone. */
    forget(integrationId: string): void {
      flush();
      counts.delete(integrationId);
      kept.delete(integrationId);
    },
    start: arm,
    stop(): void {
      cancelTimer();
      for (const cancel of scheduled.values()) cancel();
      scheduled.clear();
      flush();
      saveCounts();
    },
  };
}

export type EventLog = ReturnType<typeof createEventLog>;
