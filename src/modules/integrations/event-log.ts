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
/** Excess that is allowed before the oldest events are deleted: deleting many costs about as much as deleting one. */
const SLACK: EventsSize = { events: 500, bytes: 1024 * 1024 };
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

interface EventLogDeps {
  readonly repository: IntegrationEventsRepository;
  readonly integrations: Pick<IntegrationsRepository, "addCounts" | "find">;
  readonly transact: (work: () => void) => void;
  readonly durable: () => Promise<void>;
  /** There are new events of an integration, which can be read. */
  readonly onLogged: (integrationId: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * What happened to messages, written a turn of the event loop at a time: what came in together is one transaction. Whoever acknowledges
 * a message awaits the promise that it is given: by then its event, with the message itself, is on the disk.
 */
export class EventLog {
  private writes: Array<() => void> = [];
  /** Settled when the writes of this turn are on the disk; `undefined` while there are none. */
  private waiting: PromiseWithResolvers<void> | undefined;
  /** Integrations with events among the writes of this turn. */
  private readonly touched = new Set<string>();
  /** Existence of integrations, by id, for one turn of the event loop. */
  private readonly there = new Map<string, boolean>();
  /** Integrations of which it will be published that they have new events, with what cancels that. */
  private readonly scheduled = new Map<string, () => void>();
  /** Number of events of an integration there are, in each group, and how large; read from the table when one is first written. */
  private readonly kept = new Map<string, [EventsSize, EventsSize]>();
  /** Keyed by integration: what is not written yet. */
  private readonly counts = new Map<string, Counted>();
  private cancelTimer: () => void = () => undefined;

  constructor(private readonly deps: EventLogDeps) {}

  start(): void {
    this.arm();
  }

  stop(): void {
    this.cancelTimer();
    for (const cancel of this.scheduled.values()) cancel();
    this.scheduled.clear();
    this.flush();
    this.saveCounts();
  }

  /** Adds an event; `seenKey` keeps repetitions of its message out. */
  add(input: Omit<NewEvent, "eventId" | "createdAt" | "replayedAt">, seenKey?: string): Logged {
    const { repository, clock } = this.deps;
    const event: NewEvent = { ...input, eventId: newId(), createdAt: clock.now(), replayedAt: null };
    const { integrationId, direction, status } = event;
    this.touched.add(integrationId);
    if (direction === "IN") {
      const counted = this.countedOf(integrationId);
      counted.received++;
      counted.lastMessageAt = event.createdAt;
    }
    this.tally(integrationId, direction, status);
    const written = this.laterOf(integrationId, () => {
      repository.insert(event);
      if (seenKey !== undefined) repository.markSeen(integrationId, seenKey, event.createdAt);
      this.limit(integrationId, event);
    });
    return { eventId: event.eventId, written };
  }

  /** Writes the outcome of an event that was added as PENDING. */
  finish(
    event: Pick<IntegrationEvent, "eventId" | "integrationId" | "direction">,
    outcome: EventOutcome,
    seenKey?: string,
  ): Promise<void> {
    const { repository, clock } = this.deps;
    const { eventId, integrationId, direction } = event;
    this.touched.add(integrationId);
    this.tally(integrationId, direction, outcome.status);
    return this.laterOf(integrationId, () => {
      repository.finish(eventId, outcome);
      if (seenKey !== undefined) repository.markSeen(integrationId, seenKey, clock.now());
      this.limit(integrationId, outcome);
    });
  }

  setReplayed(eventId: string): void {
    const { repository, clock } = this.deps;
    void this.later(() => repository.setReplayed(eventId, clock.now()));
  }

  /** Returns what is counted and not written yet. */
  countsOf(integrationId: string): Counted {
    return this.counts.get(integrationId) ?? nothing();
  }

  /** Forgets an integration that is deleted. */
  forget(integrationId: string): void {
    this.flush();
    this.counts.delete(integrationId);
    this.kept.delete(integrationId);
  }

  /** Writes what waits; events are read after that. */
  flush(): void {
    const { waiting, writes } = this;
    if (waiting === undefined) return;
    this.there.clear();
    const published = [...this.touched];
    this.writes = [];
    this.waiting = undefined;
    this.touched.clear();
    try {
      this.deps.transact(() => {
        for (const write of writes) write();
      });
    } catch (error) {
      this.kept.clear(); // nothing of it was written: they are counted anew
      waiting.reject(toStorageFailure(error) ?? error);
      return;
    }
    this.deps.durable().then(waiting.resolve, waiting.reject);
    for (const integrationId of published) this.publishSoon(integrationId);
  }

  /** Publishes thousands of events a second four times a second. */
  private publishSoon(integrationId: string): void {
    if (this.scheduled.has(integrationId)) return;
    const cancel = this.deps.clock.schedule(PUBLISH_INTERVAL_MS, () => {
      this.scheduled.delete(integrationId);
      this.deps.onLogged(integrationId);
    });
    this.scheduled.set(integrationId, cancel);
  }

  private later(work: () => void): Promise<void> {
    this.writes.push(work);
    if (this.waiting === undefined) {
      this.waiting = Promise.withResolvers<void>();
      this.waiting.promise.catch(() => undefined); // whoever waits for it hears of it
      setImmediate(() => this.flush());
    }
    return this.waiting.promise;
  }

  /** Drops events whose integration was deleted meanwhile, so that they do not undo the transaction. */
  private laterOf(integrationId: string, work: () => void): Promise<void> {
    let isGone = false;
    const written = this.later(() => {
      isGone = !this.isThere(integrationId);
      if (!isGone) work();
    }).then(() => {
      if (isGone) throw integrationNotFound();
    });
    written.catch(() => undefined); // whoever waits for it hears of it
    return written;
  }

  private isThere(integrationId: string): boolean {
    const existing = this.there.get(integrationId);
    if (existing !== undefined) return existing;
    const found = this.deps.integrations.find(integrationId) !== undefined;
    this.there.set(integrationId, found);
    return found;
  }

  /** Counts one more event in its group, within the transaction. The oldest go when there are too many. */
  private limit(integrationId: string, { status, payload }: Pick<NewEvent, "status" | "payload">): void {
    if (status === "PENDING") return;
    const group = groupOf(status);
    let sizes = this.kept.get(integrationId);
    if (sizes === undefined) {
      sizes = [this.sizeOf(integrationId, 0), this.sizeOf(integrationId, 1)];
      this.kept.set(integrationId, sizes);
    } else {
      const { events, bytes } = sizes[group];
      sizes[group] = { events: events + 1, bytes: bytes + (payload?.length ?? 0) };
    }
    const { events, bytes } = sizes[group];
    if (events <= KEPT.events + SLACK.events && bytes <= KEPT.bytes + SLACK.bytes) return;
    sizes[group] = this.deps.repository.trim(integrationId, groups[group], KEPT);
  }

  private sizeOf(integrationId: string, group: 0 | 1): EventsSize {
    return this.deps.repository.sizeOf(integrationId, groups[group]);
  }

  private countedOf(integrationId: string): Counted {
    const existing = this.counts.get(integrationId);
    if (existing !== undefined) return existing;
    const counted = nothing();
    this.counts.set(integrationId, counted);
    return counted;
  }

  private tally(integrationId: string, direction: "IN" | "OUT", status: EventStatus): void {
    const counted = this.countedOf(integrationId);
    if (direction === "OUT") {
      if (status === "OK") counted.sent++;
      else if (status === "ERROR") counted.failed++;
      return;
    }
    if (status === "OK") counted.stored++;
    else if (status === "DROPPED") counted.dropped++;
    else if (status === "ERROR") counted.failed++;
  }

  private arm(): void {
    this.cancelTimer = this.deps.clock.schedule(COUNTS_EVERY_MS, () => {
      if (this.counts.size > 0) this.saveCounts();
      this.arm();
    });
  }

  private saveCounts(): void {
    const { integrations, transact, log } = this.deps;
    const fresh = [...this.counts];
    this.counts.clear();
    try {
      transact(() => {
        for (const [integrationId, counted] of fresh) integrations.addCounts(integrationId, counted);
      });
    } catch (error) {
      for (const [integrationId, counted] of fresh) this.counts.set(integrationId, counted);
      log.warn("counts of integrations could not be written", { error });
    }
  }
}
