import { detail } from "../../lib/domain-error.ts";
import { GIVE_UP_AFTER_MS, type Verdict, waitAfter } from "../../lib/retry-policy.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/log.ts";
import type { OutboundRepository, RequestRow, TargetRow } from "./outbound.repository.ts";
import { type Lane, OutboundLanes, type Target } from "./outbound-lanes.ts";
import type { OutboundLedger } from "./outbound-ledger.ts";

/** Rows of a failing target that are looked at each time. */
const SWEEP_ROWS_MAX = 1_000;
const SWEEP_INTERVAL_MS = 60_000;
/** After the disk could not be read or written. */
const READ_AGAIN_MS = 10_000;
/** Rows that die at once when the outbox is full, so that it is not full again with the next. */
const EVICTED_AT_ONCE = 100;

export interface Attempt {
  readonly verdict: Verdict;
  readonly status: number | null;
  readonly error: Text | null;
  /** What the server asks for; 0 for nothing. */
  readonly retryAfterMs: number;
}

/**
 * Sends what waits. At least once: a row is deleted after its answer, and that is written some at a time, so that a crash in between
 * sends a few again under the same id. In order under one key: the next is not looked for until the one before was delivered or
 * given up.
 */
export function createOutboundDelivery(deps: {
  repository: OutboundRepository;
  ledger: OutboundLedger;
  /** Never rejects. */
  send: (row: RequestRow, target: TargetRow, signal: AbortSignal) => Promise<Attempt>;
  limits: { rows: number; bytes: number };
  clock: Clock;
  random: () => number;
  log: Logger;
}) {
  const { repository, ledger, limits, clock, log } = deps;
  const lanes = new OutboundLanes();
  const started = clock.monotonic();
  let base = 0;
  let isStopped = true;
  let isAsked = false;
  let cancel: () => void = () => undefined;
  let cancelSweep: () => void = () => undefined;
  const flying = new Set<Promise<void>>();

  const now = () => base + Math.floor(clock.monotonic() - started);

  function resync(target: Target): void {
    Object.assign(target, repository.waiting(target.row.targetId));
  }

  function dies(target: Target, row: RequestRow, { status, error }: Attempt): void {
    ledger.died(target.row, row, {
      status,
      error: error ?? detail("delivery_error.refused"),
      triedAt: now(),
    });
    target.rows--;
    target.bytes -= row.bytes;
  }

  function retry(
    target: Target,
    lane: Lane,
    result: { row: RequestRow; attempt: Attempt; startedAt: number },
  ) {
    const { row, attempt, startedAt } = result;
    const { verdict, retryAfterMs } = attempt;
    const isOfTarget = typeof verdict === "object" && verdict.retry === "target";
    // Several that were in progress when it began to fail are one failure.
    if (!isOfTarget) target.failures = 0;
    else if (target.failures === 0 || startedAt >= target.failedAt) target.failures++;
    const failures = isOfTarget ? target.failures : row.attempts + 1;
    const waitMs = Math.max(waitAfter(failures, deps.random), retryAfterMs);
    const timeMs = now();
    if (isOfTarget) {
      target.failedAt = timeMs;
      target.blockedUntil = Math.max(target.blockedUntil, timeMs + waitMs);
    }
    if (timeMs + waitMs - row.queuedAt >= GIVE_UP_AFTER_MS) {
      dies(target, row, attempt);
      lane.lastSeq = row.seq;
      lanes.queue(target, lane, timeMs);
      return;
    }
    const dueAt = timeMs + waitMs;
    const { status: lastStatus, error: lastError } = attempt;
    ledger.retried(target.row, row.seq, {
      attempts: row.attempts + 1,
      dueAt,
      triedAt: timeMs,
      lastStatus,
      lastError,
    });
    lanes.queue(target, lane, dueAt);
  }

  function settle(
    target: Target,
    lane: Lane,
    result: { row: RequestRow; attempt: Attempt; startedAt: number },
  ) {
    const { row, attempt } = result;
    lanes.landed(target);
    if (isStopped || lanes.targets.get(target.row.targetId) !== target) return;
    if (typeof attempt.verdict === "object") return retry(target, lane, result);
    target.failures = 0;
    target.blockedUntil = 0;
    lane.lastSeq = row.seq;
    if (attempt.verdict === "dead") dies(target, row, attempt);
    else {
      ledger.sent(target.row, row);
      target.rows--;
      target.bytes -= row.bytes;
    }
    lanes.queue(target, lane, now());
  }

  function readHead({ row: { targetId } }: Target, lane: Lane): RequestRow | undefined {
    if (lane.isStale) {
      ledger.flush();
      lane.lastSeq = 0;
      lane.isStale = false;
    }
    return repository.head(targetId, lane.key, lane.lastSeq);
  }

  function begin(target: Target, lane: Lane): void {
    let row: RequestRow | undefined;
    try {
      row = readHead(target, lane);
    } catch (error) {
      lanes.landed(target);
      lanes.queue(target, lane, now() + READ_AGAIN_MS);
      throw error;
    }
    if (row === undefined) {
      lanes.landed(target);
      lanes.idle(target, lane);
      ledger.wake();
    } else follow(target, lane, row);
  }

  function follow(target: Target, lane: Lane, row: RequestRow): void {
    const startedAt = now();
    const done = deps.send(row, target.row, target.controller.signal).then((attempt) => {
      flying.delete(done);
      settle(target, lane, { row, attempt, startedAt });
      wake();
    });
    flying.add(done);
  }

  function pump(): void {
    isAsked = false;
    if (isStopped) return;
    cancel();
    for (let next = lanes.take(now()); next !== undefined; next = lanes.take(now()))
      begin(next.target, next.lane);
    const timeMs = lanes.nextAt();
    if (timeMs !== undefined) cancel = clock.schedule(Math.max(timeMs - now(), 1), wake);
  }

  /** After whatever runs now: a transaction that inserted something has ended by then. */
  function wake(): void {
    if (isAsked || isStopped) return;
    isAsked = true;
    queueMicrotask(() => {
      try {
        pump();
      } catch (error) {
        log.warn("the outbox could not be processed and is retried", { error }); // a broken disk, say
        cancel = clock.schedule(READ_AGAIN_MS, wake);
      }
    });
  }

  function giveUp(target: Target, options: Parameters<OutboundRepository["giveUp"]>[1]): number {
    const gone = repository.giveUp(target.row.targetId, options).length;
    if (gone > 0) ledger.gaveUp(target.row, gone, options.error);
    resync(target);
    return gone;
  }

  /** At the limit the oldest of whoever has the most waiting make room. */
  function evict(): void {
    const error = detail("delivery_error.no_room");
    const options = { error, queuedBefore: Number.MAX_SAFE_INTEGER, limit: EVICTED_AT_ONCE, at: clock.now() };
    for (;;) {
      const { rows, bytes, fullest } = lanes.totals();
      if (fullest === undefined || (rows <= limits.rows && bytes <= limits.bytes)) break;
      const gone = giveUp(fullest, options);
      if (gone === 0) break;
    }
    ledger.prune();
  }

  function sweep(): void {
    const queuedBefore = now() - GIVE_UP_AFTER_MS;
    for (const target of lanes.targets.values()) {
      const error = detail("delivery_error.too_old");
      if (target.failures > 0)
        giveUp(target, { error, queuedBefore, limit: SWEEP_ROWS_MAX, at: clock.now() });
    }
    ledger.prune();
  }

  function scheduleSweep(): void {
    cancelSweep = clock.schedule(SWEEP_INTERVAL_MS, () => {
      try {
        sweep();
      } catch (error) {
        log.warn("the outbox could not be pruned and is retried", { error });
      }
      scheduleSweep();
    });
  }

  function load(row: TargetRow): Target {
    const target = lanes.target(row);
    for (const lane of repository.lanes(row.targetId)) lanes.add(target, lane).isStale = true;
    resync(target);
    return target;
  }

  return {
    start(): void {
      base = repository.latestRunning();
      repository.deleteUnusedTargets();
      for (const row of repository.listTargetsWithWaiting()) load(row);
      isStopped = false;
      ledger.start(() => lanes.dropIdle());
      scheduleSweep();
      wake();
    },
    async stop(): Promise<void> {
      isStopped = true;
      cancel();
      cancelSweep();
      for (const { controller } of lanes.targets.values()) controller.abort(new Error("the gateway stops"));
      await Promise.all(flying);
      ledger.stop();
    },
    /** The clock of the outbox: runs while the gateway does. */
    now,
    /** A row was inserted. */
    added(row: TargetRow, orderKey: string, bytes: number): void {
      const target = lanes.target(row);
      target.rows++;
      target.bytes += bytes;
      lanes.add(target, { orderKey, dueAt: now() });
      const { rows, bytes: all } = lanes.totals();
      if (rows > limits.rows || all > limits.bytes) evict();
      wake();
    },
    /** Rows of the target were revived or deleted by a person; `tryNow` ends all waits. */
    changed(targetId: string, { tryNow }: { tryNow: boolean }): void {
      const row = repository.findTarget(targetId);
      if (row === undefined) return;
      const target = load(row);
      if (tryNow) lanes.hasten(target, now());
      wake();
    },
    /** Targets whose rows are gone, or about to be: nothing more is sent to them. */
    removed(isMeant: (target: TargetRow) => boolean): void {
      for (const { row } of [...lanes.targets.values()]) if (isMeant(row)) lanes.remove(row.targetId);
    },
  };
}

export type OutboundDelivery = ReturnType<typeof createOutboundDelivery>;
