import { sha256 } from "../../../platform/core/ids.ts";
import type { ThrottleRepository } from "./throttle.repository.ts";

const HOUR_MS = 3_600_000;
const WINDOW_MS_MAX = 24 * HOUR_MS;

/** Attempts of one subject: a `burst`, then `perHour` (in any hour at most both together). */
export interface Budget {
  readonly burst: number;
  readonly perHour: number;
}

/** A budget of somebody: `kind` is a word of ours, `who` whatever names them. */
export interface Allowance extends Budget {
  readonly kind: string;
  readonly who: string;
}

/** Exact limit per window, counted one by one: for rare and expensive actions such as sending a mail. */
export interface Quota {
  readonly kind: string;
  readonly who: string;
  readonly max: number;
  /** A day at most. */
  readonly windowMs: number;
}

interface ThrottleDeps {
  readonly repository: ThrottleRepository;
  /** Steady epoch ms: setting the clock neither ends a lock-out nor makes one last. */
  readonly now: () => number;
}

interface Refusal {
  /** Time after which there is room. */
  readonly waitMs: number;
}

const intervalOf = ({ perHour }: Budget): number => HOUR_MS / perHour;
/** The subject is hashed, so that its length does not depend on what somebody sends. */
const subjectOf = ({ kind, who }: Pick<Allowance, "kind" | "who">): string => `${kind}:${sha256(who)}`;

/**
 * Limits attempts by the generic cell rate algorithm: of each subject only the time is kept at which its budget is whole
 * again. That time lives in the database, so that a restart gives nobody a new start. A refusal costs one read and no write.
 */
export class Throttle {
  readonly #deps: ThrottleDeps;
  #cleanedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ThrottleDeps) {
    this.#deps = deps;
  }

  /** Counts an attempt against each of the allowances, or against none and returns when there is room. */
  take(allowances: readonly Allowance[]): Refusal | undefined {
    const { repository, now } = this.#deps;
    const timeMs = now();
    const waitMs = Math.max(...allowances.map((allowance) => this.#waitFor(allowance, timeMs)));
    if (waitMs > 0) return { waitMs };
    this.#clean(timeMs);
    for (const allowance of allowances)
      repository.save(
        subjectOf(allowance),
        Math.ceil(this.#recoversAt(allowance, timeMs) + intervalOf(allowance)),
      );
    return undefined;
  }

  /** Takes back an attempt that turned out well. */
  giveBack(allowances: readonly Allowance[]): void {
    const { repository, now } = this.#deps;
    const timeMs = now();
    for (const allowance of allowances)
      repository.save(
        subjectOf(allowance),
        Math.floor(this.#recoversAt(allowance, timeMs) - intervalOf(allowance)),
      );
  }

  /** Counts one against each of the quotas, or against none and returns when there is room. */
  takeOf(quotas: readonly Quota[]): Refusal | undefined {
    const { repository, now } = this.#deps;
    const timeMs = now();
    const waitMs = Math.max(...quotas.map((quota) => this.#waitForQuota(quota, timeMs)));
    if (waitMs > 0) return { waitMs };
    this.#clean(timeMs);
    for (const subject of new Set(quotas.map(subjectOf))) repository.addOccurrence(subject, timeMs);
    return undefined;
  }

  /** Gives a subject its whole budget again. */
  clear(allowance: Allowance): void {
    this.#deps.repository.delete(subjectOf(allowance));
  }

  /** Returns the time at which the budget is whole again. A later time than is possible comes from a clock that was wrong. */
  #recoversAt(allowance: Allowance, timeMs: number): number {
    const existing = this.#deps.repository.find(subjectOf(allowance)) ?? timeMs;
    return existing > timeMs + allowance.burst * (intervalOf(allowance) + 1)
      ? timeMs
      : Math.max(existing, timeMs);
  }

  #waitFor(allowance: Allowance, timeMs: number): number {
    const interval = intervalOf(allowance);
    return this.#recoversAt(allowance, timeMs) + interval - (timeMs + allowance.burst * interval);
  }

  /** Returns the ms until there is room, 0 while there is. */
  #waitForQuota({ kind, who, max, windowMs }: Quota, timeMs: number): number {
    const window = { after: timeMs - windowMs, until: timeMs };
    const occurrences = this.#deps.repository.listOccurrences(subjectOf({ kind, who }), window);
    const leaving = occurrences[occurrences.length - max]; // there is room once this one is out of the window
    return leaving === undefined ? 0 : leaving + windowMs - timeMs;
  }

  #clean(timeMs: number): void {
    if (timeMs - this.#cleanedAt < HOUR_MS / 60) return;
    this.#cleanedAt = timeMs;
    this.#deps.repository.deleteRecovered(timeMs);
    this.#deps.repository.deleteOccurrences(timeMs - WINDOW_MS_MAX);
  }
}
