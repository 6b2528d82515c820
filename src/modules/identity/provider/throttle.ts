import { sha256 } from "../../../platform/ids.ts";
import type { ThrottleRepository } from "./throttle.repository.ts";

const HOUR_MS = 3_600_000;
const WINDOW_MS_MAX = 24 * HOUR_MS;

/** Describes what one subject may try: `burst` at once, then `perHour` (in any hour at most both together). */
export interface Budget {
  readonly burst: number;
  readonly perHour: number;
}

/** A budget of somebody: `kind` is a word of ours, `who` whatever names them. */
export interface Allowance extends Budget {
  readonly kind: string;
  readonly who: string;
}

/** Exactly so many in any window, counted one by one: for what is rare and dear, such as a mail. */
export interface Quota {
  readonly kind: string;
  readonly who: string;
  readonly max: number;
  /** A day at most. */
  readonly windowMs: number;
}

/**
 * Limits attempts by the generic cell rate algorithm: of each subject only the time is kept at which its budget is whole
 * again. Lives in the database, so that a restart gives nobody a new start; refusing costs one read and no write.
 */
export function createThrottle(deps: {
  repository: ThrottleRepository;
  /** Steady epoch ms: setting the clock neither ends a lock-out nor makes one last. */
  now: () => number;
}) {
  const { repository, now } = deps;
  let cleanedAt = Number.NEGATIVE_INFINITY;

  const intervalOf = ({ perHour }: Budget) => HOUR_MS / perHour;
  // Hashed: the length of what somebody sends does not become ours.
  const subjectOf = ({ kind, who }: Pick<Allowance, "kind" | "who">) => `${kind}:${sha256(who)}`;

  /** Returns the time at which the budget is whole again. A later time than is possible comes from a clock that was wrong. */
  function recoversAt(allowance: Allowance, timeMs: number): number {
    const existing = repository.find(subjectOf(allowance)) ?? timeMs;
    return existing > timeMs + allowance.burst * (intervalOf(allowance) + 1)
      ? timeMs
      : Math.max(existing, timeMs);
  }

  function waitFor(allowance: Allowance, timeMs: number): number {
    const interval = intervalOf(allowance);
    return recoversAt(allowance, timeMs) + interval - (timeMs + allowance.burst * interval);
  }

  function clean(timeMs: number): void {
    if (timeMs - cleanedAt < HOUR_MS / 60) return;
    cleanedAt = timeMs;
    repository.deleteRecovered(timeMs);
    repository.deleteOccurrences(timeMs - WINDOW_MS_MAX);
  }

  /** 0 while there is room. */
  function waitForQuota({ kind, who, max, windowMs }: Quota, timeMs: number): number {
    const window = { after: timeMs - windowMs, until: timeMs };
    const occurrence = repository.listOccurrences(subjectOf({ kind, who }), window);
    const leaving = occurrence[occurrence.length - max]; // there is room once this one is out of the window
    return leaving === undefined ? 0 : leaving + windowMs - timeMs;
  }

  return {
    /** Counts an attempt against each of the allowances, or against none: then says after how many ms there is room. */
    take(allowances: readonly Allowance[]): { readonly waitMs: number } | undefined {
      const timeMs = now();
      const waitMs = Math.max(...allowances.map((allowance) => waitFor(allowance, timeMs)));
      if (waitMs > 0) return { waitMs };
      clean(timeMs);
      for (const allowance of allowances)
        repository.save(
          subjectOf(allowance),
          Math.ceil(recoversAt(allowance, timeMs) + intervalOf(allowance)),
        );
      return undefined;
    },
    /** Takes back an attempt that turned out well. */
    giveBack(allowances: readonly Allowance[]): void {
      const timeMs = now();
      for (const allowance of allowances)
        repository.save(
          subjectOf(allowance),
          Math.floor(recoversAt(allowance, timeMs) - intervalOf(allowance)),
        );
    },
    /** Counts one against each of the quotas, or against none: then says after how many ms there is room. */
    takeOf(quotas: readonly Quota[]): { readonly waitMs: number } | undefined {
      const timeMs = now();
      const waitMs = Math.max(...quotas.map((quota) => waitForQuota(quota, timeMs)));
      if (waitMs > 0) return { waitMs };
      clean(timeMs);
      for (const subject of new Set(quotas.map(subjectOf))) repository.addOccurrence(subject, timeMs);
      return undefined;
    },
    /** Gives a subject its whole budget again. */
    clear: (allowance: Allowance): void => repository.delete(subjectOf(allowance)),
  };
}

export type Throttle = ReturnType<typeof createThrottle>;
