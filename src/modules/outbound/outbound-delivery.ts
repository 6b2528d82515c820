import { detail } from "../../lib/domain-error.ts";
import { GIVE_UP_AFTER_MS, type Verdict, waitAfter } from "../../lib/retry-policy.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/log.ts";
import type { GivenUp, OutboundRepository, RequestRow, TargetRow } from "./outbound.repository.ts";
import { type Lane, type Load, OutboundLanes, type Target } from "./outbound-lanes.ts";
import type { OutboundLedger } from "./outbound-ledger.ts";

/** Rows of a failing target that are looked at each time. */
const SWEEP_ROWS_MAX = 1_000;
const SWEEP_INTERVAL_MS = 60_000;
/** Delay after the disk could not be read or written. */
const READ_AGAIN_MS = 10_000;
/** Rows that die at once when the outbox is full, so that it is not full again with the next. */
const EVICTED_AT_ONCE = 100;
/** Max. such steps before others have their turn. */
const EVICTIONS_AT_ONCE = 20;

export interface Attempt {
  readonly verdict: Verdict;
  readonly status: number | null;
  readonly error: Text | null;
  /** Delay that the server requests; 0 for none. */
  readonly retryAfterMs: number;
}

/** Result of one attempt to send a row. */
interface Result {
  readonly row: RequestRow;
  readonly attempt: Attempt;
  readonly startedAt: number;
}

interface OutboundDeliveryDeps {
  readonly repository: OutboundRepository;
  readonly ledger: OutboundLedger;
  /** Never rejects. */
  readonly send: (row: RequestRow, target: TargetRow, signal: AbortSignal) => Promise<Attempt>;
  readonly limits: Readonly<Load>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/**
 * Sends what waits. At least once: a row is deleted after its answer, and that is written some at a time, so that a crash in between
 * sends a few again under the same id. In order under one key: the next is not looked for until the one before was delivered or
 * given up.
 */
export class OutboundDelivery {
  private readonly lanes = new OutboundLanes();
  /** Monotonic ms at which the clock of the queue stood at `base`. */
  private readonly startedAt: number;
  /** Time up to which the gateway had run before the start, on the clock of the queue. */
  private base = 0;
  private isStopped = true;
  /** True if a pump is about to run. */
  private isAsked = false;
  private cancel: () => void = () => undefined;
  private cancelSweep: () => void = () => undefined;
  private readonly inFlight = new Set<Promise<void>>();
  /** Numbers of the requests in flight, which are not given up. */
  private readonly inFlightSeqs = new Set<number>();

  constructor(private readonly deps: OutboundDeliveryDeps) {
    this.startedAt = deps.clock.monotonic();
  }

  start(): void {
    const { repository, ledger } = this.deps;
    this.base = repository.latestRunning();
    repository.deleteUnusedTargets();
    for (const row of repository.listTargetsWithWaiting()) this.load(row);
    this.isStopped = false;
    ledger.start(() => this.lanes.dropIdle());
    this.scheduleSweep();
    this.wake();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    this.cancelSweep();
    for (const { controller } of this.lanes.targets.values())
      controller.abort(new Error("the gateway stops"));
    await Promise.all(this.inFlight);
    this.deps.ledger.stop();
  }

  /** Returns the time on the clock of the queue, in ms. It runs while the gateway does. */
  now(): number {
    return this.base + Math.floor(this.deps.clock.monotonic() - this.startedAt);
  }

  /** Notes that a row was inserted. */
  added(row: TargetRow, orderKey: string, bytes: number): void {
    const target = this.lanes.target(row);
    if (target.load.rows === 0) target.oldestAt = this.now();
    this.lanes.count(target, { rows: 1, bytes });
    this.lanes.add(target, { orderKey, dueAt: this.now() });
    this.wake();
  }

  /** Notes that a person revived or deleted rows of the target; `tryNow` ends all waits. */
  changed(targetId: string, { tryNow }: { tryNow: boolean }): void {
    const row = this.deps.repository.findTarget(targetId);
    if (row === undefined) return;
    const target = this.load(row);
    if (tryNow) this.lanes.hasten(target, this.now());
    this.wake();
  }

  /** Sends nothing more to targets whose rows are gone, or about to be. */
  removed(isMeant: (target: TargetRow) => boolean): void {
    for (const { row } of [...this.lanes.targets.values()]) if (isMeant(row)) this.lanes.remove(row.targetId);
  }

