import { DomainError, detail, toText } from "../../lib/core/domain-error.ts";
import { networkErrorText } from "../../lib/network/network-error.ts";
import { backOffMs } from "../../lib/network/retry-policy.ts";
import { createWeeklyWindow, type WeeklyWindow } from "../../lib/time/weekly-window.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { TargetError } from "./target.errors.ts";
import type { Batch, Target } from "./target.types.ts";
import type { SendingWindow, UplinkReport } from "./uplink.protocol.ts";
import type { Item } from "./uplink-reader.ts";
import type { HeldSpace, UplinkSpace } from "./uplink-space.ts";

/**
 * Returns whether two batches contain rows of the same device for the same time. The later batch may replace values of the earlier one, so it must
 * not arrive first.
 */
function overlaps(earlier: Batch, later: Batch): boolean {
  /** Device id → first and last timestamp. */
  const spans = new Map<string, readonly [number, number]>();
  for (const record of earlier.records) {
    if (record.kind !== "rows") continue;
    const { deviceId } = record.device;
    const [from, to] = spans.get(deviceId) ?? [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const { ts } = record;
    spans.set(deviceId, [Math.min(from, ts[0] ?? from), Math.max(to, ts[ts.length - 1] ?? to)]);
  }
  return later.records.some((record) => {
    if (record.kind !== "rows") return false;
    const span = spans.get(record.device.deviceId);
    const { ts } = record;
    return (
      span !== undefined && (ts[0] ?? Number.NaN) <= span[1] && (ts[ts.length - 1] ?? Number.NaN) >= span[0]
    );
  });
}

/** Timeout in ms of a target's response. */
const SEND_TIMEOUT_MS = 120_000;
/** Time in ms after which a wait for memory is shown. */
const WAIT_SHOWN_MS = 2_000;
/** Retry delay in ms after wrong settings, which may have been corrected at the target. */
const SETTINGS_RETRY_MS = 60_000;
const RETRY_MAX_MS = 60_000;
/** Interval in ms at which an idle reader checks for data, even if not woken. */
const IDLE_MS = 30_000;
const REPORT_INTERVAL_MS = 1_000;

export interface ItemSource {
  next(hasOutstanding: boolean): Promise<Item | "later" | undefined>;
}

interface RunnerDeps {
  readonly tenantId: string;
  readonly space: UplinkSpace;
  readonly source: ItemSource;
  readonly createTarget: () => Promise<Target>;
  readonly window: SendingWindow | null;
  readonly bytesPerSecond: number | null;
  readonly report: (report: UplinkReport) => void;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Read but unconfirmed batch. */
interface Outstanding {
  readonly item: Item;
  readonly space: HeldSpace;
  /** Undefined until the batch is sent in this session. */
  sent: Promise<void> | undefined;
}

/**
 * Sends the batches of one uplink to its target until stopped. Batches are confirmed in order. After a failure, unconfirmed batches are dropped from
 * memory, read again and sent again, with the same ids if unchanged.
 */
export class UplinkRunner {
  readonly #deps: RunnerDeps;
  readonly #window: WeeklyWindow | undefined;
  readonly #stopped = new AbortController();
  /** Batches in order; sent ones come first. */
  readonly #outstanding: Outstanding[] = [];
  /** Oldest batch at the time of the target's failure. */
  #failed: Pick<Item, "confirm" | "pass"> | undefined;
  #isReading = false;
  /** True if the failed batch is to be skipped once no read is running. */
  #mustSkip = false;
  /** Counted bytes of the target. */
  #countedBytes = 0;
  #target: Target | undefined;
  #wake: () => void = () => undefined;
  /** Ends the wait after a refused batch. */
  #endWait: () => void = () => undefined;
  #wasWoken = false;
  #failures = 0;
  #done: Promise<void> = Promise.resolve();
  /** Resolves once the last confirmable batch is confirmed. Never rejects. */
  #confirmed: Promise<void> = Promise.resolve();
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  #cancelReport: (() => void) | undefined;
  #report: UplinkReport = {
    state: "CONNECTING",
    sentPoints: 0,
    sentBatches: 0,
    sentBytes: 0,
    skippedBatches: 0,
    heldBytes: 0,
    lastSentAt: null,
    upToDateAt: null,
    error: null,
    errorAt: null,
    isRefused: false,
  };

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
    this.#window =
      deps.window === null
        ? undefined
        : createWeeklyWindow({ ...deps.window, days: new Set(deps.window.days) });
  }

  start(): void {
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.wake();
    await this.#done;
  }

  /** Notifies the runner that there may be something to send. */
  wake(): void {
    this.#wasWoken = true;
    this.#wake();
  }

  /** Skips the oldest batch, if the target refuses it. */
  skip(): void {
    if (!this.#report.isRefused) return;
    if (this.#isReading && this.#outstanding.length === 0) {
      this.#mustSkip = true;
      return;
    }
    const skipped = this.#outstanding.shift();
    skipped?.space.release();
    if (skipped === undefined) this.#failed?.pass();
    const item = skipped?.item ?? this.#failed;
    if (item === undefined) return;
    this.#failed = undefined;
    this.#set({ skippedBatches: this.#report.skippedBatches + 1, isRefused: false });
    this.#confirm(item);
    this.#endWait();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const session = new AbortController();
      const end = () => session.abort(signal.reason);
      signal.addEventListener("abort", end, { once: true });
      try {
        await this.#work(session.signal);
      } catch (error) {
        session.abort(error);
        await Promise.allSettled(this.#outstanding.map(({ sent }) => sent));
        this.#drop();
        if (!signal.aborted) await this.#fail(error);
      } finally {
        this.#drop();
        signal.removeEventListener("abort", end);
      }
    }
    await this.#closeTarget();
    await this.#confirmed;
    this.#set({ state: "STOPPED" }, true);
  }

  async #work(signal: AbortSignal): Promise<void> {
    await this.#awaitWindow(signal);
    if (this.#target === undefined) {
      this.#set({ state: "CONNECTING" }, true);
      this.#target = await this.#deps.createTarget();
      await this.#target.check(AbortSignal.any([signal, AbortSignal.timeout(SEND_TIMEOUT_MS)]));
    }
    const target = this.#target;
    while (!signal.aborted) {
      await this.#awaitWindow(signal);
      // Without it the same history would be read and sent again and again while the disk is full.
      await this.#confirmed;
      this.#wasWoken = false;
      const next = await this.#next(signal);
      if (next === "read") await this.#sendAll(target, signal);
      else if (this.#outstanding.length > 0) await this.#settleFirst();
      else if (next === "nothing") await this.#idle(signal);
    }
  }

  /** Reads the next batch, for which space is reserved first. */
  async #next(signal: AbortSignal): Promise<"read" | "nothing" | "later"> {
    const hasOutstanding = this.#outstanding.length > 0;
    // What is read while a bandwidth limit holds it back would hold its space meanwhile.
    if (hasOutstanding && this.#deps.bytesPerSecond !== null) return "later";
    const { source, space, tenantId } = this.#deps;
    const owner = this.#failures > 0 ? `${tenantId} failing` : tenantId;
    const held = space.tryTake(owner) ?? (hasOutstanding ? undefined : await this.#awaitSpace(owner, signal));
    if (held === undefined) return "later";
    let item: Awaited<ReturnType<ItemSource["next"]>>;
    this.#isReading = true;
    try {
      item = await source.next(hasOutstanding);
      if (typeof item === "object") {
        held.resize(item.bytes);
        this.#outstanding.push({ item, space: held, sent: undefined });
      }
    } finally {
      this.#isReading = false;
      if (this.#outstanding.at(-1)?.space !== held) held.release();
    }
    if (this.#mustSkip) {
      this.#mustSkip = false;
      const failed = this.#failed;
      this.#drop();
      this.#failed = failed;
      this.skip();
      return "later";
    }
    if (typeof item !== "object") return item === "later" ? "later" : "nothing";
    this.#set({});
    return "read";
  }

  /** Waits for space. A short wait, such as that of several idle uplinks checking simultaneously, is not shown. */
  async #awaitSpace(owner: string, signal: AbortSignal): Promise<HeldSpace> {
    const { clock, space } = this.#deps;
    const cancel = clock.schedule(WAIT_SHOWN_MS, () => {
      // A target that has failed stays visible as such until it takes a batch.
      if (this.#report.state !== "ERROR") this.#set({ state: "WAITING_FOR_MEMORY" }, true);
    });
    try {
      return await space.take(owner, signal);
    } finally {
      cancel();
    }
  }

  /** Drops unconfirmed batches, which the source reads again. */
  #drop(): void {
    const [first] = this.#outstanding;
    if (first === undefined) return;
    for (const { space } of this.#outstanding) space.release();
    this.#outstanding.length = 0;
    first.item.repeat();
    const { confirm, pass } = first.item;
    this.#failed = { confirm, pass };
  }

  /** Sends the batches that were not sent in this session, in order. */
  async #sendAll(target: Target, signal: AbortSignal): Promise<void> {
    for (;;) {
      const index = this.#outstanding.findIndex(({ sent }) => sent === undefined);
      const next = this.#outstanding[index];
      if (next === undefined) return;
      if (this.#mustWait(index, target)) {
        await this.#settleFirst();
        continue;
      }
      signal.throwIfAborted();
      if (this.#report.state !== "ERROR") this.#set({ state: "SENDING" });
      const { batch } = next.item;
      next.sent =
        batch.records.length === 0
          ? Promise.resolve()
          : target.send(batch, AbortSignal.any([signal, AbortSignal.timeout(SEND_TIMEOUT_MS)]));
      // It is awaited later; until then a failure is nobody's.
      next.sent.catch(() => undefined);
    }
  }

  /** Returns whether the batch at the index must wait for the confirmation of an earlier one. */
  #mustWait(index: number, target: Target): boolean {
    const inFlight = this.#outstanding.slice(0, index).map(({ item }) => item);
    const item = this.#outstanding[index]?.item;
    if (item === undefined || inFlight.length === 0) return false;
    if (inFlight.length >= target.inFlightMax || item.isBarrier) return true;
    return inFlight.some((earlier) => earlier.isBarrier || overlaps(earlier.batch, item.batch));
  }

  async #settleFirst(): Promise<void> {
    const [first] = this.#outstanding;
    if (first?.sent === undefined) return;
    const isSkipped = () => this.#outstanding[0] !== first;
    await first.sent.catch((error) => {
      if (!isSkipped()) throw error;
    });
    if (isSkipped()) return;
    this.#outstanding.shift();
    first.space.release();
    await this.#confirmed;
    this.#confirm(first.item);
    this.#failed = undefined;
    this.#failures = 0;
    const { batch } = first.item;
    if (batch.records.length === 0) return;
    const { sentPoints, sentBatches, sentBytes } = this.#report;
    const bytes = this.#takeBytes();
    this.#set({
      state: "SENDING",
      sentPoints: sentPoints + batch.points,
      sentBatches: sentBatches + 1,
      sentBytes: sentBytes + bytes,
      lastSentAt: this.#deps.clock.now(),
      error: null,
      errorAt: null,
      isRefused: false,
    });
    await this.#limit(bytes);
  }

  /** Confirms a batch, retrying while the store cannot write the confirmation. */
  #confirm(item: Pick<Item, "confirm">): void {
    const { signal } = this.#stopped;
    const confirm = async () => {
      for (let failures = 1; ; failures++) {
        try {
          await item.confirm();
          return;
        } catch (error) {
          // Unconfirmed batches are sent again.
          if (signal.aborted) return;
          this.#set({ state: "ERROR", error: textFor(error), errorAt: this.#deps.clock.now() }, true);
          await this.#sleep(Math.min(backOffMs(failures, this.#deps.random), RETRY_MAX_MS), "stop");
        }
      }
    };
    this.#confirmed = this.#confirmed.then(confirm);
  }

  /** Returns the bytes that the target has sent since the last call. */
  #takeBytes(): number {
    const bytes = this.#target?.bytesSent ?? 0;
    // A target that counts bytes per connection restarts at 0 when reconnecting.
    const more = bytes < this.#countedBytes ? bytes : bytes - this.#countedBytes;
    this.#countedBytes = bytes;
    return more;
  }

  /** Waits as long as the bytes take at the uplink's permitted rate. */
  async #limit(bytes: number): Promise<void> {
    const { bytesPerSecond } = this.#deps;
    if (bytesPerSecond !== null && bytes > 0) await this.#sleep((bytes * 1_000) / bytesPerSecond, "stop");
  }

  async #idle(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#set({ state: "UP_TO_DATE", upToDateAt: this.#deps.clock.now(), error: null, errorAt: null });
    if (!this.#wasWoken) await this.#sleep(IDLE_MS, "wake");
  }

  async #awaitWindow(signal: AbortSignal): Promise<void> {
    while (this.#window !== undefined && !signal.aborted) {
      const now = this.#deps.clock.now();
      if (this.#window.isOpen(now)) return;
      while (this.#outstanding[0]?.sent !== undefined) await this.#settleFirst();
      this.#set({ state: "OUTSIDE_WINDOW" }, true);
      // The wall clock may be set meanwhile.
      await this.#sleep(Math.min(this.#window.staysMs(now), IDLE_MS), "stop");
    }
  }

  async #fail(error: unknown): Promise<void> {
    this.#failures++;
    await this.#closeTarget();
    const reaction = error instanceof TargetError ? error.reaction : "retry";
    // If a target refuses its test, skipping a batch does not help.
    const isRefused = reaction === "refused" && this.#failed !== undefined;
    this.#set(
      {
        state: "ERROR",
        error: textFor(error),
        errorAt: this.#deps.clock.now(),
        isRefused,
      },
      true,
    );
    const { random } = this.#deps;
    const ms =
      reaction === "retry" ? Math.min(backOffMs(this.#failures, random), RETRY_MAX_MS) : SETTINGS_RETRY_MS;
    await this.#sleep(ms, isRefused ? "skip" : "stop");
  }

  async #closeTarget(): Promise<void> {
    const target = this.#target;
    this.#set({ sentBytes: this.#report.sentBytes + this.#takeBytes() });
    this.#target = undefined;
    this.#countedBytes = 0;
    await target?.close().catch(() => undefined); // it is broken already
  }

  /** Waits; `until` names the event that ends the wait early. A stop always ends it. */
  #sleep(ms: number, until: "wake" | "skip" | "stop"): Promise<void> {
    const { signal } = this.#stopped;
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const cancel = this.#deps.clock.schedule(ms, end);
      signal.addEventListener("abort", end, { once: true });
      if (until === "wake") this.#wake = end;
      if (until === "skip") this.#endWait = end;
      if (signal.aborted) end();
    });
  }

  /** Reports immediately if urgent, otherwise at most once per second. */
  #set(changes: Partial<UplinkReport>, isUrgent = false): void {
    const heldBytes = this.#outstanding.reduce((sum, { space }) => sum + space.bytes, 0);
    this.#report = { ...this.#report, heldBytes, ...changes };
    const { clock, report } = this.#deps;
    if (!isUrgent && this.#cancelReport !== undefined) return;
    this.#cancelReport?.();
    const wait = this.#reportedAtMs + REPORT_INTERVAL_MS - clock.monotonic();
    const send = () => {
      this.#cancelReport = undefined;
      this.#reportedAtMs = clock.monotonic();
      report(this.#report);
    };
    if (isUrgent || wait <= 0) send();
    else this.#cancelReport = clock.schedule(wait, send);
  }
}

function textFor(error: unknown) {
  if (error instanceof DomainError) return toText(error);
  return detail("uplink.unreachable", { reason: networkErrorText(error) });
}
