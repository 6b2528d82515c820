import { addressGroup } from "../network/network-address.ts";
import { RateMeter } from "./rate-meter.ts";

const ADDRESSES_MAX = 10_000;

/**
 * Counts failed attempts by address (of IPv6 by the first 64 bits): a burst, then a rate per second. Whoever presents something right is
 * not asked, so that nobody is locked out by a neighbour behind the same address.
 */
export class AttemptLimit {
  readonly #rate: { readonly perSecond: number; readonly burst: number };
  /** Meters by address; what was used first goes first. */
  readonly #meters = new Map<string, RateMeter>();

  constructor(rate: { readonly perSecond: number; readonly burst: number }) {
    this.#rate = rate;
  }

  /** Counts a failed attempt. 0, or beyond the limit the ms until the next attempt is looked at; `now` is monotonic. */
  take(address: string, now: number): number {
    return this.#meterOf(addressGroup(address)).take(now);
  }

  /** Like `take`, without counting. */
  waitMs(address: string, now: number): number {
    return this.#meters.get(addressGroup(address))?.waitMs(now) ?? 0;
  }

  #meterOf(address: string): RateMeter {
    const existing = this.#meters.get(address);
    if (existing !== undefined) return existing;
    if (this.#meters.size >= ADDRESSES_MAX) this.#meters.delete(this.#meters.keys().next().value ?? "");
    const meter = Object.assign(new RateMeter(), this.#rate);
    this.#meters.set(address, meter);
    return meter;
  }
}
