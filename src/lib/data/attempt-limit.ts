import { addressGroup } from "../network/network-address.ts";
import { RateMeter } from "./rate-meter.ts";

const ADDRESSES_MAX = 10_000;

/**
 * Counts failed attempts by address (for IPv6, by the first 64 bits): a burst, then a rate per second. Correct attempts are not limited, so
 * neighbors behind the same address cannot lock anyone out.
 */
export class AttemptLimit {
  readonly #rate: { readonly perSecond: number; readonly burst: number };
  /** Meters by address, oldest first. */
  readonly #meters = new Map<string, RateMeter>();

  constructor(rate: { readonly perSecond: number; readonly burst: number }) {
    this.#rate = rate;
  }

  /** Counts a failed attempt. Returns 0, or the ms to wait if over the limit. `now` is monotonic. */
  take(address: string, now: number): number {
    return this.#meterOf(addressGroup(address)).take(now);
  }

  /** Works like `take`, without counting. */
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
