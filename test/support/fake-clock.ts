import { DeadlineQueue } from "../../src/lib/data/deadline-queue.ts";
import type { Clock } from "../../src/platform/time/clock.ts";

/** A clock that only moves when told; due callbacks run in order while it moves. */
export class FakeClock implements Clock {
  #wall: number;
  #monotonic = 0;
  readonly #timers = new DeadlineQueue<{ callback: () => void; cancelled: boolean }>();

  constructor(start = Date.parse("2026-03-01T00:00:00Z")) {
    this.#wall = start;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  schedule(ms: number, callback: () => void): () => void {
    const timer = { callback, cancelled: false };
    this.#timers.add(this.#monotonic + ms, timer);
    return () => {
      timer.cancelled = true;
    };
  }

  advance(ms: number): void {
    const end = this.#monotonic + ms;
    for (let due = this.#timers.takeDue(end); due !== undefined; due = this.#timers.takeDue(end)) {
      const step = Math.max(due.dueAt - this.#monotonic, 0);
      this.#monotonic += step;
      this.#wall += step;
      if (!due.item.cancelled) due.item.callback();
    }
    this.#wall += end - this.#monotonic;
    this.#monotonic = end;
  }

  /**
   * Moves as if the machine had slept: each timer that is due runs once. A program has some 50,000 timers per hour, which take `advance` half a
   * second.
   */
  leap(ms: number): void {
    this.#monotonic += ms;
    this.#wall += ms;
    this.advance(0);
  }

  /** The wall clock alone jumps, as when a gateway without a battery gets the time. */
  jump(ms: number): void {
    this.#wall += ms;
  }
}
