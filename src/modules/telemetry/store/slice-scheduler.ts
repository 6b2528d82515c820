import { FairQueue } from "./fair-queue.ts";

/** Work that can be interrupted between any two yields. */
export type Steps<Result> = Generator<void, Result>;

interface Task {
  /** Runs until the next yield; true when finished. */
  step(): boolean;
  readonly cancelled: () => boolean;
}

/** Short enough that a commit which arrives meanwhile hardly waits. */
const sliceMs = 2;
/** Number of slices of which one goes to background work while queries keep coming. */
const backgroundEvery = 4;

/**
 * Runs queries and background work in slices and returns to the event loop between them, so that commits, which are
 * handled as they arrive, always go first. Tenants share the time equally. A tenant's queries take turns; of all background tasks
 * one runs to its end before the next one begins.
 */
export class SliceScheduler {
  readonly #queries = new FairQueue<Task>();
  readonly #background = new FairQueue<Task>();
  /** The background task that has begun. */
  #begun: { readonly tenant: string; readonly task: Task } | undefined;
  #scheduled = false;
  #slices = 0;
  #stopped = false;

  query<Result>(tenant: string, steps: Steps<Result>, cancelled: () => boolean): Promise<Result> {
    return this.#add(this.#queries, tenant, { steps, cancelled });
  }

  background<Result>(tenant: string, steps: Steps<Result>): Promise<Result> {
    return this.#add(this.#background, tenant, { steps, cancelled: () => false });
  }

  /** Runs one slice of background work; false when there is none. */
  runBackground(): boolean {
    this.#begun ??= this.#background.take();
    if (this.#begun === undefined) return false;
    const { tenant, task } = this.#begun;
    if (runMeasuredSlice(this.#background, tenant, task)) this.#begun = undefined;
    return true;
  }

  /** Runs one slice of the next query, if there is one. */
  runQuery(): void {
    const next = this.#queries.take();
    if (next === undefined) return;
    const { tenant, task } = next;
    if (!runMeasuredSlice(this.#queries, tenant, task)) this.#queries.add(tenant, task);
  }

  stop(): void {
    this.#stopped = true;
  }

  #add<Result>(
    queue: FairQueue<Task>,
    tenant: string,
    work: { readonly steps: Steps<Result>; readonly cancelled: () => boolean },
  ): Promise<Result> {
    const { steps, cancelled } = work;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    queue.add(tenant, {
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

  get #hasBackground(): boolean {
    return this.#begun !== undefined || this.#background.size > 0;
  }

  #run(): void {
    this.#scheduled = false;
    if (this.#stopped) return;
    this.#slices++;
    const isBackgroundSlice = this.#slices % backgroundEvery === 0;
    if (this.#queries.size === 0 || (isBackgroundSlice && this.#hasBackground)) this.runBackground();
    else this.runQuery();
    if (this.#queries.size > 0 || this.#hasBackground) this.#schedule();
  }
}

/** Runs one slice in the tenant's time; true when the task has ended. */
function runMeasuredSlice(queue: FairQueue<Task>, tenant: string, task: Task): boolean {
  const started = performance.now();
  const hasEnded = runSlice(task, started + sliceMs);
  queue.charge(tenant, performance.now() - started);
  return hasEnded;
}

/** Returns `true` if the task has ended. */
function runSlice(task: Task, end: number): boolean {
  do {
    if (task.cancelled() || task.step()) return true;
  } while (performance.now() < end);
  return false;
}
