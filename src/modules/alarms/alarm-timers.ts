import { DeadlineQueue } from "../../lib/deadline-queue.ts";
import type { DeviceId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";

const WAIT_MS_MAX = 3_600_000;
/** Then others get their turn: after a long stop everything is due at once. */
const TAKEN_AT_ONCE_MAX = 200;

/** Calls back for a device once its time has come; of several times of one device the earliest counts. */
export class AlarmTimers {
  readonly #queue = new DeadlineQueue<DeviceId>();
  readonly #queued = new Map<DeviceId, number>();
  #cancel: (() => void) | undefined;
  #wakesAt = Number.POSITIVE_INFINITY;
  #isRunning = false;

  constructor(
    readonly clock: Clock,
    readonly now: () => number,
    readonly onDue: (deviceId: DeviceId) => void,
  ) {}

  start(): void {
    this.#isRunning = true;
    this.#arm();
  }

  stop(): void {
    this.#isRunning = false;
    this.#cancel?.();
    this.#wakesAt = Number.POSITIVE_INFINITY;
  }

  set(deviceId: DeviceId, at: number): void {
    if ((this.#queued.get(deviceId) ?? Number.POSITIVE_INFINITY) <= at) return;
    this.#queued.set(deviceId, at);
    this.#queue.add(at, deviceId);
    this.#arm();
  }

  #arm(): void {
    const next = this.#queue.nextAt();
    if (!this.#isRunning || next === undefined || next >= this.#wakesAt) return;
    this.#cancel?.();
    this.#wakesAt = next;
    const wait = Math.min(Math.max(next - this.now(), 0), WAIT_MS_MAX);
    this.#cancel = this.clock.schedule(wait, () => {
      this.#wakesAt = Number.POSITIVE_INFINITY;
      this.#take();
      this.#arm();
    });
  }

  #take(): void {
    const now = this.now();
    for (let taken = 0; taken < TAKEN_AT_ONCE_MAX; taken++) {
      const due = this.#queue.takeDue(now);
      if (due === undefined) return;
      if (this.#queued.get(due.item) !== due.at) continue; // an earlier one came in between
      this.#queued.delete(due.item);
      this.onDue(due.item);
    }
  }
}