  /** Pumps after whatever runs now: a transaction that inserted something has ended by then. */
  private wake(): void {
    if (this.isAsked || this.isStopped) return;
    this.isAsked = true;
    queueMicrotask(() => {
      try {
        this.pump();
      } catch (error) {
        this.deps.log.warn("the outbox could not be processed and is retried", { error }); // a broken disk, say
        this.cancel = this.deps.clock.schedule(READ_AGAIN_MS, () => this.wake());
      }
    });
  }

  private pump(): void {
    const { lanes } = this;
    this.isAsked = false;
    if (this.isStopped) return;
    this.cancel();
    const isFull = this.evict();
    for (let next = lanes.take(this.now()); next !== undefined; next = lanes.take(this.now()))
      this.begin(next.target, next.lane);
    const timeMs = isFull ? this.now() : lanes.nextAt();
    if (timeMs === undefined) return;
    this.cancel = this.deps.clock.schedule(Math.max(timeMs - this.now(), 1), () => this.wake());
  }

  private begin(target: Target, lane: Lane): void {
    let row: RequestRow | undefined;
    try {
      row = this.readHead(target, lane);
    } catch (error) {
      this.lanes.landed(target, 0);
      this.lanes.queue(target, lane, this.now() + READ_AGAIN_MS);
      throw error;
    }
    if (row === undefined) {
      this.lanes.landed(target, 0);
      this.lanes.idle(target, lane);
      this.deps.ledger.wake();
    } else this.send(target, lane, row);
  }

  private readHead({ row: { targetId } }: Target, lane: Lane): RequestRow | undefined {
    const { ledger, repository } = this.deps;
    if (lane.isStale) {
      ledger.flush();
      lane.lastSeq = 0;
      lane.isStale = false;
    }
    return repository.head(targetId, lane.key, lane.lastSeq);
  }

  private send(target: Target, lane: Lane, row: RequestRow): void {
    const startedAt = this.now();
    this.inFlightSeqs.add(row.seq);
    const done = this.deps.send(row, target.row, target.controller.signal).then((attempt) => {
      this.inFlight.delete(done);
      this.inFlightSeqs.delete(row.seq);
      this.settle(target, lane, { row, attempt, startedAt });
      this.wake();
    });
    this.inFlight.add(done);
  }

  private settle(target: Target, lane: Lane, result: Result): void {
    const { lanes } = this;
    const { row, attempt, startedAt } = result;
    lanes.landed(target, this.now() - startedAt);
    if (this.isStopped || lanes.targets.get(target.row.targetId) !== target) return;
    if (typeof attempt.verdict === "object") {
      this.retry(target, lane, { ...result, isOfTarget: attempt.verdict.retry === "target" });
      return;
    }
    target.failures = 0;
    target.blockedUntil = 0;
    lane.lastSeq = row.seq;
    if (attempt.verdict === "dead") this.bury(target, row, attempt);
    else {
      this.deps.ledger.sent(target.row, row);
      lanes.count(target, { rows: -1, bytes: -row.bytes });
    }
    lanes.queue(target, lane, this.now());
  }

  /** `isOfTarget`: the whole target is to wait, and not only the row. */
  private retry(target: Target, lane: Lane, result: Result & { isOfTarget: boolean }): void {
    const { row, attempt, isOfTarget } = result;
    const waitMs = this.waitAfter(target, result);
    const timeMs = this.now();
    if (isOfTarget) {
      target.failedAt = timeMs;
      target.blockedUntil = Math.max(target.blockedUntil, timeMs + waitMs);
    }
    if (timeMs + waitMs - row.queuedAt >= GIVE_UP_AFTER_MS) {
      this.bury(target, row, attempt);
      lane.lastSeq = row.seq;
      this.lanes.queue(target, lane, timeMs);
      return;
    }
    const dueAt = timeMs + waitMs;
    this.deps.ledger.retried(target.row, row.seq, {
      attempts: row.attempts + 1,
      dueAt,
      triedAt: timeMs,
      lastStatus: attempt.status,
      lastError: attempt.error,
    });
    this.lanes.queue(target, lane, dueAt);
  }

