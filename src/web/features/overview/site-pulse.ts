import type { RealtimeMessage } from "../../lib/realtime-types.ts";
import { serverNow } from "../../platform/now.ts";

/** Counts events in one-second slots over the last minute; `rates` is the data of a bar strip, oldest first. */
export class RateMeter {
  readonly #slots: number[] = Array.from({ length: 60 }, () => 0);
  #second = 0;
  /** First second of counting, which is incomplete. */
  #first = 0;

  add(count: number, nowMs: number): void {
    this.#advance(nowMs);
    const i = this.#second % 60;
    this.#slots[i] = this.#slots[i]! + count;
  }

  rates(nowMs: number): number[] {
    this.#advance(nowMs);
    return Array.from({ length: 60 }, (_, i) => this.#slots[(this.#second + 1 + i) % 60]!);
  }

  /** Returns the mean per second over the last whole seconds, at most `secondsMax`, without the current one. */
  perSecond(nowMs: number, secondsMax = 10): number {
    const rates = this.rates(nowMs);
    const seconds = Math.min(secondsMax, Math.max(1, this.#second - this.#first - 1));
    const whole = rates.slice(59 - seconds, 59);
    return whole.reduce((a, b) => a + b, 0) / seconds;
  }

  #advance(nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    if (this.#first === 0) this.#first = second;
    const from = Math.max(this.#second + 1, second - 59);
    for (let s = from; s <= second; s++) this.#slots[s % 60] = 0;
    this.#second = Math.max(this.#second, second);
  }
}

export interface Newest {
  readonly deviceId: string;
  readonly ts: number;
}

/** Silence of a device after which the list is sorted again, in ms. */
const STEADY_MS = 60_000;

/** Returns the devices of a list, sorted by name while all of them report, so that rows do not move with every message. */
export function stableList(
  shown: readonly string[],
  recent: readonly Newest[],
  of: { newestOf: (deviceId: string) => number | undefined; nameOf: (deviceId: string) => string },
): string[] {
  const newest = recent[0]?.ts ?? 0;
  const reports = (deviceId: string) => newest - (of.newestOf(deviceId) ?? 0) < STEADY_MS;
  const isSteady = shown.length === recent.length && shown.every(reports);
  const deviceIds = isSteady ? [...shown] : recent.map(({ deviceId }) => deviceId);
  if (!deviceIds.every(reports)) return deviceIds;
  return deviceIds.sort((a, b) => of.nameOf(a).localeCompare(of.nameOf(b)));
}

/** Live state of the whole site, collected outside the components so that 10,000 messages per second cost little. */
export class SitePulse {
  readonly messages = new RateMeter();
  readonly points = new RateMeter();
  /** Times of the newest data by device id, newest last. */
  readonly newest = new Map<string, number>();
  /** Devices whose messages count, but which are not listed. */
  readonly #leftOut = new Set<string>();

  /** Removes a device from the list: the gateway itself always reports. */
  leaveOut(deviceId: string): void {
    this.#leftOut.add(deviceId);
    this.newest.delete(deviceId);
  }

  /** Adds the values of the site before the live connection. */
  learn(devices: readonly Newest[]): void {
    for (const { deviceId, ts } of devices)
      if ((this.newest.get(deviceId) ?? 0) < ts) this.#list(deviceId, ts);
  }

  /** Returns true when devices appeared, vanished or changed their state. */
  handle(message: RealtimeMessage): boolean {
    if (message.type === "snapshot") {
      for (const s of message.telemetry) if (s.ts > 0) this.#list(s.deviceId, s.ts);
      return false;
    }
    if (message.topic === "telemetry") {
      this.#count(message.deviceId, message.ts, Object.keys(message.values).length);
    }
    return message.topic === "devices";
  }

  #count(deviceId: string, ts: number, values: number): void {
    const timeMs = serverNow();
    this.messages.add(1, timeMs);
    this.points.add(values, timeMs);
    this.newest.delete(deviceId);
    this.#list(deviceId, Math.min(ts, timeMs));
  }

  #list(deviceId: string, ts: number): void {
    if (!this.#leftOut.has(deviceId)) this.newest.set(deviceId, ts);
  }

  /** Returns the most recently active devices, newest first. The map is nearly sorted, so few are compared. */
  recent(count: number): Newest[] {
    const found: Newest[] = [];
    for (const [deviceId, ts] of this.newest) {
      const last = found[found.length - 1];
      if (found.length === count && last && ts < last.ts) continue;
      const index = found.findIndex((newest) => newest.ts <= ts);
      found.splice(index === -1 ? found.length : index, 0, { deviceId, ts });
      if (found.length > count) found.pop();
    }
    return found;
  }
}
