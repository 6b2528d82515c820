/** Work that can be interrupted between any two yields. */
export type Steps<Result> = Generator<void, Result>;

interface Task {
  /** Runs until the next yield; true when finished. */
  step(): boolean;
  readonly cancelled: () => boolean;
}

/** Short enough that a commit which arrives meanwhile hardly waits. */
const sliceMs = 2;
/** Of this many slices one goes to background work when queries keep coming. */
const backgroundEvery = 4;

/**
 * Runs queries and background work in slices and returns to the event loop between them, so that commits, which are
 * handled as they arrive, always go first. Queries take turns; background tasks run one after the other.
 */
export class SliceScheduler {
  readonly #queries: Task[] = [];
  readonly #background: Task[] = [];
  #scheduled = false;
  #slices = 0;
  #stopped = false;

  query<Result>(steps: Steps<Result>, cancelled: () => boolean): Promise<Result> {
    return this.#add(this.#queries, steps, cancelled);
  }

  background<Result>(steps: Steps<Result>): Promise<Result> {
    return this.#add(this.#background, steps, () => false);
  }

  get backgroundBusy(): boolean {
    return this.#background.length > 0;
  }

  /** One slice of background work at once; false when there is none. */
  runBackground(): boolean {
    const task = this.#background.shift();
    if (task === undefined) return false;
    if (!runSlice(task)) this.#background.unshift(task);
    return true;
  }

  stop(): void {
    this.#stopped = true;
  }

  #add<Result>(queue: Task[], steps: Steps<Result>, cancelled: () => boolean): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    queue.push({
      cancelled,
      step() {
        try {
          const { done, value } = steps.next();
          if (done === true) resolve(value);
          return done === true;
        } catch (error) {
          reject(error);
          return true;
        }
      },
    });
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#scheduled || this.#stopped) return;
    this.#scheduled = true;
    setImmediate(() => this.#run());
  }

  #run(): void {
    this.#scheduled = false;
    if (this.#stopped) return;
    this.#slices++;
    const backgroundTurn = this.#slices % backgroundEvery === 0;
    if (this.#queries.length === 0 || (backgroundTurn && this.#background.length > 0)) this.runBackground();
    else this.runQuery();
    if (this.#queries.length > 0 || this.#background.length > 0) this.#schedule();
  }

  /** One slice of the query whose turn it is, if there is one. */
  runQuery(): void {
    const task = this.#queries.shift();
    if (task !== undefined && !runSlice(task)) this.#queries.push(task);
  }
}

/** True when the task has ended. */
function runSlice(task: Task): boolean {
  const end = performance.now() + sliceMs;
  do {
    if (task.cancelled() || task.step()) return true;
  } while (performance.now() < end);
  return false;
}
