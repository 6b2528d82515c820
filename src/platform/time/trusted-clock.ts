import { ptr } from "bun:ffi";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { detail } from "../../lib/core/domain-error.ts";
import { HOUR_MS } from "../../lib/core/units.ts";
import type { Problem } from "../core/health.ts";
import { readExpendableFile, writeNewFile } from "../files/data-file.ts";
import { openLibc } from "../process/libc.ts";
import type { Part } from "../process/lifecycle.ts";
import { type Clock, systemClock } from "./clock.ts";

/** Size of `struct timex`, with a margin; see adjtimex(2). The offsets below are for 64-bit Linux. */
const TIMEX_BYTES = 256;
const STATUS = 40;
const SECONDS = 72;
/** Status bit: the clock is not synchronized. */
const STA_UNSYNC = 0x40;
/** Return value: the clock is not synchronized. */
const TIME_ERROR = 5;
const MS = 1_000;
/** Max. difference between the kernel's time and this process's time. */
const DIFFERENCE_MS_MAX = 60_000;

let libc: { adjtimex(buffer: ReturnType<typeof ptr>): number } | undefined | null = null;

/**
 * Returns whether a time server synchronizes the kernel's clock: chrony, ntpd and systemd-timesyncd all inform the kernel. `wall` is this process's
 * time, in epoch ms; a process with shifted time has no synchronized clock.
 */
function isKernelClockSynchronized(wall: number): boolean {
  if (libc === null) libc = openLibc({ adjtimex: { args: ["ptr"], returns: "i32" } });
  if (libc === undefined) return false;
  const timex = Buffer.alloc(TIMEX_BYTES);
  const state = libc.adjtimex(ptr(timex));
  if (state < 0 || state === TIME_ERROR || (timex.readInt32LE(STATUS) & STA_UNSYNC) !== 0) return false;
  return Math.abs(Number(timex.readBigInt64LE(SECONDS)) * MS - wall) < DIFFERENCE_MS_MAX;
}

/** Time before which no Lineside ran: a clock before it is not set. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);
const SAVE_INTERVAL_MS = HOUR_MS;
/** Max. time between the last known time and a boot with a trusted clock. */
const AHEAD_MS_MAX = 24 * HOUR_MS;
/** Min. difference between wall time and monotonic time that counts as a step of the clock. */
const STEP_MS = 60_000;
const STEP_SHOWN_MS = HOUR_MS;
/** Speed at which retention follows a clock that jumped ahead, relative to real time. */
const RETENTION_SPEED_MAX = 2;
const FILE = "clock";
const SYNCHRONIZED_CHECK_MS = 10_000;

interface TrustedClockOptions {
  /** True if earlier runs left data, so the last known time should exist. */
  readonly hasHistory?: boolean;
  /** Returns whether a time server synchronizes the system's clock. */
  readonly isSynchronized?: (wall: number) => boolean;
}

/**
 * Wall clock that detects whether it can be trusted. A gateway without a clock battery boots in the past; its time then continues from the newest
 * known time. A gateway that boots more than a day after that time was off for that long, or its clock is wrong: it uses the time of the system, but
 * the clock does not count as set until a time server or an owner confirms it.
 */
export class TrustedClock implements Clock, Part {
  readonly name = "clock";
  readonly #system: Clock;
  readonly #file: string;
  readonly #isSynchronized: (wall: number) => boolean;
  /** Newest trusted time of earlier runs; undefined if unknown. */
  readonly #known: number | undefined;
  readonly #hasHistory: boolean;
  readonly #monotonicStart: number;
  /** Last saved time, with the monotonic time of the save. */
  #saved: { wall: number; monotonic: number } | undefined;
  /** Newest time returned for retention, with the monotonic time of the call. */
  #retention: { readonly wall: number; readonly monotonic: number } | undefined;
  #isTrusted = false;
  #nextCheckAt = Number.NEGATIVE_INFINITY;
  #cancel: () => void = () => undefined;
  /** Wall time minus monotonic time at the last check; undefined before the clock was trusted. */
  #offset: number | undefined;
  #step: { readonly ms: number; readonly monotonic: number } | undefined;

  constructor(system: Clock, dataPath: string, options: TrustedClockOptions = {}) {
    this.#system = system;
    this.#file = join(dataPath, FILE);
    // The kernel does not know a clock that replaces the system's clock.
    const fallback = system === systemClock ? isKernelClockSynchronized : () => false;
    this.#isSynchronized = options.isSynchronized ?? fallback;
    this.#hasHistory = options.hasHistory ?? false;
    this.#known = readTime(this.#file);
    this.#saved =
      this.#known === undefined ? undefined : { wall: this.#known, monotonic: system.monotonic() };
    this.#monotonicStart = system.monotonic();
    this.#check(system.now());
  }

