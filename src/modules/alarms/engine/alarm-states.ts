import type { DeviceId } from "../../../lib/core/ids.ts";
import { StringPool } from "../../../lib/data/string-pool.ts";
import type { Logger } from "../../../platform/core/log.ts";
import { workShare } from "../../../platform/load/fair-share.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { createPeriodic } from "../../../platform/time/periodic.ts";
import type { AlarmsRepository } from "../alarms.repository.ts";
import { type DeviceState, readState, writeState } from "./device-state.ts";

/** Max. delay in ms until a count is on disk. */
const WRITE_INTERVAL_MS = 1_000;
/** Writes after which the times of values are also stored for devices without a new count; reduces disk wear. */
const WRITES_PER_REFRESH = 30;
/** Max. devices in memory; others are loaded at their next message. */
const STATES_MAX = 20_000;
/** Max. characters of their stored states, which take a few times as many bytes in memory: a device may have hundreds of counting rules. */
const CHARACTERS_MAX = 24 * 1024 * 1024;
/** Counted for each open alarm, which is not part of the stored state. */
const ALARM_CHARACTERS = 300;
/** States considered for dropping at a load, so that it stays quick if all of them must be written first. */
const DROP_TRIES = 8;

/** State of the engine by device: in memory, and on disk with a delay. */
export class AlarmStates {
  readonly #states = new Map<DeviceId, DeviceState>();
  /** Names of rules, which the devices of a profile share. */
  readonly #names = new StringPool();
  /** Characters of their stored states. */
  readonly #lengths = new Map<DeviceId, number>();
  #characters = 0;
  /** Devices whose state is not yet written. */
  readonly #unwritten = new Set<DeviceId>();
  /** Devices of `#unwritten` that are written in this turn. */
  readonly #counted = new Set<DeviceId>();
  /** Devices that have only received values since the last write. */
  readonly #seenDevices = new Set<DeviceId>();
  readonly #writing: { start(): void; stop(): void };
  /** Total time in ms for which the gateway did not run and no device counts as silent. */
  readonly #stoppedMs: number;
  #writes = 0;
  #isWriting = false;
  #isDropping = false;
  /** True if the time until which the gateway has run is to be written after the states. */
  #isNoteDue = false;

  constructor(
    readonly deps: {
      repository: AlarmsRepository;
      /** Returns whether the device still exists. */
      isKnown: (deviceId: DeviceId) => boolean;
      transact: (work: () => void) => void;
      now: () => number;
      clock: Clock;
      log: Logger;
    },
  ) {
    const { repository, now } = deps;
    const last = repository.findRun() ?? { runningUntil: now(), stoppedMs: 0, isStopped: true };
    // After a power failure, the newest values are missing; their devices must not be reported as silent too early.
    const missed = last.isStopped ? 0 : WRITES_PER_REFRESH * WRITE_INTERVAL_MS;
    this.#stoppedMs = last.stoppedMs + Math.max(0, now() - last.runningUntil) + missed;
    this.#note(false);
    this.#writing = createPeriodic({ ...deps, intervalMs: WRITE_INTERVAL_MS, work: () => this.#write() });
  }

  start(): void {
    this.#writing.start();
  }

  stop(): void {
    this.#writing.stop();
    this.#isWriting = false;
    this.#isDropping = false;
    this.#isNoteDue = false;
    this.#writeSeen();
    this.#save();
    this.#note(true);
  }

