import { setImmediate } from "node:timers";
import { newId } from "../../../platform/core/ids.ts";
import type { Logger } from "../../../platform/core/log.ts";
import { refusedWrite } from "../../../platform/database/storage-failure.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { createPeriodic } from "../../../platform/time/periodic.ts";
import { integrationNotFound } from "../integrations.errors.ts";
import type { IntegrationsRepository } from "../integrations.repository.ts";
import type { EventStatus, IntegrationCounts, IntegrationEvent } from "../integrations.types.ts";
import type { EventGroupsRepository } from "./event-groups.repository.ts";
import { EventGroups, groupOf, keptOf } from "./event-groups.ts";
import type {
  EventOutcome,
  EventsSize,
  IntegrationEventsRepository,
} from "./integration-events.repository.ts";

/** Excess allowed before the oldest events are deleted: deleting many costs about as much as deleting one. */
const SLACK = { events: 500, bytesShare: 1 / 16 };
/** Bytes up to which the number of the tenant's integrations is not queried. */
const UNSHARED_BYTES = 512 * 1024;
/** Max. bytes of messages in a transaction; writing 10 MB in one takes 50 ms. */
const BATCH_BYTES_MAX = 1024 * 1024;

interface Batch {
  readonly writes: Array<() => void>;
  /** Integrations with events among the writes. */
  readonly touched: Set<string>;
  /** Settled when the writes are on disk. */
  readonly written: PromiseWithResolvers<void>;
  bytes: number;
}
const COUNTS_EVERY_MS = 5_000;
const PUBLISH_INTERVAL_MS = 250;
const GROUPS: readonly [readonly EventStatus[], readonly EventStatus[]] = [["OK", "DROPPED"], ["ERROR"]];

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

/** Failed message, as described by its event. */
export type FailedMessage = Pick<IntegrationEvent, "integrationId" | "stage" | "text" | "payload"> &
  Pick<Partial<IntegrationEvent>, "origin">;

