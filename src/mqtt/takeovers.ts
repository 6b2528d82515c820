import type { DeviceId } from "../lib/ids.ts";

/** Takeovers of a device within `TAKEOVER_WINDOW_MS` that are listed: a client that reconnects takes over its own lost connection now and then. */
const LISTED_FROM = 3;
export const TAKEOVER_WINDOW_MS = 5 * 60_000;
/** Number of devices that are remembered; beyond it the one whose newest takeover is the oldest is forgotten. */
const DEVICES_MAX = 1_000;
const TIMES_MAX = 100;

/** Counts connections of devices that were ended by another one of the same device: clients that share a token end each other for ever. */
export class Takeovers {
  /** Times of the newest takeovers, by device; the device with the newest one last. */
  readonly #times = new Map<DeviceId, number[]>();

  /** Adds a takeover. Returns how many there were in the window, or `undefined` while they are too few to be listed. */
  add(deviceId: DeviceId, now: number): number | undefined {
    const times = (this.#times.get(deviceId) ?? []).filter((time) => now - time < TAKEOVER_WINDOW_MS);
    times.push(now);
    this.#times.delete(deviceId);
    this.#times.set(deviceId, times.slice(-TIMES_MAX));
    const [oldest] = this.#times.keys();
    if (this.#times.size > DEVICES_MAX && oldest !== undefined) this.#times.delete(oldest);
    return times.length >= LISTED_FROM ? times.length : undefined;
  }
}