  now(): number {
    const wall = this.#system.now();
    const isBehind = !this.#check(wall) && wall < this.#floor;
    return Math.floor(isBehind ? this.#floor : wall);
  }

  monotonic(): number {
    return this.#system.monotonic();
  }

  schedule(ms: number, callback: () => void): () => void {
    return this.#system.schedule(ms, callback);
  }

  /** Returns whether the clock of the system can be trusted. */
  isSet(): boolean {
    return this.#check(this.#system.now());
  }

  /**
   * Returns the time against which retention measures the age of stored data, in epoch ms: 0 while the clock is not set. After a jump it advances at
   * most twice as fast as real time, because a wrong clock must not delete recent data.
   */
  retentionTime(): number {
    if (!this.isSet()) return 0;
    const monotonic = this.#system.monotonic();
    const last = this.#retention ?? { wall: this.now(), monotonic };
    const wall = Math.min(this.now(), last.wall + RETENTION_SPEED_MAX * (monotonic - last.monotonic));
    this.#retention = { wall: Math.max(wall, last.wall), monotonic };
    return Math.floor(wall);
  }

  /** Returns the time of the system, whether or not it is trusted. */
  systemNow(): number {
    return Math.floor(this.#system.now());
  }

  /** Trusts the clock of the system on request of a user. Returns false if it shows a time before any Lineside ran. */
  confirm(): boolean {
    if (this.#system.now() < EARLIEST_MS) return false;
    this.#vouch();
    this.#save();
    return true;
  }

  /** Returns the problem that the clock is not set, or was set within the last hour. */
  problem(): Problem | undefined {
    if (!this.isSet()) return { severity: "WARNING", ...this.#doubt() };
    const step = this.#newestStep();
    if (step === undefined) return undefined;
    return { severity: "WARNING", ...detail("system.clock_stepped", { seconds: Math.round(step / 1_000) }) };
  }

  start(): void {
    this.#save();
    this.#cancel = this.#system.schedule(SAVE_INTERVAL_MS, () => this.start());
  }

  stop(): void {
    this.#cancel();
    this.#save();
  }

  /** Returns the last jump of the system clock within the past hour, in ms. */
  #newestStep(): number | undefined {
    const monotonic = this.#system.monotonic();
    const offset = this.#system.now() - monotonic;
    const ms = offset - (this.#offset ?? offset);
    this.#offset = offset;
    if (Math.abs(ms) > STEP_MS) this.#step = { ms, monotonic };
    else if (this.#step !== undefined && monotonic - this.#step.monotonic > STEP_SHOWN_MS)
      this.#step = undefined;
    return this.#step?.ms;
  }

  /** Returns the reason why the clock is not trusted. */
  #doubt() {
    if (this.#system.now() < this.#floor) return detail("system.clock_unset");
    if (this.#known === undefined) return detail("system.clock_unknown");
    return detail("system.clock_ahead", { time: new Date(this.#known).toISOString() });
  }

  /** Lower bound of the current time. */
  get #floor(): number {
    return Math.max(EARLIEST_MS, this.#known ?? 0) + this.#elapsed;
  }

  get #elapsed(): number {
    return this.#system.monotonic() - this.#monotonicStart;
  }

  /** Checks whether the clock can be trusted by now. Once trusted, it stays trusted. */
  #check(wall: number): boolean {
    if (this.#isTrusted) return true;
    if (wall >= EARLIEST_MS && this.#isPlausible(wall)) this.#trust();
    else if (this.#asksTimeServer(wall)) this.#vouch();
    return this.#isTrusted;
  }

  #trust(): void {
    this.#isTrusted = true;
    this.#retention = { wall: this.#system.now(), monotonic: this.#system.monotonic() };
  }

  #isPlausible(wall: number): boolean {
    if (this.#known === undefined) return !this.#hasHistory;
    return wall >= this.#floor && wall <= this.#floor + AHEAD_MS_MAX;
  }

  #vouch(): void {
    this.#trust();
    this.#saved = { wall: this.#system.now(), monotonic: this.#system.monotonic() };
  }

  #asksTimeServer(wall: number): boolean {
    const monotonic = this.#system.monotonic();
    if (monotonic < this.#nextCheckAt) return false;
    this.#nextCheckAt = monotonic + SYNCHRONIZED_CHECK_MS;
    return wall >= EARLIEST_MS && this.#isSynchronized(wall);
  }

  /**
   * Saves the time, so that the next boot can check whether its clock is plausible. After an unconfirmed step in either direction, it advances only
   * with monotonic time.
   */
  #save(): void {
    const monotonic = this.#system.monotonic();
    const now = this.now();
    const last = this.#saved;
    const due = last === undefined ? now : last.wall + monotonic - last.monotonic;
    const isKnown = Math.abs(now - due) <= STEP_MS || this.#isSynchronized(now);
    // Without any known time, an unconfirmed time is not saved.
    if (last === undefined && !this.#isTrusted) return;
    this.#saved = { wall: this.isSet() && isKnown ? now : due, monotonic };
    try {
      writeNewFile(`${this.#file}.new`, encodeTime(Math.floor(this.#saved.wall)));
      renameSync(`${this.#file}.new`, this.#file);
    } catch {
      // A full or read-only disk is reported elsewhere.
    }
  }
}

/** Encodes epoch ms with a check value, because a damaged time in the far future would move all values there. */
const encodeTime = (time: number): string => `${time} ${checkOf(String(time))}\n`;

const checkOf = (text: string): string => Bun.hash.crc32(text).toString(16).padStart(8, "0");

function readTime(file: string): number | undefined {
  const [text = "", check] = String(readExpendableFile(file) ?? "")
    .trim()
    .split(" ");
  const time = Number(text);
  return check === checkOf(text) && Number.isSafeInteger(time) && time > 0 ? time : undefined;
}
