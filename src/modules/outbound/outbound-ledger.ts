import { inEnglish } from "../../lib/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/log.ts";
import type { OutboundRepository, RequestRow, TargetRow } from "./outbound.repository.ts";
import type { CountsRow } from "./outbound-counts.repository.ts";

const FLUSH_INTERVAL_MS = 250;
const RETRY_INTERVAL_MS = 5_000;
const UNWRITTEN_MAX = 500;
/** Max. dead letters, of all tenants: beyond it, the tenant with the most loses its oldest. */
const DEAD_MAX = { rows: 10_000, bytes: 64 * 1024 * 1024 };
const DEAD_DAYS = 30;
const DAY_MS = 24 * 3_600_000;
/** At once, so that it does not hold others up. */
const PRUNED_AT_ONCE = 1_000;

/** The id that goes out with a request, on whatever gateway it was made. */
export const deliveryIdOf = ({ targetId, seq }: Pick<RequestRow, "targetId" | "seq">): string =>
  `${targetId}.${seq}`;

/** A request that was not delivered: it is tried again, or was given up. */
export interface FailedDelivery {
  readonly target: TargetRow;
  readonly code: "fault.delivery_retried" | "fault.delivery_dead" | "fault.delivery_dropped";
  readonly reason: Text;
}

const keyOf = (tenantId: string, kind: string, id: string) => JSON.stringify([tenantId, kind, id]);

interface OutboundLedgerDeps {
  readonly repository: OutboundRepository;
  readonly transact: (work: () => void) => void;
  readonly onFailed: (failed: FailedDelivery) => void;
  readonly clock: Clock;
  /** Time against which age is measured, in epoch ms. */
  readonly retentionTime: () => number;
  readonly log: Logger;
}

/** Results of requests, written in batches, because a gateway on an SD card must not write for each. */
export class OutboundLedger {
  private onWritten: () => void = () => undefined;
  private cancel: (() => void) | undefined;
  /** Numbers of requests that were sent. */
  private readonly gone = new Set<number>();
  /** Keyed by number of the request. */
  private readonly changes = new Map<number, Partial<RequestRow>>();
  /** Keyed by tenant and source. */
  private readonly counts = new Map<string, CountsRow>();

  constructor(private readonly deps: OutboundLedgerDeps) {}

  /** `onWritten` is called after each time that something was written. */
  start(onWritten: () => void): void {
    this.onWritten = onWritten;
  }

  stop(): void {
    this.flush();
  }

  sent(target: TargetRow, { seq }: RequestRow): void {
    this.gone.add(seq);
    this.changes.delete(seq);
    const count = this.countsFor(target);
    count.sent++;
    count.lastSentAt = this.deps.clock.now();
    this.noted();
  }

  died(
    target: TargetRow,
    { seq, attempts }: RequestRow,
    { status, error, triedAt }: { status: number | null; error: Text; triedAt: number },
  ): void {
    const diedAt = this.deps.clock.now();
    const how = { attempts: attempts + 1, lastStatus: status, lastError: error, triedAt };
    this.changes.set(seq, { state: "DEAD", diedAt, ...how });
    this.failed(target, error).died++;
    this.deps.onFailed({ target, code: "fault.delivery_dead", reason: error });
    this.noted();
  }

  retried(target: TargetRow, seq: number, change: Partial<RequestRow> & { lastError: Text | null }): void {
    this.changes.set(seq, change);
    this.failed(target, change.lastError);
    if (change.lastError !== null)
      this.deps.onFailed({ target, code: "fault.delivery_retried", reason: change.lastError });
    this.noted();
  }

  /** Counts rows that were given up elsewhere. */
  gaveUp(target: TargetRow, count: number, error: Text): void {
    this.failed(target, error).died += count;
    this.deps.onFailed({ target, code: "fault.delivery_dropped", reason: error });
    this.deps.log.warn("outbound requests were dropped", {
      targetId: target.targetId,
      count,
      error: inEnglish(error),
    });
    this.noted();
  }

  /** Writes now. @throws what the disk says; nothing is lost by it. */
  flush(): void {
    const { repository, transact } = this.deps;
    this.cancel?.();
    this.cancel = undefined;
    if (this.gone.size + this.changes.size + this.counts.size > 0)
      transact(() => {
        repository.deleteRows([...this.gone]);
        for (const [seq, change] of this.changes) repository.retried(seq, change);
        for (const count of this.counts.values()) repository.addCounts(count);
      });
    this.gone.clear();
    this.changes.clear();
    this.counts.clear();
    this.onWritten();
  }

  /** Writes soon. */
  wake(): void {
    this.flushSoon(FLUSH_INTERVAL_MS);
  }

  /** Deletes dead letters that are too old or too many. */
  prune(): void {
    const { repository, retentionTime } = this.deps;
    repository.pruneDead(DEAD_MAX, {
      before: retentionTime() - DEAD_DAYS * DAY_MS,
      limit: PRUNED_AT_ONCE,
    });
  }

  /** Forgets what is counted and not written yet, of one source or of the whole tenant. */
  forget(tenantId: string, source?: { kind: string; id: string }): void {
    for (const [key, { tenantId: of, sourceKind, sourceId }] of this.counts)
      if (of === tenantId && (source === undefined || (source.kind === sourceKind && source.id === sourceId)))
        this.counts.delete(key);
  }

  /** Returns the counts that are not written yet. */
  countsOf(tenantId: string, kind: string, id: string): CountsRow | undefined {
    return this.counts.get(keyOf(tenantId, kind, id));
  }

  private countsFor({ tenantId, sourceKind, sourceId }: TargetRow): CountsRow {
    const key = keyOf(tenantId, sourceKind, sourceId);
    const count = this.counts.get(key);
    if (count !== undefined) return count;
    const none = { sent: 0, died: 0, lastSentAt: null, lastError: null, lastErrorAt: null };
    const created = { tenantId, sourceKind, sourceId, ...none };
    this.counts.set(key, created);
    return created;
  }

  private failed(target: TargetRow, error: Text | null): CountsRow {
    return Object.assign(this.countsFor(target), { lastError: error, lastErrorAt: this.deps.clock.now() });
  }

  private flushSoon(ms: number): void {
    this.cancel ??= this.deps.clock.schedule(ms, () => {
      try {
        this.flush();
      } catch (error) {
        this.deps.log.warn("the outbox could not be written and is retried", { error });
        this.flushSoon(RETRY_INTERVAL_MS);
      }
    });
  }

  private noted(): void {
    const isMuch = this.gone.size + this.changes.size >= UNWRITTEN_MAX;
    if (isMuch) {
      this.cancel?.();
      this.cancel = undefined;
    }
    this.flushSoon(isMuch ? 0 : FLUSH_INTERVAL_MS);
  }
}
