import { detail } from "../../lib/core/domain-error.ts";
import type { Verdict } from "../../lib/network/retry-policy.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Logger } from "../core/log.ts";
import type { Clock } from "../time/clock.ts";
import {
  DeliveryLanes,
  type DeliveryTarget,
  type InFlightLimits,
  type Lane,
  type Load,
  type WaitingTarget,
} from "./delivery-lanes.ts";
import type { createDeliveryStore } from "./delivery-store.ts";

/**
 * Delivery queue: sends the rows of a table to targets and writes the results. Its kinds are mails, webhooks (including messages to messengers) and
 * downlinks. A kind names its table (`createDeliveryStore`), makes one attempt, writes results and sets limits.
 *
 * - Kill between attempt and result: the row still waits, and is sent again after the restart with the same id. Each row is sent at least once.
 * - Settled at most once: a lane reads only rows after its newest settled row until that result is written.
 * - Order: rows of a target with the same order key are sent one at a time. A row waiting for its retry only delays later rows with its key.
 * - Fairness: tenants share the attempts in flight, weighted by their duration; a failing target is tested by one row at a time.
 * - Clock: running attempts and waits use monotonic time. `now` must not jump; a kind that stores wall-clock times limits them at startup (`capDueTimes`).
 * - Size limits: beyond `limits.waiting`, the tenant with the most waiting rows loses its oldest.
 * - Expiry: an expired row is given up. If `isStrict`, it is never sent after its expiry; otherwise each row gets one attempt at a working target.
 * - Timeout: an attempt is aborted after `attemptMs` and counts as a failure of its target; a late result is ignored. Mails have their own timeout.
 * - Stop: attempts are aborted and awaited. Failures during the stop do not count; successful deliveries are written.
 * - Full disk: results stay in memory and are written later. Until then, their rows are not sent again.
 */

/** Expired rows given up, and rows counted, before other work gets a turn. */
const EXPIRED_PER_STEP = 100;
const SWEEP_INTERVAL_MS = 60_000;
/** Delay between steps, so that other work gets a turn. */
const NEXT_STEP_MS = 1;
/** Delay after a failed read or write. */
const READ_AGAIN_MS = 10_000;
const WRITE_AGAIN_MS = 5_000;
const UNWRITTEN_MAX = 500;
/** Rows given up in one step if the queue is full, so that the next row does not fill it again. */
const EVICTED_PER_STEP = 100;
/** Max. such steps before other work gets a turn. */
const EVICTIONS_PER_STEP = 20;
const TIMER_MS_MAX = 0x7fffffff;

export const defaultInFlight: InFlightLimits = { own: 4, shared: 64, perTenant: 32, perTarget: 4 };

export interface DeliveryRow {
  /** Sequence number in the order of insertion. */
  readonly seq: number;
  readonly attempts: number;
  readonly dueAt: number;
  readonly expiresAt?: number;
  readonly bytes?: number;
}

/** Result of one attempt. */
export interface Attempt<Reply = undefined> {
  readonly verdict: Verdict;
  /** Null after a delivery. */
  readonly error: Text | null;
  /** Min. delay before the next attempt. */
  readonly retryAfterMs?: number;
  /** True if the failure is final, regardless of the verdict on the target. */
  readonly isLast?: boolean;
  /** True if nothing was sent, because the target is disabled. The row is tried again after `retryAfterMs`. */
  readonly isSkipped?: boolean;
  /** Result for the kind. */
  readonly response?: Reply;
}

/** Row after an attempt. */
export interface Settled<Target, Row, Reply> {
  readonly target: Target;
  readonly row: Row;
  readonly state: "delivered" | "dead" | "waiting";
  /** Number of attempts so far. */
  readonly attempts: number;
  /** Time of the next attempt, if the row waits. */
  readonly dueAt: number;
  /** End of the attempt. */
  readonly endedAt: number;
  readonly attempt: Attempt<Reply>;
}

export interface GiveUp {
  readonly reason: "expired" | "full";
  readonly limit: number;
  /** Selects rows that expire by this time. */
  readonly expiredAt?: number;
  /** Numbers of rows in flight, which are excluded. */
  readonly except: readonly number[];
}