interface EventLogDeps {
  readonly repository: IntegrationEventsRepository;
  readonly groups: EventGroupsRepository;
  readonly integrations: Pick<IntegrationsRepository, "addCounts" | "findAcrossTenants" | "countBeside">;
  readonly transact: (work: () => void) => void;
  readonly durable: () => Promise<void>;
  /** Called if a message could not be processed or sent. */
  readonly onFailed: (failed: FailedMessage) => void;
  /** Called when an integration has new, readable events. */
  readonly onLogged: (integrationId: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Events of messages. Events that arrive during an fsync are committed together in the next transaction, as one row until they are viewed. The
 * returned promise resolves once event and message are on disk.
 */
export class EventLog {
  /** Unwritten batches, one transaction each. */
  readonly #batches: Batch[] = [];
  /** Number of running fsyncs; events that arrive meanwhile form the next transaction. */
  #syncs = 0;
  /** Events of the running transaction, which form one group. */
  #fresh: IntegrationEvent[] = [];
  readonly #groups: EventGroups;
  /** Sequence number of the next event; numbers follow the order of arrival, not of writing. */
  #nextSeq = 1;
  /** Existence of integrations by id, during one transaction. */
  readonly #there = new Map<string, boolean>();
  /** Integrations whose new events will be published, with a function to cancel that. */
  readonly #scheduled = new Map<string, () => void>();
  /** Number and bytes of an integration's events in each share; loaded from the table at the first write. */
  readonly #kept = new Map<string, [EventsSize, EventsSize]>();
  /** Unwritten counts by integration. */
  readonly #counts = new Map<string, Counted>();
  readonly #saving: ReturnType<typeof createPeriodic>;

  readonly #deps: EventLogDeps;

  constructor(deps: EventLogDeps) {
    this.#deps = deps;
    const { clock, log } = deps;
    const work = () => this.#saveCounts();
    this.#saving = createPeriodic({ clock, log, intervalMs: COUNTS_EVERY_MS, work });
    this.#groups = new EventGroups({
      repository: deps.groups,
      unpack: (events) => {
        for (const event of events) if (this.#isThere(event.integrationId)) this.#insert(event);
      },
    });
  }

  start(): void {
    const grouped = this.#groups.load();
    this.#nextSeq = Math.max(this.#deps.repository.nextSeq(), ...grouped.map(({ seq }) => seq + 1));
    this.#saving.start();
  }

  stop(): void {
    this.#saving.stop();
    for (const cancel of this.#scheduled.values()) cancel();
    this.#scheduled.clear();
    this.flush();
    this.#saveCounts();
  }

  /** Adds an event; `seenKey` prevents its message from being processed again. */
  add(
    input: Omit<IntegrationEvent, "seq" | "eventId" | "createdAt" | "replayedAt">,
    seenKey?: string,
  ): Logged {
    const { repository, clock } = this.#deps;
    const createdAt = clock.now();
    const event = { ...input, seq: this.#nextSeq++, eventId: newId<string>(), createdAt, replayedAt: null };
    const { integrationId, direction, status } = event;
    if (direction === "IN") {
      const counted = this.#countedOf(integrationId);
      counted.received++;
      counted.lastMessageAt = createdAt;
    }
    this.#tally(integrationId, direction, status);
    if (status === "ERROR") this.#deps.onFailed(event);
    const work = () => {
      if (status === "PENDING") repository.insert(event);
      else this.#fresh.push(event);
      if (seenKey !== undefined) repository.markSeen(integrationId, seenKey, createdAt);
    };
    const written = this.#laterOf(integrationId, work, event.payload?.length);
    return { eventId: event.eventId, written };
  }

  /** Writes the outcome of a PENDING event. */
  finish(
    event: Pick<IntegrationEvent, "eventId" | "integrationId" | "direction">,
    outcome: EventOutcome,
    seenKey?: string,
  ): Promise<void> {
    const { repository, clock } = this.#deps;
    const { eventId, integrationId, direction } = event;
    this.#tally(integrationId, direction, outcome.status);
    if (outcome.status === "ERROR") this.#deps.onFailed({ integrationId, ...outcome });
    return this.#laterOf(integrationId, () => {
      if (repository.finish(eventId, outcome)) this.#limit(integrationId, outcome);
      else {
        this.#unpack();
        repository.finish(eventId, outcome);
      }
      if (seenKey !== undefined) repository.markSeen(integrationId, seenKey, clock.now());
    });
  }

  setReplayed(eventId: string): void {
    const { repository, clock } = this.#deps;
    void this.#later(() => {
      this.#unpack();
      repository.setReplayed(eventId, clock.now());
    });
  }

  /** Returns the unwritten counts. */
  countsOf(integrationId: string): Counted {
    return this.#counts.get(integrationId) ?? nothing();
  }

  /** Forgets a deleted integration. */
  forget(integrationId: string): void {
    this.flush();
    this.#counts.delete(integrationId);
    this.#kept.delete(integrationId);
  }

  /** Writes all waiting events as rows, so that they can be read. */
  flush(): void {
    while (this.#batches.length > 0) this.#write();
    if (this.#groups.isEmpty) return;
    try {
      this.#run(() => this.#unpack());
    } catch (error) {
      this.#deps.log.warn("preparing the newest events of integrations failed", { error });
    }
  }

  /** Writes the oldest waiting batch. */
  #write(): void {
    const batch = this.#batches.shift();
    if (batch === undefined) return;
    const { writes, touched, written } = batch;
    try {
      this.#run(() => {
        for (const write of writes) write();
        if (this.#fresh.length > 0) this.#groups.add(this.#fresh);
      });
    } catch (error) {
      written.reject(refusedWrite(error));
      this.#writeSoon();
      return;
    }
    this.#syncs++;
    this.#deps
      .durable()
      .finally(() => this.#synced())
      .then(written.resolve, written.reject);
    for (const integrationId of touched) this.#publishSoon(integrationId);
  }

  #writeSoon(): void {
    if (this.#syncs === 0) setImmediate(() => this.#write());
  }

  /** Starts the next fsync for newly arrived events before reporting that the previous one finished. */
  #synced(): void {
    this.#syncs--;
    if (this.#syncs === 0) this.#write();
  }

  /** Runs `work` as one transaction; restores the state in memory if it fails. */
  #run(work: () => void): void {
    this.#there.clear();
    const restore = this.#groups.savepoint();
    try {
      this.#deps.transact(work);
    } catch (error) {
      this.#kept.clear(); // nothing was written, so count them again
      restore();
      throw error;
    } finally {
      this.#fresh = [];
    }
  }

  /** Writes all events as rows, within the transaction. */
  #unpack(): void {
    if (this.#fresh.length > 0) this.#groups.add(this.#fresh);
    this.#fresh = [];
    this.#groups.unpack();
  }

  #insert(event: IntegrationEvent): void {
    this.#deps.repository.insert(event);
    this.#limit(event.integrationId, event);
  }

  /** Publishes new events at most four times per second. */
  #publishSoon(integrationId: string): void {
    if (this.#scheduled.has(integrationId)) return;
    const cancel = this.#deps.clock.schedule(PUBLISH_INTERVAL_MS, () => {
      this.#scheduled.delete(integrationId);
      this.#deps.onLogged(integrationId);
    });
    this.#scheduled.set(integrationId, cancel);
  }

  #later(
    work: () => void,
    { bytes = 0, integrationId }: { bytes?: number; integrationId?: string } = {},
  ): Promise<void> {
    const batch = this.#batchFor(bytes);
    batch.writes.push(work);
    batch.bytes += bytes;
    if (integrationId !== undefined) batch.touched.add(integrationId);
    return batch.written.promise;
  }

  /** Returns the newest batch if it has room, otherwise a new one. */
  #batchFor(bytes: number): Batch {
    const newest = this.#batches.at(-1);
    if (newest !== undefined && (newest.bytes === 0 || newest.bytes + bytes <= BATCH_BYTES_MAX))
      return newest;
    const batch: Batch = { writes: [], touched: new Set(), written: Promise.withResolvers<void>(), bytes: 0 };
    batch.written.promise.catch(() => undefined); // callers that wait get the error
    this.#batches.push(batch);
    if (this.#batches.length === 1) this.#writeSoon();
    return batch;
  }

  /** Adds writes to a batch. Events of integrations deleted meanwhile are dropped, so that they do not roll back the transaction. */
  #laterOf(integrationId: string, work: () => void, bytes?: number): Promise<void> {
    let isGone = false;
    const unlessGone = () => {
      isGone = !this.#isThere(integrationId);
      if (!isGone) work();
    };
    const written = this.#later(unlessGone, { integrationId, ...(bytes !== undefined && { bytes }) }).then(
      () => {
        if (isGone) throw integrationNotFound();
      },
    );
    written.catch(() => undefined); // callers that wait get the error
    return written;
  }

  #isThere(integrationId: string): boolean {
    const existing = this.#there.get(integrationId);
    if (existing !== undefined) return existing;
    const found = this.#deps.integrations.findAcrossTenants(integrationId) !== undefined;
    this.#there.set(integrationId, found);
    return found;
  }

  /** Counts an additional event of its share, within the transaction, and deletes the oldest beyond the limit. */
  #limit(integrationId: string, { status, payload }: Pick<IntegrationEvent, "status" | "payload">): void {
    if (status === "PENDING") return;
    const group = groupOf(status);
    let sizes = this.#kept.get(integrationId);
    if (sizes === undefined) {
      sizes = [this.#sizeOf(integrationId, 0), this.#sizeOf(integrationId, 1)];
      this.#kept.set(integrationId, sizes);
    } else {
      const { events, bytes } = sizes[group];
      sizes[group] = { events: events + 1, bytes: bytes + (payload?.length ?? 0) };
    }
    const { events, bytes } = sizes[group];
    const kept = keptOf(bytes > UNSHARED_BYTES ? this.#deps.integrations.countBeside(integrationId) : 1);
    if (events <= kept.events + SLACK.events && bytes <= kept.bytes * (1 + SLACK.bytesShare)) return;
    sizes[group] = this.#deps.repository.trim(integrationId, GROUPS[group], kept);
  }

  #sizeOf(integrationId: string, group: 0 | 1): EventsSize {
    return this.#deps.repository.sizeOf(integrationId, GROUPS[group]);
  }

  #countedOf(integrationId: string): Counted {
    const existing = this.#counts.get(integrationId);
    if (existing !== undefined) return existing;
    const counted = nothing();
    this.#counts.set(integrationId, counted);
    return counted;
  }

  #tally(integrationId: string, direction: "IN" | "OUT", status: EventStatus): void {
    const counted = this.#countedOf(integrationId);
    if (direction === "OUT") {
      if (status === "OK") counted.sent++;
      else if (status === "ERROR") counted.failed++;
      return;
    }
    if (status === "OK") counted.stored++;
    else if (status === "DROPPED") counted.dropped++;
    else if (status === "ERROR") counted.failed++;
  }

  #saveCounts(): void {
    if (this.#counts.size === 0) return;
    const { integrations, transact, log } = this.#deps;
    const fresh = [...this.#counts];
    this.#counts.clear();
    try {
      transact(() => {
        for (const [integrationId, counted] of fresh) integrations.addCounts(integrationId, counted);
      });
    } catch (error) {
      for (const [integrationId, counted] of fresh) this.#counts.set(integrationId, counted);
      log.warn("counts of integrations could not be written", { error });
    }
  }
}
