import { DeadlineQueue } from "../../../lib/data/deadline-queue.ts";
import type { Clock } from "../../../platform/time/clock.ts";

const WAIT_MS_MAX = 3_600_000;
/** Max. timers run before other work gets its turn; after a long stop, all are due simultaneously. */
const TIMERS_PER_STEP = 200;

/** Calls back for a device (or an alarm) when its time is due; if it has several times, the earliest counts. */
export class AlarmTimers<Id extends string> {
  readonly #queue = new DeadlineQueue<Id>();
  readonly #queued = new Map<Id, number>();
  #cancel: (() => void) | undefined;
  #wakesAt = Number.POSITIVE_INFINITY;
  #isRunning = false;

  constructor(
    readonly clock: Clock,
    readonly now: () => number,
    readonly onDue: (id: Id) => void,
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

  set(id: Id, timeMs: number): void {
    if ((this.#queued.get(id) ?? Number.POSITIVE_INFINITY) <= timeMs) return;
    this.#queued.set(id, timeMs);
    this.#queue.add(timeMs, id);
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
    for (let taken = 0; taken < TIMERS_PER_STEP; taken++) {
      const due = this.#queue.takeDue(now);
      if (due === undefined) return;
      if (this.#queued.get(due.item) !== due.dueAt) continue; // an earlier one came in between
      this.#queued.delete(due.item);
      this.onDue(due.item);
    }
  }
}