export interface DeliveryKind<Target extends DeliveryTarget, Row extends DeliveryRow, Reply = undefined> {
  readonly store: Pick<
    ReturnType<typeof createDeliveryStore<never, Row>>,
    "lanes" | "waiting" | "head" | "capDueTimes"
  > & {
    /** Returns the targets with waiting rows. With `dueBy`, those with rows due by then, if the kind can tell. */
    targets(dueBy?: number): readonly Target[];
  };
  readonly limits: {
    readonly inFlight: InFlightLimits;
    /** Max. duration of an attempt, beyond the timeouts of the kind. Undefined if these end every attempt. */
    readonly attemptMs?: number;
    readonly waiting?: Readonly<Load>;
  };
  /** Time of the queue, in ms. It must not jump while the gateway runs. */
  readonly now: () => number;
  /** Max. delay before results are written; 0 to write each immediately. */
  readonly writeAfterMs: number;
  readonly isStrict?: boolean;
  attempt(row: Row, target: Target, signal: AbortSignal): Promise<Attempt<Reply>>;
  /** Delay after a number of consecutive failures, in ms. */
  backOffMs(failures: number): number;
  /** Called with each result before it is written. */
  onSettled?(settled: Settled<Target, Row, Reply>): void;
  /** Writes results. After an error, it is called with all of them again. */
  write(results: readonly Settled<Target, Row, Reply>[]): void;
  /** Gives up the oldest waiting rows of targets. Returns the number and size per target. */
  giveUp?(targets: readonly Target[], options: GiveUp): ReadonlyMap<string, Load>;
  /** Called once a minute and after rows were given up, to delete finished rows. */
  upkeep?(): void;
}

export class DeliveryQueue<Target extends DeliveryTarget, Row extends DeliveryRow, Reply = undefined> {
  readonly #kind: DeliveryKind<Target, Row, Reply>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #lanes: DeliveryLanes<Target>;
  /** Unwritten results by number of the row. */
  #unwritten = new Map<number, Settled<Target, Row, Reply>>();
  /** Attempts in flight, by number of the row. */
  readonly #inFlight = new Map<
    number,
    { target: Target; controller: AbortController; done: Promise<void> }
  >();
  /** Number of row deletions outside the queue, which invalidate cached loads. */
  #deletions = 0;
  #isStopped = true;
  /** True if a pump is about to run. */
  #isAsked = false;
  #cancelPump: () => void = () => undefined;
  #cancelSweep: () => void = () => undefined;
  #cancelWrite: (() => void) | undefined;

  constructor(kind: DeliveryKind<Target, Row, Reply>, deps: { clock: Clock; log: Logger }) {
    this.#kind = kind;
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#lanes = new DeliveryLanes(kind.limits.inFlight);
  }

  start(): void {
    this.#isStopped = false;
    this.reload();
    this.#scheduleSweep();
  }

