interface Lane {
  running: number;
  /** Start functions of waiting tasks; the first one is next. Patient tasks wait for all others. */
  readonly waiting: Array<() => void>;
  readonly patient: Array<() => void>;
}

export interface LaneTask {
  /** Aborted when no caller waits for the task. */
  readonly signal?: AbortSignal | undefined;
  /** Waits for all tasks that are not patient. */
  readonly isPatient?: boolean;
}

/** Runs the tasks of each owner, such as a user, a few at a time and in order. Owners do not wait for each other. */
export class Lanes {
  readonly #atOnceMax: number;
  /** Keyed by owner; owners without tasks are removed. */
  readonly #lanes = new Map<string, Lane>();

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax;
  }

  /** Returns the number of an owner's waiting tasks, either patient or impatient. */
  waiting(owner: string, isPatient = false): number {
    return this.#lanes.get(owner)?.[isPatient ? "patient" : "waiting"].length ?? 0;
  }

  /** Returns whether another task of the owner would have to wait. */
  isFull(owner: string): boolean {
    return (this.#lanes.get(owner)?.running ?? 0) >= this.#atOnceMax;
  }

  /** Runs a task when its turn comes. @throws the reason of the signal if no caller waits then */
  async run<Result>(owner: string, task: () => Promise<Result>, how: LaneTask = {}): Promise<Result> {
    const lane = this.#lanes.get(owner) ?? { running: 0, waiting: [], patient: [] };
    this.#lanes.set(owner, lane);
    const queue = how.isPatient ? lane.patient : lane.waiting;
    if (lane.running < this.#atOnceMax) lane.running++;
    else await new Promise<void>((begin) => queue.push(begin)); // a finished task passes on its place
    try {
      how.signal?.throwIfAborted();
      return await task();
    } finally {
      const next = lane.waiting.shift() ?? lane.patient.shift();
      if (next !== undefined) next();
      else if (--lane.running === 0) this.#lanes.delete(owner);
    }
  }
}
