import { sha256 } from "../../../platform/ids.ts";
import type { ThrottleRepository } from "./throttle.repository.ts";

const HOUR_MS = 3_600_000;

/** What one subject may try: `burst` at once, then `perHour` (in any hour at most both together). */
export interface Budget {
  readonly burst: number;
  readonly perHour: number;
}

/** A budget of somebody: `kind` is a word of ours, `who` whatever names them. */
export interface Allowance extends Budget {
  readonly kind: string;
  readonly who: string;
}

/**
 * Limits attempts by the generic cell rate algorithm: of each subject only the time is kept at which its budget is whole
 * again. Lives in the database, so that a restart gives nobody a new start; refusing costs one read and no write.
 */
export interface Throttle {
  /** Counts an attempt against each of the allowances, or against none: then says after how many ms there is room. */
  take(allowances: readonly Allowance[]): { readonly waitMs: number } | undefined;
  /** Takes back an attempt that turned out well. */
  giveBack(allowances: readonly Allowance[]): void;
  /** Gives a subject its whole budget again. */
  clear(allowance: Allowance): void;
}

export function createThrottle(deps: {
  repository: ThrottleRepository;
  /** Steady epoch ms: setting the clock neither ends a lock-out nor makes one last. */
  now: () => number;
}): Throttle {
  const { repository, now } = deps;
  let cleanedAt = Number.NEGATIVE_INFINITY;

  const intervalOf = ({ perHour }: Budget) => HOUR_MS / perHour;
  // Hashed: the length of what somebody sends does not become ours.
  const subjectOf = ({ kind, who }: Allowance) => `${kind}:${sha256(who)}`;

  /** When the budget is whole again; later than it can be is what a clock left that was wrong. */
  function recoversAt(allowance: Allowance, at: number): number {
    const known = repository.find(subjectOf(allowance)) ?? at;
    return known > at + allowance.burst * (intervalOf(allowance) + 1) ? at : Math.max(known, at);
  }

  function waitFor(allowance: Allowance, at: number): number {
    const interval = intervalOf(allowance);
    return recoversAt(allowance, at) + interval - (at + allowance.burst * interval);
  }

  function clean(at: number): void {
    if (at - cleanedAt < HOUR_MS / 60) return;
    cleanedAt = at;
    repository.deleteRecovered(at);
  }

  return {
    take(allowances) {
      const at = now();
      const waitMs = Math.max(...allowances.map((allowance) => waitFor(allowance, at)));
      if (waitMs > 0) return { waitMs };
      clean(at);
      for (const allowance of allowances)
        repository.save(subjectOf(allowance), Math.ceil(recoversAt(allowance, at) + intervalOf(allowance)));
      return undefined;
    },
    giveBack(allowances) {
      const at = now();
      for (const allowance of allowances)
        repository.save(subjectOf(allowance), Math.floor(recoversAt(allowance, at) - intervalOf(allowance)));
    },
    clear: (allowance) => repository.delete(subjectOf(allowance)),
  };
}
