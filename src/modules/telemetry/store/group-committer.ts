import { type DomainError, unavailable, unavailableDueTo } from "../../../lib/core/domain-error.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { storedBytesLimit } from "../telemetry.errors.ts";
import type { Reading, StoreDevice } from "../telemetry.types.ts";
import { DeviceHandle, deviceGone } from "./device-handles.ts";
import { type Definitions, isEmpty, noDefinitions } from "./hot/group-format.ts";
import { StagingBuffer } from "./hot/staging-buffer.ts";
import { PatternTree } from "./query/pattern-tree.ts";
import type { StoreReply, StoreRequest } from "./store.protocol.ts";

/** Time for which one pace is measured before the other one, in ms. */
const SLOT_MS = 20;
/** Number of slots in a trial. The paces alternate, so that one burst does not decide. */
const SLOTS = 10;
/** Max. counted length of a slot in ms, so that a pause of the whole gateway does not decide. */
const SLOT_MS_MAX = 5 * SLOT_MS;
/**
 * Min. time between trials, in ms; it grows each time that a trial confirms the previous one. While groups wait, a trial costs disk space; while
 * they do not, it costs throughput.
 */
const PHASE_MS_MIN = 2_000;
const PHASE_MS_MAX = 10_000;
/** Messages per commit below which there are few or slow senders, so that waiting is pointless. */
const MESSAGES_MIN = 3;
/** Consecutive small commits that end the waiting; a burst may end with one. */
const SMALL_IN_A_ROW_MAX = 4;
/** Share of the rate that must remain when groups wait. */
const RATE_SHARE_MIN = 0.85;

/** Messages received while groups waited, or while they did not. */
class Tally {
  messages = 0;
  commits = 0;
  ms = 0;

  get rate(): number {
    return this.messages / this.ms;
  }
}

/**
 * Decides whether groups wait for more messages. A commit writes at least a disk page, so frequent small commits wear the disk. Devices that send on
 * their own schedule do not mind a few milliseconds, but clients that wait for acknowledgements then send less. Both paces are measured, and groups
 * wait only if `RATE_SHARE_MIN` of the rate remains.
 */
export class BatchPace {
  #phase: "trial" | "apart" | "together" = "trial";
  /** Slot of the trial; groups wait in odd slots. */
  #slot = 0;
  /** Start of the slot or phase, monotonic ms; set by the first commit. */
  #beganAtMs: number | null = null;
  #apart = new Tally();
  #together = new Tally();
  #decided: "apart" | "together" | null = null;
  #phaseMs = PHASE_MS_MIN;
  #smallInARow = 0;
  /** Consecutive trials in which waiting lowered the rate. */
  #slowerInARow = 0;

  get waits(): boolean {
    return this.#phase === "together" || (this.#phase === "trial" && this.#slot % 2 === 1);
  }

  /** Records a commit with its number of messages. */
  note(messages: number, nowMs: number): void {
    this.#beganAtMs ??= nowMs;
    this.#smallInARow = messages < MESSAGES_MIN ? this.#smallInARow + 1 : 0;
    if (this.waits && this.#smallInARow >= SMALL_IN_A_ROW_MAX) {
      this.#decided = null;
      this.#begin("trial", nowMs);
      return;
    }
    const tally = this.waits ? this.#together : this.#apart;
    tally.messages += messages;
    tally.commits++;
    const ms = nowMs - this.#beganAtMs;
    if (this.#phase === "trial") {
      if (ms >= SLOT_MS) this.#endSlot(tally, ms, nowMs);
    } else if (ms >= this.#phaseMs) this.#begin("trial", nowMs);
  }

  #endSlot(tally: Tally, ms: number, nowMs: number): void {
    tally.ms += Math.min(ms, SLOT_MS_MAX);
    this.#beganAtMs = nowMs;
    const isSmall = this.#apart.messages < this.#apart.commits * MESSAGES_MIN;
    if (isSmall) this.#begin("trial", nowMs);
    else if (++this.#slot === SLOTS) this.#decide(nowMs);
  }

  #decide(nowMs: number): void {
    const isAsFast = this.#together.rate >= this.#apart.rate * RATE_SHARE_MIN;
    this.#slowerInARow = isAsFast ? 0 : this.#slowerInARow + 1;
    // Connecting clients distort a trial, so a second trial must confirm that waiting is slower.
    if (this.#slowerInARow === 1) {
      this.#begin("trial", nowMs);
      return;
    }
    const decided = isAsFast ? "together" : "apart";
    this.#phaseMs = decided === this.#decided ? Math.min(PHASE_MS_MAX, 2 * this.#phaseMs) : PHASE_MS_MIN;
    this.#decided = decided;
    this.#begin(decided, nowMs);
  }