  of(deviceId: DeviceId): DeviceState {
    const deviceState = this.#states.get(deviceId);
    if (deviceState !== undefined) return deviceState;
    this.#dropWritten();
    const { repository, now } = this.deps;
    const times = { now: now(), stoppedMs: this.#stoppedMs };
    const stored = repository.findState(deviceId);
    const state = readState(stored, repository.listOpen(deviceId), { ...times, names: this.#names });
    this.#states.set(deviceId, state);
    this.#measure(deviceId, stored?.length ?? 0, state);
    if (this.#isFull && !this.#isDropping) void this.#dropInTurns();
    return state;
  }

  /** Returns `undefined` if the device is not in memory. */
  peek(deviceId: DeviceId): DeviceState | undefined {
    return this.#states.get(deviceId);
  }

  /** Returns the devices whose states are in memory. */
  loaded(): DeviceId[] {
    return [...this.#states.keys()];
  }

  /** Saves the state within a transaction. */
  save(deviceId: DeviceId, state: DeviceState): void {
    this.#store(deviceId, state);
    this.#unwritten.delete(deviceId);
    this.#seenDevices.delete(deviceId);
  }

  /**
   * Schedules a write. `isCounted`: a time began or a message was counted, which no later message would repeat; written at the end of this turn, and
   * so before the message is acknowledged, which takes a round trip to the storage thread.
   */
  changed(deviceId: DeviceId, isCounted = false): void {
    this.#unwritten.add(deviceId);
    if (!isCounted) return;
    if (this.#counted.size === 0) queueMicrotask(() => this.#saveCounted());
    this.#counted.add(deviceId);
  }

  /** Records that values arrived without changing a condition. */
  markSeen(deviceId: DeviceId): void {
    this.#seenDevices.add(deviceId);
  }

  #store(deviceId: DeviceId, state: DeviceState): void {
    const text = writeState(state, this.#stoppedMs);
    this.deps.repository.saveState(deviceId, text, dueOf(state));
    if (this.#states.has(deviceId)) this.#measure(deviceId, text.length, state);
  }

  #measure(deviceId: DeviceId, stored: number, { open }: DeviceState): void {
    const length = stored + open.size * ALARM_CHARACTERS;
    this.#characters += length - (this.#lengths.get(deviceId) ?? 0);
    this.#lengths.set(deviceId, length);
  }

  #drop(deviceId: DeviceId): void {
    this.#states.delete(deviceId);
    this.#characters -= this.#lengths.get(deviceId) ?? 0;
    this.#lengths.delete(deviceId);
  }

  /** Discards the state in memory in favor of the stored state. */
  forget(deviceId: DeviceId): void {
    this.#drop(deviceId);
    this.#unwritten.delete(deviceId);
    this.#seenDevices.delete(deviceId);
  }

  get #isFull(): boolean {
    return this.#states.size >= STATES_MAX || this.#characters > CHARACTERS_MAX;
  }

  #isWritten(deviceId: DeviceId): boolean {
    return !this.#unwritten.has(deviceId) && !this.#seenDevices.has(deviceId);
  }

  /** Drops states beyond the limits, the oldest first, as far as they need not be written. */
  #dropWritten(): void {
    let tries = DROP_TRIES;
    for (const candidate of this.#states.keys()) {
      if (!this.#isFull || tries-- === 0) return;
      if (this.#isWritten(candidate)) this.#drop(candidate);
    }
  }

  /** Writes and drops states beyond the limits: they may have grown, or all of their devices may send. */
  #dropOldest(hasTime: () => boolean): void {
    const dropped: DeviceId[] = [];
    let characters = 0;
    this.deps.transact(() => {
      for (const [deviceId, state] of this.#states) {
        if (!this.#isWritten(deviceId) && this.deps.isKnown(deviceId)) this.#store(deviceId, state);
        dropped.push(deviceId);
        characters += this.#lengths.get(deviceId) ?? 0;
        const isEnough =
          this.#states.size - dropped.length < STATES_MAX && this.#characters - characters <= CHARACTERS_MAX;
        if (isEnough || !hasTime()) return;
      }
    });
    for (const deviceId of dropped) this.forget(deviceId);
  }

  #writeSeen(): void {
    for (const deviceId of this.#seenDevices) this.#unwritten.add(deviceId);
    this.#seenDevices.clear();
  }

  #write(): void {
    const isRefresh = ++this.#writes % WRITES_PER_REFRESH === 0;
    if (isRefresh) this.#writeSeen();
    this.#isNoteDue ||= isRefresh;
    if (!this.#isWriting) void this.#writeInTurns();
  }

  /** Writes the states in turns with other work: they may be those of 20,000 devices. */
  async #writeInTurns(): Promise<void> {
    this.#isWriting = true;
    try {
      const waiting = [...this.#unwritten].reverse();
      while (waiting.length > 0 && this.#isWriting) {
        this.#save(waiting, () => workShare.hasTime);
        const share = workShare.pause();
        if (share !== undefined) await share;
      }
      if (this.#isFull && !this.#isDropping) void this.#dropInTurns();
      if (this.#isNoteDue && this.#states.size > 0) this.#note(false);
      this.#isNoteDue = false;
    } catch (error) {
      this.deps.log.warn("write failed, retrying", { error });
    } finally {
      this.#isWriting = false;
    }
  }

  /** Begins in a later turn: the state that was read last is in use. */
  async #dropInTurns(): Promise<void> {
    this.#isDropping = true;
    try {
      while (this.#isDropping && this.#isFull) {
        await workShare.next();
        if (this.#isDropping && this.#isFull) this.#dropOldest(() => workShare.hasTime);
      }
    } catch (error) {
      this.deps.log.warn("write failed, retrying", { error });
    } finally {
      this.#isDropping = false;
    }
  }

  #saveCounted(): void {
    const due = [...this.#counted].filter((deviceId) => this.#unwritten.has(deviceId));
    this.#counted.clear();
    try {
      this.#save([...due]);
      this.#dropGrown(due);
    } catch (error) {
      this.deps.log.error("writing the state of alarm rules failed", { error }); // it is tried again soon
    }
  }

  /** Drops written states beyond the limits immediately: all devices of a site may begin to count within a second. */
  #dropGrown(written: readonly DeviceId[]): void {
    for (const deviceId of written) {
      if (!this.#isFull) return;
      if (this.#isWritten(deviceId)) this.#drop(deviceId);
    }
  }

  /** Removes devices from the end of the list and writes their states, at least one, in one transaction. */
  #save(waiting: DeviceId[] = [...this.#unwritten], hasTime: () => boolean = () => true): void {
    if (waiting.length === 0) return;
    const written: DeviceId[] = [];
    this.deps.transact(() => {
      do {
        const deviceId = waiting.pop();
        if (deviceId === undefined) break;
        written.push(deviceId);
        const state = this.#unwritten.has(deviceId) ? this.#states.get(deviceId) : undefined;
        if (state !== undefined && this.deps.isKnown(deviceId)) this.#store(deviceId, state);
      } while (hasTime());
    });
    for (const deviceId of written) {
      this.#unwritten.delete(deviceId);
      this.#seenDevices.delete(deviceId);
    }
  }

  #note(isStopped: boolean): void {
    const { repository, now } = this.deps;
    repository.saveRun({ runningUntil: now(), stoppedMs: this.#stoppedMs, isStopped });
  }
}

/** Returns the time of the next evaluation if no value arrives. */
export const dueOf = ({ due }: DeviceState): number | undefined => {
  let earliest: number | undefined;
  for (const timeMs of due.values()) if (earliest === undefined || timeMs < earliest) earliest = timeMs;
  return earliest;
};
