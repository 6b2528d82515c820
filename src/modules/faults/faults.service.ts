import type { FaultSource } from "../../lib/alarms/fault-sources.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { newId } from "../../platform/core/ids.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Listener, OwnPorts } from "../../platform/network/own-ports.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import type { Peer } from "../api/request-peer.ts";
import type { DomainEvents } from "../events.types.ts";
import { FaultList, matchesFault } from "./fault-list.ts";
import type { FaultsRepository } from "./faults.repository.ts";
import type { Fault, FaultEntry, FaultFilter, FaultSubject } from "./faults.types.ts";
import { RefusalLog } from "./refusal-log.ts";
import { isRefusal } from "./refusals.types.ts";

/** Max. entries of the gateway, about 1 KB each, and of one object or address. */
export const FAULTS_MAX = 5_000;
export const FAULTS_PER_HOLDER_MAX = 50;
const LIMITS = { entriesMax: FAULTS_MAX, perHolderMax: FAULTS_PER_HOLDER_MAX, staleMs: 60 * 60_000 };
/** Interval in ms whose new entries a crash loses. */
const FLUSH_INTERVAL_MS = 5_000;
/** Interval in ms whose counts, refused credentials and entries without a tenant a crash loses; so an attack causes few writes. */
const WHOLE_FLUSH_INTERVAL_MS = 5 * 60_000;
/** Rows per transaction; larger transactions block the main thread. */
const FLUSH_ENTRIES_MAX = 1_000;
const SUMMARY_INTERVAL_MS = 60_000;

const listeners: Record<Peer["protocol"], Listener> = {
  mqtt: "mqtt",
  mqtts: "mqttTls",
  http: "http",
  ws: "http",
  https: "https",
  wss: "https",
};

export interface FaultCount {
  readonly source: FaultSource;
  readonly code: string;
  readonly count: number;
}

interface FaultsDeps {
  readonly repository: FaultsRepository;
  readonly ports: Pick<OwnPorts, "get">;
  readonly clock: Clock;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

/** Log of faults of any number: counts, lists and stores faults, and logs refused credentials. */
export class Faults {
  readonly #deps: FaultsDeps;
  readonly #list = new FaultList(LIMITS, newId);
  readonly #log: RefusalLog;
  /** Faults since startup by source and code. */
  readonly #counts = new Map<FaultSource, Map<string, number>>();
  readonly #flushing: ReturnType<typeof createPeriodic>;
  readonly #summarizing: ReturnType<typeof createPeriodic>;
  /** Monotonic ms of the last full flush. */
  #wholeFlushAt: number;

  constructor(deps: FaultsDeps) {
    const { clock, log } = deps;
    this.#deps = deps;
    this.#log = new RefusalLog(clock, log);
    this.#wholeFlushAt = clock.monotonic();
    this.#flushing = createPeriodic({
      clock,
      log,
      intervalMs: FLUSH_INTERVAL_MS,
      work: () => this.#flushDue(),
    });
    this.#summarizing = createPeriodic({
      clock,
      log,
      intervalMs: SUMMARY_INTERVAL_MS,
      work: () => this.#log.summarize(),
    });
  }

  /** Subscribes to faults. The module calls it once, before anything is started. */
  subscribe(): void {
    const { events } = this.#deps;
    this.#list.restore(this.#deps.repository.list());
    events.on("fault.occurred", (fault) => this.#record(fault));
    events.on("tenant.deleted", ({ tenantId }) => this.#list.removeTenant(tenantId));
    events.on("device.deleted", ({ deviceId }) => this.#list.removeAbout({ kind: "device", id: deviceId }));
    events.on("subject.deleted", (subject) => this.#list.removeAbout(subject));
    events.on("integration.deleting", ({ integrationId }) =>
      this.#list.removeAbout({ kind: "integration", id: integrationId }),
    );
  }

  start(): void {
    this.#flushing.start();
    this.#summarizing.start();
  }

  stop(): void {
    this.#flushing.stop();
    this.#summarizing.stop();
    this.#log.summarize(true);
    while (!this.#flush(false));
  }

  /** Number of refused credentials since startup. */
  get refusedTotal(): number {
    return this.counts().reduce((sum, { code, count }) => (isRefusal(code) ? sum + count : sum), 0);
  }

  counts(): FaultCount[] {
    return [...this.#counts].flatMap(([source, codes]) =>
      [...codes].map(([code, count]) => ({ source, code, count })),
    );
  }

  /** Lists faults, newest first; without a tenant, those of the whole gateway. */
  list(tenantId: TenantId | undefined, filter: FaultFilter = {}): FaultEntry[] {
    const { subject: kind, subjectId: id } = filter;
    const entries =
      kind === undefined || id === undefined ? this.#list.list() : this.#list.about({ kind, id });
    return entries.filter(
      (entry) => (tenantId === undefined || entry.tenantId === tenantId) && matchesFault(entry, filter),
    );
  }

  /** Lists faults of one object, newest first. */
  about(subject: Pick<FaultSubject, "kind" | "id">): FaultEntry[] {
    return this.#list.about(subject);
  }

  clear(entries: readonly FaultEntry[]): void {
    this.#list.remove(entries);
  }

  #flushDue(): void {
    const now = this.#deps.clock.monotonic();
    const isUrgent = now - this.#wholeFlushAt < WHOLE_FLUSH_INTERVAL_MS;
    if (this.#flush(isUrgent) && !isUrgent) this.#wholeFlushAt = now;
  }

  /** Stores changes, one slice per call. Returns whether none are left. */
  #flush(isUrgent: boolean): boolean {
    const { saved, removed } = this.#list.changes(isUrgent);
    if (saved.length + removed.length === 0) return true;
    const slice = {
      saved: saved.slice(0, FLUSH_ENTRIES_MAX),
      removed: removed.slice(0, FLUSH_ENTRIES_MAX),
    };
    this.#deps.repository.save(slice.saved, slice.removed);
    this.#list.stored(slice);
    return saved.length <= FLUSH_ENTRIES_MAX && removed.length <= FLUSH_ENTRIES_MAX;
  }

  #record(fault: Fault): void {
    const { source, code, protocol } = fault;
    const ofSource = this.#counts.get(source) ?? new Map<string, number>();
    this.#counts.set(source, ofSource);
    ofSource.set(code, (ofSource.get(code) ?? 0) + 1);
    const { clock, ports } = this.#deps;
    const portOf = () => (protocol === undefined ? undefined : ports.get(listeners[protocol]));
    const entry = this.#list.record(fault, clock.now(), portOf);
    if (isRefusal(code)) this.#log.refused(entry);
  }
}
