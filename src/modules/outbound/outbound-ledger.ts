import { inEnglish } from "../../lib/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/log.ts";
import type { OutboundRepository, RequestRow, TargetRow } from "./outbound.repository.ts";
import type { CountsRow } from "./outbound-counts.repository.ts";

const FLUSH_INTERVAL_MS = 250;
const RETRY_INTERVAL_MS = 5_000;
const UNWRITTEN_MAX = 500;
const DEAD_MAX = 10_000;
const DEAD_BYTES_MAX = 64 * 1024 * 1024;
const DEAD_DAYS = 30;
const DAY_MS = 24 * 3_600_000;
/** At once, so that it does not hold others up. */
const PRUNED_AT_ONCE = 1_000;

/** The id that goes out with a request, on whatever gateway it was made. */
export const deliveryIdOf = ({ targetId, seq }: Pick<RequestRow, "targetId" | "seq">): string =>
  `${targetId}.${seq}`;

export interface Settled {
  readonly target: TargetRow;
  readonly seq: number;
  readonly orderKey: string;
  readonly error: Text | null;
}

/** What became of requests, written some at a time: a gateway on an SD card must not write for each. */
export function createOutboundLedger(deps: {
  repository: OutboundRepository;
  transact: (work: () => void) => void;
  onSettled: (settled: Settled) => void;
  clock: Clock;
  log: Logger;
}) {
  const { repository, clock, log } = deps;
  let settled: Settled[] = [];
  let written: () => void = () => undefined;
  let cancel: (() => void) | undefined;
  const gone = new Set<number>();
  /** Keyed by number, as are the ones above. */
  const changes = new Map<number, Partial<RequestRow>>();
  const counts = new Map<string, CountsRow>();

  const keyOf = (tenantId: string, kind: string, id: string) => JSON.stringify([tenantId, kind, id]);

  function countsFor({ tenantId, sourceKind, sourceId }: TargetRow): CountsRow {
    const key = keyOf(tenantId, sourceKind, sourceId);
    const count = counts.get(key);
    if (count !== undefined) return count;
    const none = { sent: 0, died: 0, lastSentAt: null, lastError: null, lastErrorAt: null };
    const created = { tenantId, sourceKind, sourceId, ...none };
    counts.set(key, created);
    return created;
  }

  function failed(target: TargetRow, error: Text | null): CountsRow {
    return Object.assign(countsFor(target), { lastError: error, lastErrorAt: clock.now() });
  }

  function flush(): void {
    cancel?.();
    cancel = undefined;
    if (gone.size + changes.size + counts.size > 0)
      deps.transact(() => {
        repository.deleteRows([...gone]);
        for (const [seq, change] of changes) repository.retried(seq, change);
        for (const count of counts.values()) repository.addCounts(count);
      });
    gone.clear();
    changes.clear();
    counts.clear();
    const events = settled;
    settled = [];
    written();
    for (const event of events) deps.onSettled(event);
  }

  function flushSoon(ms: number): void {
    cancel ??= clock.schedule(ms, () => {
      try {
        flush();
      } catch (error) {
        log.warn("the outbox could not be written and is retried", { error });
        flushSoon(RETRY_INTERVAL_MS);
      }
    });
  }

  function noted(): void {
    const isMuch = gone.size + changes.size >= UNWRITTEN_MAX;
    if (isMuch) {
      cancel?.();
      cancel = undefined;
    }
    flushSoon(isMuch ? 0 : FLUSH_INTERVAL_MS);
  }

  return {
    /** `written` is called after each time. */
    start(callback: () => void): void {
      written = callback;
    },
    stop(): void {
      flush();
    },
    sent(target: TargetRow, { seq, orderKey }: RequestRow): void {
      gone.add(seq);
      changes.delete(seq);
      const count = countsFor(target);
      count.sent++;
      count.lastSentAt = clock.now();
      settled.push({ target, seq, orderKey, error: null });
      noted();
    },
    died(
      target: TargetRow,
      { seq, orderKey, attempts }: RequestRow,
      { status, error, triedAt }: { status: number | null; error: Text; triedAt: number },
    ): void {
      const diedAt = clock.now();
      const how = { attempts: attempts + 1, lastStatus: status, lastError: error, triedAt };
      changes.set(seq, { state: "DEAD", diedAt, ...how });
      failed(target, error).died++;
      settled.push({ target, seq, orderKey, error });
      noted();
    },
    retried(target: TargetRow, seq: number, change: Partial<RequestRow> & { lastError: Text | null }): void {
      changes.set(seq, change);
      failed(target, change.lastError);
      noted();
    },
    /** Rows that were given up elsewhere are to be counted. */
    gaveUp(target: TargetRow, count: number, error: Text): void {
      failed(target, error).died += count;
      log.warn("outbound requests were dropped", {
        targetId: target.targetId,
        count,
        error: inEnglish(error),
      });
      noted();
    },
    /** Writes now. @throws what the disk says; nothing is lost by it. */
    flush,
    /** Writes soon. */
    wake: (): void => flushSoon(FLUSH_INTERVAL_MS),
    prune(): void {
      const before = clock.now() - DEAD_DAYS * DAY_MS;
      repository.pruneDead({ keep: DEAD_MAX, bytesMax: DEAD_BYTES_MAX, before, limit: PRUNED_AT_ONCE });
    },
    /** Nothing is counted any more of what was there; of one source, or of the whole tenant. */
    forget(tenantId: string, source?: { kind: string; id: string }): void {
      for (const [key, { tenantId: of, sourceKind, sourceId }] of counts)
        if (
          of === tenantId &&
          (source === undefined || (source.kind === sourceKind && source.id === sourceId))
        )
          counts.delete(key);
    },
    /** Not written yet. */
    countsOf: (tenantId: string, kind: string, id: string): CountsRow | undefined =>
      counts.get(keyOf(tenantId, kind, id)),
  };
}

export type OutboundLedger = ReturnType<typeof createOutboundLedger>;
