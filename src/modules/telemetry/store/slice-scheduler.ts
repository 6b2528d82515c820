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

/** The queries of one tenant. */
interface Lane {
  readonly tasks: Task[];
  /** Virtual time at which the tenant has had its part: whoever has the least is next. */
  usedMs: number;
}

/** Lanes without a query that are remembered, so that many short queries count as much as a long one. */
const IDLE_LANES_MAX = 1_000;

/**
 * Runs queries and background work in slices and returns to the event loop between them, so that commits, which are
 * handled as they arrive, always go first. Tenants share the time of queries equally (start-time fair queueing), and a tenant's
 * queries take turns; background tasks run one after the other.
 */
export class SliceScheduler {
  /** Queries by tenant. */
  readonly #lanes = new Map<string, Lane>();
  #queries = 0;
  /** Virtual time of the tenant that was served last, before it was. */
  #virtualMs = 0;
  readonly #background: Task[] = [];
  #scheduled = false;
  #slices = 0;
  #stopped = false;

  query<Result>(tenant: string, steps: Steps<Result>, cancelled: () => boolean): Promise<Result> {
    this.#queries++;
    return this.#add(this.#laneOf(tenant).tasks, steps, cancelled);
  }

  #laneOf(tenant: string): Lane {
    const lane = this.#lanes.get(tenant) ?? { tasks: [], usedMs: 0 };
    // Time in which a tenant asked for nothing is not saved up.
    if (lane.tasks.length === 0) lane.usedMs = Math.max(lane.usedMs, this.#virtualMs);
    if (this.#lanes.size > IDLE_LANES_MAX) this.#forgetIdle();
    this.#lanes.set(tenant, lane);
    return lane;
  }

  #forgetIdle(): void {
    for (const [tenant, { tasks, usedMs }] of this.#lanes)
      if (tasks.length === 0 && usedMs <= this.#virtualMs) this.#lanes.delete(tenant);
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
    if (this.#queries === 0 || (backgroundTurn && this.#background.length > 0)) this.runBackground();
    else this.runQuery();
    if (this.#queries > 0 || this.#background.length > 0) this.#schedule();
  }

  /** One slice of the query whose turn it is, if there is one. */
  runQuery(): void {
    const lane = this.#nextLane();
    const task = lane?.tasks.shift();
    if (lane === undefined || task === undefined) return;
    this.#virtualMs = lane.usedMs;
    const started = performance.now();
    if (runSlice(task)) this.#queries--;
    else lane.tasks.push(task);
    lane.usedMs += performance.now() - started;
  }

  #nextLane(): Lane | undefined {
    let next: Lane | undefined;
    for (const lane of this.#lanes.values())
      if (lane.tasks.length > 0 && lane.usedMs < (next?.usedMs ?? Number.POSITIVE_INFINITY)) next = lane;
    return next;
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