  #begin(phase: "trial" | "apart" | "together", nowMs: number): void {
    this.#phase = phase;
    this.#slot = 0;
    this.#beganAtMs = nowMs;
    this.#apart = new Tally();
    this.#together = new Tally();
  }
}

interface Group {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: DomainError): void;
}

interface InFlight {
  readonly group: Group;
  readonly definitions: Definitions;
  readonly bytes: number;
  readonly points: number;
  readonly messages: number;
  /** Monotonic ms. */
  readonly sentAt: number;
}

export interface GroupCommitterOptions {
  readonly clock: Clock;
  readonly groupCommitWindowMs: number;
  readonly stagingBytesMax: number;
  readonly diskFullRetryMs: number;
  readonly post: (request: StoreRequest, transfer: ArrayBuffer[]) => void;
  /** Called with the size of each group before it is written, and a promise that settles afterwards. */
  readonly onWrite?: (bytes: number, written: Promise<void>) => void;
}

/**
 * Share of a slow commit's duration for which the next group waits. Otherwise, the first acknowledged sender would start a commit alone, and all
 * others would wait for it to end.
 */
const BATCH_DELAY_SHARE = 1 / 4;
const BATCH_DELAY_MS_MAX = 5;
/** Min. duration of a commit that causes a wait, in ms. */
const SLOW_COMMIT_MS = 4;
/** Min. bytes of a commit that causes a wait: with fewer senders, waiting for each other gains nothing. */
const BATCH_DELAY_BYTES_MIN = 512;

/** Wait of a group in ms, if waiting does not slow senders down (`BatchPace`). */
const TOGETHER_MS = 8;
/** Bytes at which a group ends its wait of `TOGETHER_MS`; the unused part of its last page is then relatively small. */
const TOGETHER_BYTES = 12_288;

/** Buffers larger than this are not kept for reuse. */
const SPARE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Stages readings and sends them to the worker group by group. One group is in flight at a time; on a slow disk, one per lane of the worker.
 * Readings that arrive meanwhile join the next group.
 */
export class GroupCommitter {
  readonly patterns: PatternTree;
  readonly #options: GroupCommitterOptions;
  readonly #staging: StagingBuffer;
  #definitions = noDefinitions();
  /** Points and groups committed since startup. */
  readonly committed = { points: 0, groups: 0 };
  #group: Group | null = null;
  /** Groups in flight, acknowledged in order, oldest first. */
  readonly #inFlight: InFlight[] = [];
  /** Max. groups in flight. */
  #lanes = 1;
  /** Longest time in ms that a group waits for its share of the messages. */
  #laneMs = 0;
  /** Acknowledged messages whose senders are expected to send again immediately. */
  #answered = 0;
  readonly #pace = new BatchPace();
  /** Messages in the staged group. */
  #messages = 0;
  /** Ends the wait of the staged group; `null` if it does not wait. */
  #endWait: (() => void) | null = null;
  /** Bytes and messages at which a waiting group is sent immediately. */
  #bytesEnough = Number.POSITIVE_INFINITY;
  #messagesEnough = Number.POSITIVE_INFINITY;
  /** Monotonic time until which the next group waits for recently acknowledged senders. */
  #batchDelayUntilMs = Number.NEGATIVE_INFINITY;
  /** True if the last commit was slow, which has its own wait. */
  #isSlow = false;
  #refusal: DomainError | null = null;
  /** Monotonic time before which no group is sent to a full disk. */
  #fullUntilMs: number | null = null;