  get isStarted(): boolean {
    return !this.#isStopped;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelPump();
    this.#cancelSweep();
    const attempts = [...this.#inFlight.values()];
    for (const { controller } of attempts) controller.abort(new Error("the gateway stops"));
    await Promise.all(attempts.map(({ done }) => done));
    this.tryFlush();
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
  }

  /**
   * Reloads waiting rows, including changes by other processes: of all targets, or of those with rows due by `dueBy`. `tryNow` ends the waits of
   * failing targets.
   */
  reload({ tryNow = false, dueBy }: { tryNow?: boolean; dueBy?: number } = {}): void {
    if (this.#isStopped) return;
    for (const row of this.#kind.store.targets(dueBy)) {
      const target = this.#load(row);
      if (tryNow) this.#lanes.unblock(target);
    }
    this.wake();
  }

  /** Records that a row was inserted. The surrounding transaction may still fail. */
  added(row: Target, added: { orderKey: string; bytes?: number; expiresAt?: number }): void {
    if (this.#isStopped) return; // `start` reads it
    const { orderKey, bytes = 0, expiresAt = Number.POSITIVE_INFINITY } = added;
    const target = this.#lanes.target(row);
    target.expiresAt = target.load.rows === 0 ? expiresAt : Math.min(target.expiresAt, expiresAt);
    this.#lanes.count(target, { rows: 1, bytes });
    this.#lanes.add(target, { orderKey, dueAt: this.#kind.now() });
    this.wake();
  }

  /** Records that rows of the target were revived, deleted or postponed. `tryNow` ends all waits. */
  changed(row: Target, { tryNow }: { tryNow: boolean }): void {
    if (this.#isStopped) return;
    this.flush();
    if (tryNow) this.#kind.store.capDueTimes(this.#kind.now(), row.targetId);
    const target = this.#load(row);
    if (tryNow) this.#lanes.unblock(target);
    this.wake();
  }

  /** Records that rows may have been deleted together with rows they refer to. */
  rowsDeleted(): void {
    this.#deletions++;
  }

  /** Returns number and size of the waiting rows of a target. */
  loadOf(row: Target): Readonly<Load> {
    const target = this.#lanes.targets.get(row.targetId);
    if (target === undefined) return { rows: 0, bytes: 0 };
    return target.deletionsSeen === this.#deletions ? target.load : this.#load(row).load;
  }

  /** Stops sending to targets whose rows are deleted or about to be deleted. */
  removed(isMeant: (target: Target) => boolean): void {
    for (const target of [...this.#lanes.targets.values()])
      if (isMeant(target.row)) this.#lanes.remove(target);
    for (const [seq, { target }] of this.#unwritten) if (isMeant(target)) this.#unwritten.delete(seq);
    for (const { target, controller } of this.#inFlight.values())
      if (isMeant(target)) controller.abort(new Error("the target was removed"));
  }

  /** Writes pending results now. @throws the error of the disk; the results are kept */
  flush(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    const results = this.#unwritten;
    if (results.size > 0) {
      this.#unwritten = new Map();
      try {
        this.#kind.write([...results.values()]);
      } catch (error) {
        this.#unwritten = new Map([...results, ...this.#unwritten]);
        this.#writeAfter(WRITE_AGAIN_MS);
        throw error;
      }
    }
    this.#lanes.dropIdle();
  }

  /** Writes pending results now, or later if the disk refuses them. */
  tryFlush(): void {
    try {
      this.flush();
    } catch (error) {
      this.#log.warn("results could not be written and are written later", { error });
    }
  }

  /** Schedules the pump after the current task, when a transaction that inserted rows has ended. */
  wake(): void {
    if (this.#isAsked || this.#isStopped) return;
    this.#isAsked = true;
    queueMicrotask(() => {
      this.#isAsked = false;
      if (this.#isStopped) return;
      this.#cancelPump();
      try {
        const timeMs = this.#pump();
        if (timeMs === Number.POSITIVE_INFINITY) return;
        const waitMs = Math.min(Math.max(timeMs - this.#kind.now(), NEXT_STEP_MS), TIMER_MS_MAX);
        this.#cancelPump = this.#clock.schedule(waitMs, () => this.wake());
      } catch (error) {
        this.#log.warn("processing the queue failed, retrying", { error }); // a broken disk, say
        this.#cancelPump = this.#clock.schedule(READ_AGAIN_MS, () => this.wake());
      }
    });
  }

  /** Starts due attempts. Returns the time of the next check. */
  #pump(): number {
    const lanes = this.#lanes;
    const { now, isStrict = false } = this.#kind;
    const isFull = this.#evict();
    if (isStrict && this.#expire(() => true)) return now(); // nothing expired must be sent
    for (let next = lanes.take(now()); next !== undefined; next = lanes.take(now()))
      this.#begin(next.target, next.lane);
    if (isFull) return now();
    const expiries = isStrict ? [...lanes.targets.values()].map(({ expiresAt }) => expiresAt) : [];
    return Math.min(lanes.nextAt() ?? Number.POSITIVE_INFINITY, ...expiries);
  }

  #begin(target: WaitingTarget<Target>, lane: Lane): void {
    let row: Row | undefined;
    try {
      row = this.#readHead(target, lane);
    } catch (error) {
      this.#lanes.landed(target, 0);
      this.#lanes.queue(target, lane, this.#kind.now() + READ_AGAIN_MS);
      throw error;
    }
    if (row !== undefined && row.dueAt <= this.#kind.now()) {
      this.#send(target, lane, row);
      return;
    }
    this.#lanes.landed(target, 0);
    if (row !== undefined) this.#lanes.queue(target, lane, row.dueAt);
    else {
      this.#lanes.idle(target, lane);
      if (this.#unwritten.size === 0) this.#lanes.dropIdle();
      else this.#writeAfter(this.#kind.writeAfterMs);
    }
  }

  #readHead({ row: { targetId } }: WaitingTarget<Target>, lane: Lane): Row | undefined {
    const { store } = this.#kind;
    if (lane.isStale) {
      this.flush();
      lane.lastSeq = 0;
      lane.isStale = false;
    }
    const row = store.head(targetId, lane.key, lane.lastSeq);
    if (row === undefined || !this.#unwritten.has(row.seq)) return row;
    this.flush(); // the row does not say yet how often it was tried
    return store.head(targetId, lane.key, lane.lastSeq);
  }

  #send(target: WaitingTarget<Target>, lane: Lane, row: Row): void {
    const startedAt = this.#kind.now();
    const controller = new AbortController();
    const done = this.#attempt(target.row, row, controller).then((attempt) => {
      this.#inFlight.delete(row.seq);
      this.#lanes.landed(target, this.#kind.now() - startedAt);
      if (this.#lanes.targets.get(target.row.targetId) === target)
        this.#settle(target, lane, { row, attempt, startedAt });
      this.wake();
    });
    this.#inFlight.set(row.seq, { target: target.row, controller, done });
  }

  /** Resolves to undefined after an unexpected error. */
  async #attempt(target: Target, row: Row, controller: AbortController): Promise<Attempt<Reply> | undefined> {
    const { attemptMs: ms } = this.#kind.limits;
    const attempt = Promise.try(() => this.#kind.attempt(row, target, controller.signal));
    const timeout = Promise.withResolvers<Attempt<Reply>>();
    const end = () => {
      const error = detail("network_error.no_response_within", { ms: ms ?? 0 });
      timeout.resolve({ verdict: { retry: "target" }, error });
      controller.abort(new Error("the attempt takes too long"));
    };
    const cancel = ms === undefined ? () => undefined : this.#clock.schedule(ms, end);
    try {
      return await Promise.race([attempt, timeout.promise]);
    } catch (error) {
      this.#log.error("attempt failed, retrying", { error });
      return undefined;
    } finally {
      cancel();
    }
  }

  #settle(
    target: WaitingTarget<Target>,
    lane: Lane,
    { row, attempt, startedAt }: { row: Row; attempt: Attempt<Reply> | undefined; startedAt: number },
  ): void {
    const now = this.#kind.now();
    if (attempt === undefined) this.#lanes.queue(target, lane, now + READ_AGAIN_MS);
    else if (typeof attempt.verdict !== "object") {
      target.failures = 0;
      target.blockedUntil = 0;
      this.#end(target, lane, { row, attempt, state: attempt.verdict });
    } else if (this.#isStopped) this.#lanes.queue(target, lane, now);
    else this.#retry(target, lane, { row, attempt, startedAt, retry: attempt.verdict.retry });
  }

  /** Records that the row is finished. */
  #end(
    target: WaitingTarget<Target>,
    lane: Lane,
    { row, attempt, state }: { row: Row; attempt: Attempt<Reply>; state: "delivered" | "dead" },
  ): void {
    const now = this.#kind.now();
    lane.lastSeq = row.seq;
    this.#lanes.count(target, { rows: -1, bytes: -(row.bytes ?? 0) });
    this.#lanes.queue(target, lane, now);
    const attempts = row.attempts + 1;
    this.#note({ target: target.row, row, state, attempts, dueAt: now, endedAt: now, attempt });
  }

  #retry(
    target: WaitingTarget<Target>,
    lane: Lane,
    result: { row: Row; attempt: Attempt<Reply>; startedAt: number; retry: "target" | "request" },
  ): void {
    const { row, attempt, retry } = result;
    const { isSkipped = false, isLast = false } = attempt;
    const { isStrict = false, now } = this.#kind;
    const { expiresAt = Number.POSITIVE_INFINITY } = row;
    const endedAt = now();
    const dueAt = endedAt + this.#backOffMs(target, result);
    if (retry === "target") {
      target.failedAt = endedAt;
      target.blockedUntil = Math.max(target.blockedUntil, dueAt);
    }
    if (isLast || (!isStrict && dueAt >= expiresAt)) {
      this.#end(target, lane, { row, attempt, state: "dead" });
      return;
    }
    this.#lanes.queue(target, lane, dueAt);
    const attempts = row.attempts + (isSkipped ? 0 : 1);
    this.#note({ target: target.row, row, state: "waiting", attempts, dueAt, endedAt, attempt });
  }

  /** Counts the failure and returns the delay before the next attempt, in ms. */
  #backOffMs(
    target: WaitingTarget<Target>,
    result: { row: Row; attempt: Attempt<Reply>; startedAt: number; retry: "target" | "request" },
  ): number {
    const { row, attempt, startedAt, retry } = result;
    const { retryAfterMs = 0 } = attempt;
    if (attempt.isSkipped) return retryAfterMs;
    const isOfTarget = retry === "target";
    // Several attempts in progress when it began to fail count as one failure.
    if (!isOfTarget) target.failures = 0;
    else if (target.failures === 0 || startedAt >= target.failedAt) target.failures++;
    return Math.max(this.#kind.backOffMs(isOfTarget ? target.failures : row.attempts + 1), retryAfterMs);
  }

  #note(settled: Settled<Target, Row, Reply>): void {
    this.#kind.onSettled?.(settled);
    this.#unwritten.set(settled.row.seq, settled);
    const { writeAfterMs } = this.#kind;
    if (writeAfterMs === 0 && this.#cancelWrite === undefined) this.tryFlush();
    else this.#writeAfter(this.#unwritten.size >= UNWRITTEN_MAX ? 0 : writeAfterMs);
  }

  /** Schedules a write within this time, unless an earlier one is scheduled. */
  #writeAfter(ms: number): void {
    if (ms === 0) this.#cancelWrite?.();
    else if (this.#cancelWrite !== undefined) return;
    this.#cancelWrite = this.#clock.schedule(ms, () => this.tryFlush());
  }

  /** Makes room at the limit. Returns whether more rows must be given up. */
  #evict(): boolean {
    const { waiting } = this.#kind.limits;
    if (waiting === undefined || this.#lanes.fullestBeyond(waiting, 1).length === 0) return false;
    this.flush(); // what was sent must not be given up
    let isBeyond = true;
    for (let step = 0; step < EVICTIONS_PER_STEP && isBeyond; step++) {
      const targets = this.#lanes.fullestBeyond(waiting, EVICTED_PER_STEP);
      isBeyond = this.#giveUp(targets, { reason: "full", limit: EVICTED_PER_STEP }) > 0;
    }
    this.#kind.upkeep?.();
    return isBeyond;
  }

  /** Gives up expired rows of some targets. Returns whether more rows must be given up. */
  #expire(isMeant: (target: WaitingTarget<Target>) => boolean): boolean {
    const now = this.#kind.now();
    const isExpired = (target: WaitingTarget<Target>) => target.expiresAt <= now && isMeant(target);
    const targets = [...this.#lanes.targets.values()].filter(isExpired);
    if (targets.length === 0) return false;
    this.flush();
    let left = EXPIRED_PER_STEP;
    for (const { row } of targets) {
      if (left <= 0) return true;
      const target = this.#lanes.target(row);
      const count = this.#giveUp([target], { reason: "expired", limit: left, expiredAt: now });
      const remaining = this.#load(row);
      // What remains is in flight.
      if (count < left && remaining.expiresAt <= now) remaining.expiresAt = now + READ_AGAIN_MS;
      left -= count + remaining.load.rows;
    }
    return [...this.#lanes.targets.values()].some(isExpired);
  }

  /** Returns the number of rows that were given up. */
  #giveUp(targets: readonly WaitingTarget<Target>[], options: Omit<GiveUp, "except">): number {
    if (targets.length === 0 || this.#kind.giveUp === undefined) return 0;
    const except = [...this.#inFlight.keys()];
    const gone = this.#kind.giveUp(
      targets.map(({ row }) => row),
      { ...options, except },
    );
    let count = 0;
    for (const target of targets) {
      const { rows, bytes } = gone.get(target.row.targetId) ?? { rows: 0, bytes: 0 };
      this.#lanes.count(target, { rows: -rows, bytes: -bytes });
      count += rows;
    }
    return count;
  }

  #scheduleSweep(waitMs = SWEEP_INTERVAL_MS): void {
    this.#cancelSweep = this.#clock.schedule(waitMs, () => {
      let hasMore = false;
      try {
        // A query for each of thousands of targets would take too long: only failing ones have old rows.
        hasMore = this.#expire(({ failures }) => failures > 0);
        this.flush();
        this.#kind.upkeep?.();
      } catch (error) {
        this.#log.warn("pruning the queue failed, retrying", { error });
        hasMore = false;
      }
      this.#scheduleSweep(hasMore ? NEXT_STEP_MS : SWEEP_INTERVAL_MS);
    });
  }

  /** Reads a target's waiting rows from the store and updates its load. Removes the target if no rows are waiting. */
  #load(row: Target): WaitingTarget<Target> {
    const { store } = this.#kind;
    this.flush();
    const target = this.#lanes.target(row);
    this.#lanes.restart(target);
    for (const lane of store.lanes(row.targetId)) this.#lanes.add(target, lane).isStale = true;
    const { rows, bytes, expiresAt } = store.waiting(row.targetId);
    target.expiresAt = expiresAt;
    target.deletionsSeen = this.#deletions;
    this.#lanes.count(target, { rows: rows - target.load.rows, bytes: bytes - target.load.bytes });
    if (target.lanes.size === 0) this.#lanes.remove(target);
    return target;
  }
}
