import { backOffMs } from "../../../lib/network/retry-policy.ts";
import { serverNow } from "../../platform/now.ts";
import { tellOfAlarm } from "./alarm-alerts.ts";
import { alarmMessage, alarmsApi } from "./alarms-api.ts";

const LISTED_MAX = 100;
const TOLD_MAX = 1_000;
const RETRY = { firstMs: 1_000, maxMs: 60_000 };

/**
 * Signals alarms that were raised without a live message: during a lost connection, or omitted by the server on a slow line. Live messages reveal
 * nothing about earlier alarms, so only a received list advances the time from which alarms are requested.
 */
export class MissedAlarms {
  readonly #random: () => number;
  /** Epoch ms; undefined before the first snapshot. */
  #since: number | undefined;
  /** Epoch ms of the newest signaled raise by alarm id, oldest first. */
  readonly #told = new Map<string, number>();
  #failures = 0;
  #isStopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Signals an alarm with the time of its raise, in epoch ms. */
  tell(alarm: { alarmId: string; name: string; message: string }, raisedAt: number): void {
    if (raisedAt <= (this.#told.get(alarm.alarmId) ?? Number.NEGATIVE_INFINITY)) return;
    this.#told.delete(alarm.alarmId);
    this.#told.set(alarm.alarmId, raisedAt);
    this.#forgetOldest();
    tellOfAlarm(alarm);
  }

  /** Called when the connection has begun, or messages may have been omitted. */
  async onSnapshot(): Promise<void> {
    clearTimeout(this.#timer);
    const asked = serverNow();
    const since = this.#since;
    if (since === undefined) {
      this.#since = asked;
      return;
    }
    try {
      const { rows } = await alarmsApi.list({ status: "ACTIVE_UNACK", limit: LISTED_MAX });
      if (this.#isStopped) return;
      for (const alarm of rows) {
        const raisedAt = Date.parse(alarm.raisedAt);
        if (raisedAt >= since) this.tell({ ...alarm, message: alarmMessage(alarm) }, raisedAt);
      }
      this.#failures = 0;
      this.#since = Math.max(this.#since ?? 0, asked);
    } catch {
      if (this.#isStopped) return;
      // The gateway may still be starting.
      this.#timer = setTimeout(
        () => void this.onSnapshot(),
        backOffMs(++this.#failures, this.#random, RETRY),
      );
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Forgets the oldest alarm, which must not be signaled again. */
  #forgetOldest(): void {
    const [oldest] = this.#told;
    if (oldest === undefined || this.#told.size <= TOLD_MAX) return;
    const [alarmId, toldAt] = oldest;
    this.#told.delete(alarmId);
    if (this.#since !== undefined) this.#since = Math.max(this.#since, toldAt + 1);
  }
}