  /** Counts the failure and returns the time until the next attempt, in ms. */
  private waitAfter(target: Target, result: Result & { isOfTarget: boolean }): number {
    const { row, attempt, startedAt, isOfTarget } = result;
    // Several that were in progress when it began to fail are one failure.
    if (!isOfTarget) target.failures = 0;
    else if (target.failures === 0 || startedAt >= target.failedAt) target.failures++;
    const failures = isOfTarget ? target.failures : row.attempts + 1;
    return Math.max(waitAfter(failures, this.deps.random), attempt.retryAfterMs);
  }

  /** Makes a row a dead letter. */
  private bury(target: Target, row: RequestRow, { status, error }: Attempt): void {
    this.deps.ledger.died(target.row, row, {
      status,
      error: error ?? detail("delivery_error.refused"),
      triedAt: this.now(),
    });
    this.lanes.count(target, { rows: -1, bytes: -row.bytes });
  }

  /** Makes room at the limit: the tenant with the most waiting requests loses the oldest of its fullest targets. Returns whether there is more to give up. */
  private evict(): boolean {
    const { limits, ledger } = this.deps;
    if (this.lanes.fullestBeyond(limits, 1).length === 0) return false;
    ledger.flush(); // what was sent must not be given up
    let isBeyond = true;
    for (let step = 0; step < EVICTIONS_AT_ONCE && isBeyond; step++) isBeyond = this.evictSome();
    ledger.prune();
    return isBeyond;
  }

  private evictSome(): boolean {
    const { limits, repository } = this.deps;
    const options = this.giveUpOptions("delivery_error.no_room");
    const gone: GivenUp[] = [];
    for (const { row } of this.lanes.fullestBeyond(limits, EVICTED_AT_ONCE)) {
      const limit = EVICTED_AT_ONCE - gone.length;
      if (limit > 0) gone.push(...repository.giveUp(row.targetId, { ...options, limit }));
    }
    this.noteGivenUp(gone, options.error);
    return gone.length > 0;
  }

  private giveUpOptions(code: "delivery_error.no_room" | "delivery_error.too_old") {
    return { error: detail(code), at: this.deps.clock.now(), except: [...this.inFlightSeqs] };
  }

  private noteGivenUp(gone: readonly GivenUp[], error: Text): void {
    const { lanes, deps } = this;
    /** One row of each source, with the number of its requests. */
    const bySource = new Map<string, { row: TargetRow; count: number }>();
    for (const { targetId, bytes } of gone) {
      const target = lanes.targets.get(targetId);
      const row = target?.row ?? deps.repository.findTarget(targetId);
      if (target !== undefined) lanes.count(target, { rows: -1, bytes: -bytes });
      if (row === undefined) continue;
      const source = `${row.sourceKind} ${row.sourceId}`;
      bySource.set(source, { row, count: (bySource.get(source)?.count ?? 0) + 1 });
    }
    for (const { row, count } of bySource.values()) deps.ledger.gaveUp(row, count, error);
  }

  private scheduleSweep(): void {
    const { clock, log } = this.deps;
    this.cancelSweep = clock.schedule(SWEEP_INTERVAL_MS, () => {
      try {
        this.sweep();
      } catch (error) {
        log.warn("the outbox could not be pruned and is retried", { error });
      }
      this.scheduleSweep();
    });
  }

  /** Gives up what is too old at targets that fail. */
  private sweep(): void {
    const { ledger, repository } = this.deps;
    const reason = this.giveUpOptions("delivery_error.too_old");
    const queuedBefore = this.now() - GIVE_UP_AFTER_MS;
    ledger.flush();
    for (const target of this.lanes.targets.values()) {
      // A query for each of thousands of targets would take too long.
      if (target.failures === 0 || target.oldestAt >= queuedBefore) continue;
      const options = { ...reason, limit: SWEEP_ROWS_MAX, queuedBefore };
      this.noteGivenUp(repository.giveUp(target.row.targetId, options), reason.error);
      this.countWaiting(target);
    }
    ledger.prune();
  }

  private load(row: TargetRow): Target {
    const target = this.lanes.target(row);
    for (const lane of this.deps.repository.lanes(row.targetId)) this.lanes.add(target, lane).isStale = true;
    this.countWaiting(target);
    return target;
  }

  /** Reads how much waits for a target. */
  private countWaiting(target: Target): void {
    const { rows, bytes, oldestAt } = this.deps.repository.waiting(target.row.targetId);
    target.oldestAt = oldestAt;
    this.lanes.count(target, { rows: rows - target.load.rows, bytes: bytes - target.load.bytes });
  }
}
