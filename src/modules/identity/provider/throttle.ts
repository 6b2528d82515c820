import { HOUR_MS } from "../../../lib/core/units.ts";
import { sha256 } from "../../../platform/core/ids.ts";
import type { ThrottleRepository } from "./throttle.repository.ts";

const WINDOW_MS_MAX = 24 * HOUR_MS;

/** Attempts of one subject: a `burst`, then `perHour` (in any hour, at most the sum of both). */
export interface Budget {
  readonly burst: number;
  readonly perHour: number;
}

/** Budget of a subject: `kind` is a fixed word, `who` identifies the subject. */
export interface Allowance extends Budget {
  readonly kind: string;
  readonly who: string;
}

/** Exact limit per window, counted individually; for rare and expensive actions such as sending a mail. */
export interface Quota {
  readonly kind: string;
  readonly who: string;
  readonly max: number;
  /** At most a day. */
  readonly windowMs: number;
}

interface ThrottleDeps {
  readonly repository: ThrottleRepository;
  /** Returns monotonic epoch ms, so that setting the clock neither ends nor prolongs a lock-out. */
  readonly now: () => number;
}

interface Refusal {
  /** Time in ms until there is room. */
  readonly waitMs: number;
}

const intervalOf = ({ perHour }: Budget): number => HOUR_MS / perHour;
/** Returns the hashed subject, whose length does not depend on input. */
const subjectOf = ({ kind, who }: Pick<Allowance, "kind" | "who">): string => `${kind}:${sha256(who)}`;

/**
 * Limits attempts by the generic cell rate algorithm, which only stores the time at which a subject's budget is fully restored. The database keeps
 * it, so that a restart resets nothing. A refusal costs one read and no write.
 */
export class Throttle {
  readonly #deps: ThrottleDeps;
  #cleanedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ThrottleDeps) {
    this.#deps = deps;
  }

  /** Counts an attempt towards all allowances; if one is exhausted, counts none and returns the wait. */
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

  /** Refunds a successful attempt. */
  giveBack(allowances: readonly Allowance[]): void {
    const { repository, now } = this.#deps;
    const timeMs = now();
    for (const allowance of allowances)
      repository.save(
        subjectOf(allowance),
        Math.floor(this.#recoversAt(allowance, timeMs) - intervalOf(allowance)),
      );
  }

  /** Counts an action towards all quotas; if one is exhausted, counts none and returns the wait. */
  takeOf(quotas: readonly Quota[]): Refusal | undefined {
    const { repository, now } = this.#deps;
    const timeMs = now();
    const waitMs = Math.max(...quotas.map((quota) => this.#waitForQuota(quota, timeMs)));
    if (waitMs > 0) return { waitMs };
    this.#clean(timeMs);
    for (const subject of new Set(quotas.map(subjectOf))) repository.addOccurrence(subject, timeMs);
    return undefined;
  }

  /** Restores a subject's whole budget. */
  clear(allowance: Allowance): void {
    this.#deps.repository.delete(subjectOf(allowance));
  }

  /** Returns the time at which the budget is fully restored. An impossibly late time comes from a wrong clock. */
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

  /** Returns the ms until there is room; 0 if there is room now. */
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
