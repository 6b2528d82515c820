import { FairTurns } from "../../../../platform/load/fair-turns.ts";

/** Max. simultaneous long tasks of a tenant; others wait, which limits the memory in use. */
const LONG_PARALLEL_MAX = 4;

/** Work of one tenant, oldest first. */
interface Lane<Task> {
  readonly tasks: Task[];
  /** Long tasks; the first few take turns. */
  readonly long: Task[];
  /** True if a long task is next although others wait. */
  isLongNext: boolean;
}

/** Queue of tenants' tasks, which share the time equally. */
class FairQueue<Task> {
  readonly #lanes = new FairTurns<Lane<Task>>({
    create: () => ({ tasks: [], long: [], isLongNext: false }),
    hasWork: ({ tasks, long }) => tasks.length + long.length > 0,
  });
  /** Number of waiting tasks. */
  size = 0;

  add(tenant: string, task: Task): void {
    this.#lanes.of(tenant).tasks.push(task);
    this.size++;
  }

  /** Adds a long task; from now on it shares every second turn of its tenant with the other long tasks. */
  addLong(tenant: string, task: Task): void {
    this.#lanes.of(tenant).long.push(task);
    this.size++;
  }

  /** Requeues a long task after its turn. */
  returnLong(tenant: string, task: Task): void {
    this.#lanes.of(tenant).long.splice(LONG_PARALLEL_MAX - 1, 0, task);
    this.size++;
  }

  /** Takes the first task of the tenant with the least used time. */
  take(): { readonly tenant: string; readonly task: Task } | undefined {
    const next = this.#lanes.next();
    const task = next && takeFrom(next.member);
    if (next === undefined || task === undefined) return undefined;
    this.size--;
    return { tenant: next.key, task };
  }

  /** Charges time to a tenant. */
  charge(tenant: string, ms: number): void {
    this.#lanes.charge(tenant, ms);
  }
}

function takeFrom<Task>(lane: Lane<Task>): Task | undefined {
  const isLong = lane.long.length > 0 && (lane.isLongNext || lane.tasks.length === 0);
  lane.isLongNext = !isLong;
  return (isLong ? lane.long : lane.tasks).shift();
}

/** Work that can be interrupted at any yield. */
export type Steps<Result> = Generator<void, Result>;

interface Task {
  /** Runs until the next yield. Returns true when finished. */
  step(): boolean;
  readonly cancelled: () => boolean;
  slices: number;
}

/** Duration of a slice in ms; a commit that arrives meanwhile hardly waits. */
const SLICE_MS = 2;
/** Slices after which a query counts as long. */
const LONG_AFTER_SLICES = 4;
/** One of this many slices goes to background work while queries keep arriving. */
const BACKGROUND_EVERY = 4;

/**
 * Runs queries and background work in slices and returns to the event loop in between, so that commits, which are handled on arrival, always go
 * first. Tenants share the time equally. A tenant's queries take turns, but only a few long ones simultaneously; background tasks run one after the
 * other.
 */
export class SliceScheduler {
  readonly #queries = new FairQueue<Task>();
  readonly #background = new FairQueue<Task>();
  /** Background task in progress. */
  #begun: { readonly tenant: string; readonly task: Task } | undefined;
  readonly #now: () => number;
  #scheduled = false;
  #slices = 0;
  #stopped = false;

  /** `now`: clock in ms for the length of slices. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** `isLong`: true for a query that needs much memory at its start. */
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

  /** Runs one slice of background work. Returns false if there is none. */
  runBackground(): boolean {
    this.#begun ??= this.#background.take();
    if (this.#begun === undefined) return false;
    const { tenant, task } = this.#begun;
    if (this.#runSlice(this.#background, tenant, task)) this.#begun = undefined;
    return true;
  }

  /** Runs one slice of the next query, if any. */
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

  /** Runs one slice in the tenant's time. Returns true when the task has ended. */
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