  constructor(options: GroupCommitterOptions) {
    this.#options = options;
    this.patterns = new PatternTree(this.#definitions);
    this.#staging = new StagingBuffer(this.patterns);
  }

  /** Adds a new device, whose definition is sent with the next group. */
  define(device: { no: number; tenantId: string; deviceId: string }): void {
    this.#definitions.devices.push(device);
  }

  /** Implements `TelemetryStore.append`. The store exposes this function itself, to avoid a forwarding call. */
  readonly append = (device: StoreDevice, readings: readonly Reading[]): Promise<void> | undefined => {
    if (!(device instanceof DeviceHandle) || device.deleted) throw deviceGone();
    if (this.#refusal !== null) throw this.#refusal;
    if (this.#fullUntilMs !== null) this.#ensureRetryDue(this.#fullUntilMs);
    const { tenant } = device.keys;
    if (tenant.isFull) throw storedBytesLimit(tenant.limits.storedBytes ?? 0);
    if (this.#staging.isFullFor(tenant, this.#options.stagingBytesMax)) throw overloaded();
    if (!this.#staging.write(device, readings)) return undefined;
    this.#messages++;
    this.#group ??= this.#open();
    if (this.#staging.bytes >= this.#bytesEnough || this.#messages >= this.#messagesEnough)
      this.#endWaiting();
    return this.#group.promise;
  };

  /** Resolves when everything staged so far is committed or refused. A waiting group is sent immediately. */
  async settled(): Promise<void> {
    const newest = this.#group ?? this.#inFlight.at(-1)?.group;
    this.#sendIfPossible();
    await newest?.promise.catch(() => undefined);
  }

  /** Stops accepting readings; groups in flight or staged are refused with the same error. */
  refuse(error: DomainError): void {
    this.#refusal = error;
    for (const { group } of this.#inFlight.splice(0)) group.reject(error);
    this.#group?.reject(error);
    this.#group = null;
  }

  /** Stops accepting readings, but still sends staged ones. */
  close(error: DomainError): void {
    this.#refusal = error;
  }

  reopen(): void {
    this.#refusal = null;
  }

  settle(reply: Extract<StoreReply, { type: "committed" | "refused" }>): void {
    if (reply.buffer.byteLength <= SPARE_BYTES_MAX) this.#staging.recycle(reply.buffer);
    const inFlight = this.#inFlight.shift();
    if (reply.type === "committed") {
      this.#lanes = reply.lanes;
      this.#fullUntilMs = null;
      this.committed.groups++;
      this.committed.points += inFlight?.points ?? 0;
      if (inFlight !== undefined) this.#noteSpeed(inFlight);
      // Sends the next group before resolving this group, so that the worker need not wait for continuations.
      this.#sendNext();
      this.#answered += inFlight?.messages ?? 0;
      inFlight?.group.resolve();
      return;
    }
    if (reply.failure === "broken") {
      const error = broken(reply.reason);
      inFlight?.group.reject(error);
      this.refuse(error);
      return;
    }
    if (inFlight !== undefined) this.#requeue(inFlight.definitions);
    const full = reply.failure === "full";
    if (full) this.#fullUntilMs = this.#options.clock.monotonic() + this.#options.diskFullRetryMs;
    inFlight?.group.reject(full ? diskFull() : busy(reply.reason));
    this.#sendNext();
  }

  #ensureRetryDue(untilMs: number): void {
    if (this.#options.clock.monotonic() < untilMs) throw diskFull();
  }

  /** Adds the definitions of a refused group to the next one. */
  #requeue(lost: Definitions): void {
    this.#definitions.devices.unshift(...lost.devices);
    this.#definitions.keys.unshift(...lost.keys);
    this.#definitions.patterns.unshift(...lost.patterns);
  }

  #open(): Group {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // The group's callers hold the same promise; a group that nobody awaits must not end the process.
    promise.catch(() => undefined);
    if (this.#canSend) this.#sendSoon();
    return { promise, resolve, reject };
  }

  /** Sends a group when idle, after the caller's code returns, so that readings appended together share it. */
  #sendSoon(): void {
    // Read once: if the wait ended between two reads, this would run before the new group exists and never send it.
    const waitMs = this.#waitMs();
    if (waitMs > 0) this.#sendAfter(waitMs);
    else queueMicrotask(() => this.#sendIfPossible());
  }

  /** Whether a group may be sent: a group with definitions may be refused, and later groups would then lack them. */
  get #canSend(): boolean {
    return (
      this.#inFlight.length < this.#lanes && this.#inFlight.every(({ definitions }) => isEmpty(definitions))
    );
  }

  #sendNext(): void {
    if (this.#group === null || !this.#canSend) return;
    const waitMs = this.#waitMs();
    if (waitMs > 0) this.#sendAfter(waitMs);
    else this.#send();
  }

  /** Returns the remainder of the next group's batch delay, in ms. */
  #waitMs(): number {
    const { clock, groupCommitWindowMs } = this.#options;
    if (groupCommitWindowMs > 0) return groupCommitWindowMs;
    if (this.#lanes > 1) return this.#laneWaitMs();
    const delayMs = this.#batchDelayUntilMs - clock.monotonic();
    if (!this.#pace.waits || this.#isSlow) return delayMs;
    if (this.#staging.bytes >= TOGETHER_BYTES) return 0;
    this.#bytesEnough = TOGETHER_BYTES;
    return TOGETHER_MS;
  }

  /**
   * Returns the wait that gives each lane an even share of the messages. Otherwise, the first acknowledged sender would take a lane alone, and the
   * others would wait for the next one.
   */
  #laneWaitMs(): number {
    const inFlight = this.#inFlight.reduce((sum, { messages }) => sum + messages, 0);
    const share = (inFlight + this.#answered) / this.#lanes;
    if (this.#messages >= share) return 0;
    this.#messagesEnough = share;
    return this.#laneMs;
  }

  #noteSpeed({ sentAt, bytes, messages }: InFlight): void {
    const now = this.#options.clock.monotonic();
    this.#pace.note(messages, now);
    const tookMs = now - sentAt;
    this.#laneMs = Math.min(BATCH_DELAY_MS_MAX, tookMs / this.#lanes);
    this.#isSlow = tookMs >= SLOW_COMMIT_MS;
    if (!this.#isSlow || bytes < BATCH_DELAY_BYTES_MIN) return;
    this.#batchDelayUntilMs = now + Math.min(BATCH_DELAY_MS_MAX, tookMs * BATCH_DELAY_SHARE);
  }

  /** Sends the waiting group, with everything that the caller still appends. */
  #endWaiting(): void {
    this.#bytesEnough = Number.POSITIVE_INFINITY;
    this.#messagesEnough = Number.POSITIVE_INFINITY;
    queueMicrotask(() => this.#sendIfPossible());
  }

  #sendAfter(ms: number): void {
    this.#endWait ??= this.#options.clock.schedule(ms, () => {
      this.#endWait = null;
      this.#answered = 0;
      this.#sendIfPossible();
    });
  }

  #sendIfPossible(): void {
    if (this.#canSend) this.#send();
  }

  #send(): void {
    const group = this.#group;
    if (group === null) return;
    this.#endWait?.();
    this.#endWait = null;
    this.#bytesEnough = Number.POSITIVE_INFINITY;
    this.#messagesEnough = Number.POSITIVE_INFINITY;
    this.#answered = Math.max(0, this.#answered - this.#messages);
    const { points } = this.#staging;
    const messages = this.#messages;
    this.#messages = 0;
    const { buffer, bytes } = this.#staging.take();
    const definitions = this.#definitions;
    this.#definitions = noDefinitions();
    this.patterns.collectInto(this.#definitions);
    this.#group = null;
    const sentAt = this.#options.clock.monotonic();
    this.#options.onWrite?.(bytes, group.promise);
    this.#inFlight.push({ group, definitions, bytes, points, messages, sentAt });
    // Groups that have waited and are still small occur only while there is time.
    const packsDensely =
      this.#options.groupCommitWindowMs > 0 || (this.#pace.waits && !this.#isSlow && bytes < TOGETHER_BYTES);
    this.#options.post(
      {
        type: "commit",
        buffer,
        bytes,
        definitions: isEmpty(definitions) ? null : definitions,
        packsDensely,
      },
      [buffer],
    );
  }
}

const overloaded = () => unavailable("telemetry.overloaded");
const diskFull = () => unavailable("telemetry.disk_full");
const busy = (reason: string) => unavailableDueTo(new Error(reason), "telemetry.busy");
const broken = (reason: string) => unavailableDueTo(new Error(reason), "telemetry.broken");
