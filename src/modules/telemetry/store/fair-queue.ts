/** Long tasks of a tenant that take turns; further ones wait, so that the memory of those that have begun is bounded. */
const LONG_AT_ONCE = 4;

/** The work of one tenant, oldest first. */
interface Lane<Task> {
  readonly tasks: Task[];
  /** Tasks that turned out to be long; the first few have their turns. */
  readonly long: Task[];
  /** True if a long task comes next although others wait. */
  isLongNext: boolean;
  /** Virtual time at which the tenant has had its part: whoever has the least is next. */
  usedMs: number;
}

/** Lanes without work that are remembered, so that many short tasks count as much as a long one. */
const IDLE_LANES_MAX = 1_000;

/** Gives tenants equal parts of the time, whatever they ask for (start-time fair queueing). */
export class FairQueue<Task> {
  readonly #lanes = new Map<string, Lane<Task>>();
  /** Virtual time of the tenant that was served last, before it was. */
  #virtualMs = 0;
  /** Tasks that wait. */
  size = 0;

  add(tenant: string, task: Task): void {
    this.#laneOf(tenant).tasks.push(task);
    this.size++;
  }

  /** Adds a task that is long: from now on it has every second turn of its tenant, together with the other long ones. */
  addLong(tenant: string, task: Task): void {
    this.#laneOf(tenant).long.push(task);
    this.size++;
  }

  /** Adds a long task again that has had a turn. */
  returnLong(tenant: string, task: Task): void {
    this.#laneOf(tenant).long.splice(LONG_AT_ONCE - 1, 0, task);
    this.size++;
  }

  /** Takes the first task of the tenant that has had the least time. */
  take(): { readonly tenant: string; readonly task: Task } | undefined {
    let next: [string, Lane<Task>] | undefined;
    for (const entry of this.#lanes)
      if (isBusy(entry[1]) && entry[1].usedMs < (next?.[1].usedMs ?? Number.POSITIVE_INFINITY)) next = entry;
    const task = next && takeFrom(next[1]);
    if (next === undefined || task === undefined) return undefined;
    this.#virtualMs = next[1].usedMs;
    this.size--;
    return { tenant: next[0], task };
  }

  /** Counts time that a tenant's task has taken. */
  charge(tenant: string, ms: number): void {
    const lane = this.#lanes.get(tenant);
    if (lane !== undefined) lane.usedMs += ms;
  }

  #laneOf(tenant: string): Lane<Task> {
    const lane = this.#lanes.get(tenant) ?? { tasks: [], long: [], isLongNext: false, usedMs: 0 };
    // Time in which a tenant asked for nothing is not saved up.
    if (!isBusy(lane)) lane.usedMs = Math.max(lane.usedMs, this.#virtualMs);
    if (this.#lanes.size > IDLE_LANES_MAX) this.#forgetIdle();
    this.#lanes.set(tenant, lane);
    return lane;
  }

  #forgetIdle(): void {
    for (const [tenant, lane] of this.#lanes)
      if (!isBusy(lane) && lane.usedMs <= this.#virtualMs) this.#lanes.delete(tenant);
  }
}

const isBusy = ({ tasks, long }: Lane<unknown>): boolean => tasks.length + long.length > 0;

function takeFrom<Task>(lane: Lane<Task>): Task | undefined {
  const isLong = lane.long.length > 0 && (lane.isLongNext || lane.tasks.length === 0);
  lane.isLongNext = !isLong;
  return (isLong ? lane.long : lane.tasks).shift();
}
