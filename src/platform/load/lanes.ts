interface Lane {
  running: number;
  /** Begin waiting tasks; the first one is next. */
  readonly waiting: Array<() => void>;
}

/** Runs the tasks of each owner, such as a user, a few at a time and in order. Owners do not wait for each other. */
export class Lanes {
  readonly #atOnceMax: number;
  /** Keyed by owner; owners without tasks are removed. */
  readonly #lanes = new Map<string, Lane>();

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax;
  }

  /** Runs a task when its turn comes. @throws the signal's reason if nobody waits for the task any more when its turn comes */
  async run<Result>(owner: string, task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const lane = this.#lanes.get(owner) ?? { running: 0, waiting: [] };
    this.#lanes.set(owner, lane);
    if (lane.running < this.#atOnceMax) lane.running++;
    else await new Promise<void>((begin) => lane.waiting.push(begin));
    try {
      signal?.throwIfAborted();
      return await task();
    } finally {
      const next = lane.waiting.shift();
      if (next !== undefined) next();
      else if (--lane.running === 0) this.#lanes.delete(owner);
    }
  }
}
