import type { Text } from "../../lib/texts/text.ts";
import type { BreakerState } from "./script-sandbox.types.ts";

const OVERRUNS_MAX = 3;
const COOL_DOWN_MS = 60_000;
const COOL_DOWN_MS_MAX = 15 * 60_000;
/** Previews have keys too; who has not overrun for longest is forgotten. */
const KEYS_MAX = 10_000;

interface Breaker {
  readonly sourceHash: number | bigint;
  overruns: number;
  coolDownMs: number;
  /** Monotonic time; undefined while closed. */
  openUntil: number | undefined;
  reason: Text;
}

/**
 * A script that overran three times in a row is not run for a while: each overrun costs a process. After that it has one
 * try, and each that fails doubles the while. Another source begins anew.
 */
export class ScriptBreakers {
  readonly #now: () => number;
  /** Keyed by key; only of those whose last run overran. */
  readonly #breakers = new Map<string, Breaker>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Undefined where `source` may run. */
  refusal(key: string, source: string): BreakerState | undefined {
    const breaker = this.#breakers.get(key);
    if (breaker === undefined) return undefined;
    if (breaker.sourceHash !== Bun.hash(source)) {
      this.#breakers.delete(key);
      return undefined;
    }
    const state = this.of(key);
    return state?.isOpen ? state : undefined;
  }

  of(key: string): BreakerState | undefined {
    const breaker = this.#breakers.get(key);
    if (breaker === undefined) return undefined;
    const retryInMs = Math.max(0, (breaker.openUntil ?? 0) - this.#now());
    return { isOpen: breaker.openUntil !== undefined && retryInMs > 0, reason: breaker.reason, retryInMs };
  }

  succeeded(key: string): void {
    this.#breakers.delete(key);
  }

  overran(key: string, source: string, reason: Text): void {
    const existingBreaker = this.#breakers.get(key);
    const sourceHash = Bun.hash(source);
    const breaker: Breaker =
      existingBreaker?.sourceHash === sourceHash
        ? existingBreaker
        : { sourceHash, overruns: 0, coolDownMs: COOL_DOWN_MS, openUntil: undefined, reason };
    breaker.overruns++;
    breaker.reason = reason;
    if (breaker.overruns >= OVERRUNS_MAX) {
      breaker.openUntil = this.#now() + breaker.coolDownMs;
      breaker.coolDownMs = Math.min(breaker.coolDownMs * 2, COOL_DOWN_MS_MAX);
    }
    this.#breakers.delete(key);
    this.#breakers.set(key, breaker);
    const [oldest] = this.#breakers.keys();
    if (this.#breakers.size > KEYS_MAX && oldest !== undefined) this.#breakers.delete(oldest);
  }

  reset(key: string): void {
    this.#breakers.delete(key);
  }
}
