import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { detail } from "../lib/domain-error.ts";
import type { Clock } from "./clock.ts";
import type { Problem } from "./health.ts";
import type { Part } from "./lifecycle.ts";

/** Time before which no Lineside ran: a clock that shows less has not been set. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const SAVE_INTERVAL_MS = HOUR_MS;
/** A difference between wall time and monotonic time that somebody, or a time server, has made. */
const STEP_MS = 60_000;
const STEP_SHOWN_MS = HOUR_MS;
const FILE = "clock";
/** systemd-timesyncd creates it once it has set the clock. */
const SYNCHRONIZED = "/run/systemd/timesync/synchronized";
const SYNCHRONIZED_CHECK_MS = 10_000;

/**
 * A wall clock that never shows a time before the last one of an earlier run. A gateway without a clock battery boots in the past; until its
 * clock is set, time goes on from the newest time that the gateway has seen. The system's clock counts again as soon as it is set while the
 * gateway runs, passes that time, or a time server or a person vouches for it.
 */
export class TrustedClock implements Clock, Part {
  readonly name = "clock";
  readonly #system: Clock;
  readonly #file: string;
  readonly #floor: number;
  readonly #wallStart: number;
  readonly #monotonicStart: number;
  /** The newest time that was saved, and when. A clock that jumps ahead moves it by an hour at most for each hour. */
  #saved: { wall: number; monotonic: number } | undefined;
  #isTrusted = false;
  #nextCheckAt = Number.NEGATIVE_INFINITY;
  #cancel: () => void = () => undefined;
  /** Wall time less monotonic time at the last look for problems; undefined before the clock was trusted. */
  #offset: number | undefined;
  #step: { readonly ms: number; readonly monotonic: number } | undefined;

  constructor(system: Clock, dataPath: string) {
    this.#system = system;
    this.#file = join(dataPath, FILE);
    const wall = readTime(this.#file);
    this.#saved = wall === undefined ? undefined : { wall, monotonic: system.monotonic() };
    this.#floor = Math.max(EARLIEST_MS, wall ?? 0);
    this.#wallStart = system.now();
    this.#monotonicStart = system.monotonic();
  }

  now(): number {
    const wall = this.#system.now();
    if (this.#isTrusted || this.#isSet(wall)) return wall;
    return this.#floor + this.#elapsed;
  }

  monotonic(): number {
    return this.#system.monotonic();
  }

  schedule(ms: number, callback: () => void): () => void {
    return this.#system.schedule(ms, callback);
  }

  /** Returns whether the system's clock can be trusted. */
  isSet(): boolean {
    return this.#isTrusted || this.#isSet(this.#system.now());
  }

  /** Returns the time of the system, whether or not it is trusted. */
  systemNow(): number {
    return this.#system.now();
  }

  /** Trusts the system's clock on a person's word. Returns `false` if it shows a time at which no Lineside ran. */
  confirm(): boolean {
    if (this.#system.now() < EARLIEST_MS) return false;
    this.#isTrusted = true;
    return true;
  }

  /** Problem that the clock is not set, or was set within the last hour. */
  problem(): Problem | undefined {
    if (!this.isSet()) return { severity: "WARNING", ...detail("system.clock_unset") };
    const step = this.#newestStep();
    if (step === undefined) return undefined;
    return { severity: "WARNING", ...detail("system.clock_stepped", { seconds: Math.round(step / 1_000) }) };
  }

  /** Returns the ms by which a clock that was trusted was last set, within the last hour. */
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

  start(): void {
    this.#cancel = this.#system.schedule(SAVE_INTERVAL_MS, () => {
      this.#save();
      this.start();
    });
  }

  stop(): void {
    this.#cancel();
    this.#save();
  }

  get #elapsed(): number {
    return this.#system.monotonic() - this.#monotonicStart;
  }

  #isSet(wall: number): boolean {
    const wasStepped = Math.abs(wall - this.#wallStart - this.#elapsed) > STEP_MS;
    this.#isTrusted =
      wall >= EARLIEST_MS && (wasStepped || wall >= this.#floor + this.#elapsed || this.#isSynchronized());
    return this.#isTrusted;
  }

  #isSynchronized(): boolean {
    const monotonic = this.#system.monotonic();
    if (monotonic < this.#nextCheckAt) return false;
    this.#nextCheckAt = monotonic + SYNCHRONIZED_CHECK_MS;
    return existsSync(SYNCHRONIZED);
  }

  #save(): void {
    const monotonic = this.#system.monotonic();
    const now = this.now();
    const wall =
      this.#saved === undefined
        ? now
        : Math.min(now, this.#saved.wall + (monotonic - this.#saved.monotonic) + SAVE_INTERVAL_MS);
    this.#saved = { wall, monotonic };
    try {
      writeFileSync(`${this.#file}.new`, String(Math.floor(wall)), { mode: 0o600 });
      renameSync(`${this.#file}.new`, this.#file);
    } catch {
      // A disk that is full or read-only says so elsewhere.
    }
  }
}

function readTime(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const time = Number(readFileSync(file, "utf8"));
  return Number.isSafeInteger(time) && time > 0 ? time : undefined;
}
