import { FairTurns } from "../../../platform/load/fair-turns.ts";

/** Long tasks of a tenant that take turns; further ones wait, so that the memory of those that have begun is bounded. */
const LONG_AT_ONCE = 4;

/** The work of one tenant, oldest first. */
interface Lane<Task> {
  readonly tasks: Task[];
  /** Tasks that turned out to be long; the first few have their turns. */
  readonly long: Task[];
  /** True if a long task comes next although others wait. */
  isLongNext: boolean;
}

/** Tasks of tenants, which share the time equally. */
class FairQueue<Task> {
  readonly #lanes = new FairTurns<Lane<Task>>({
    create: () => ({ tasks: [], long: [], isLongNext: false }),
    hasWork: ({ tasks, long }) => tasks.length + long.length > 0,
  });
  /** Tasks that wait. */
  size = 0;

  add(tenant: string, task: Task): void {
    this.#lanes.of(tenant).tasks.push(task);
    this.size++;
  }

  /** Adds a task that is long: from now on it has every second turn of its tenant, together with the other long ones. */
  addLong(tenant: string, task: Task): void {
    this.#lanes.of(tenant).long.push(task);
    this.size++;
  }

  /** Adds a long task again that has had a turn. */
  returnLong(tenant: string, task: Task): void {
    this.#lanes.of(tenant).long.splice(LONG_AT_ONCE - 1, 0, task);
    this.size++;
  }

  /** Takes the first task of the tenant that has had the least time. */
  take(): { readonly tenant: string; readonly task: Task } | undefined {
    const next = this.#lanes.next();
    const task = next && takeFrom(next.member);
    if (next === undefined || task === undefined) return undefined;
    this.size--;
    return { tenant: next.key, task };
  }

  /** Counts time that a tenant's task has taken. */
  charge(tenant: string, ms: number): void {
    this.#lanes.charge(tenant, ms);
  }
}

function takeFrom<Task>(lane: Lane<Task>): Task | undefined {
  const isLong = lane.long.length > 0 && (lane.isLongNext || lane.tasks.length === 0);
  lane.isLongNext = !isLong;
  return (isLong ? lane.long : lane.tasks).shift();
}

/** Work that can be interrupted between any two yields. */
export type Steps<Result> = Generator<void, Result>;

interface Task {
  /** Runs until the next yield; true when finished. */
  step(): boolean;
  readonly cancelled: () => boolean;
  slices: number;
}

/** Short enough that a commit which arrives meanwhile hardly waits. */
const SLICE_MS = 2;
/** Slices after which a query is long. */
const LONG_AFTER_SLICES = 4;
/** Number of slices of which one goes to background work while queries keep coming. */
const BACKGROUND_EVERY = 4;

/**
 * Runs queries and background work in slices and returns to the event loop between them, so that commits, which are
 * handled as they arrive, always go first. Tenants share the time equally. A tenant's queries take turns, but only a few of its long ones simultaneously;
 * of all background tasks one runs to its end before the next one begins.
 */
export class SliceScheduler {
  readonly #queries = new FairQueue<Task>();
  readonly #background = new FairQueue<Task>();
  /** The background task that has begun. */
  #begun: { readonly tenant: string; readonly task: Task } | undefined;
  readonly #now: () => number;
  #scheduled = false;
  #slices = 0;
  #stopped = false;

  /** `now` is a clock in milliseconds, by which slices are measured. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** `isLong` is for a query that takes much memory as soon as it begins. */
  query<Result>(
    tenant: string,
    steps: Steps<Result>,
    cancelled: () => boolean,
    isLong = false,
  ): Promise<Result> {
    const { task, result } = taskOf(steps, cancelled);
    if (isLong) {
      task.slices = LONG_AFTER_SLICES;
      this.#queries.addLong(tenant, task);
    } else this.#queries.add(tenant, task);
    this.#schedule();
    return result;
  }

  background<Result>(tenant: string, steps: Steps<Result>): Promise<Result> {
    const { task, result } = taskOf(steps, () => false);
    this.#background.add(tenant, task);
    this.#schedule();
    return result;
  }

  /** Runs one slice of background work; false when there is none. */
  runBackground(): boolean {
    this.#begun ??= this.#background.take();
    if (this.#begun === undefined) return false;
    const { tenant, task } = this.#begun;
    if (this.#runSlice(this.#background, tenant, task)) this.#begun = undefined;
    return true;
  }

  /** Runs one slice of the next query, if there is one. */
  runQuery(): void {
    const next = this.#queries.take();
    if (next === undefined) return;
    const { tenant, task } = next;
    if (this.#runSlice(this.#queries, tenant, task)) return;
    task.slices++;
    if (task.slices < LONG_AFTER_SLICES) this.#queries.add(tenant, task);
    else if (task.slices === LONG_AFTER_SLICES) this.#queries.addLong(tenant, task);
    else this.#queries.returnLong(tenant, task);
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Runs one slice in the tenant's time; true when the task has ended. */
  #runSlice(queue: FairQueue<Task>, tenant: string, task: Task): boolean {
    const started = this.#now();
    let hasEnded = false;
    do hasEnded = task.cancelled() || task.step();
    while (!hasEnded && this.#now() < started + SLICE_MS);
    queue.charge(tenant, this.#now() - started);
    return hasEnded;
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
    const isBackgroundSlice = this.#slices % BACKGROUND_EVERY === 0;
    if (this.#queries.size === 0 || (isBackgroundSlice && this.#hasBackground)) this.runBackground();
    else this.runQuery();
    if (this.#queries.size > 0 || this.#hasBackground) this.#schedule();
  }
}

function taskOf<Result>(
  steps: Steps<Result>,
  cancelled: () => boolean,
): { readonly task: Task; readonly result: Promise<Result> } {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const step = () => {
    try {
      const { done, value } = steps.next();
      if (done === true) resolve(value);
      return done === true;
    } catch (error) {
      reject(error);
      return true;
    }
  };
  return { task: { step, cancelled, slices: 0 }, result: promise };
}
