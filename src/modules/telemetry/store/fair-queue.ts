/** The work of one tenant, oldest first. */
interface Lane<Task> {
  readonly tasks: Task[];
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
    const lane = this.#lanes.get(tenant) ?? { tasks: [], usedMs: 0 };
    // Time in which a tenant asked for nothing is not saved up.
    if (lane.tasks.length === 0) lane.usedMs = Math.max(lane.usedMs, this.#virtualMs);
    if (this.#lanes.size > IDLE_LANES_MAX) this.#forgetIdle();
    this.#lanes.set(tenant, lane);
    lane.tasks.push(task);
    this.size++;
  }

  /** Takes the first task of the tenant that has had the least time. */
  take(): { readonly tenant: string; readonly task: Task } | undefined {
    let next: [string, Lane<Task>] | undefined;
    for (const entry of this.#lanes)
      if (entry[1].tasks.length > 0 && entry[1].usedMs < (next?.[1].usedMs ?? Number.POSITIVE_INFINITY))
        next = entry;
    const task = next?.[1].tasks.shift();
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

  #forgetIdle(): void {
    for (const [tenant, { tasks, usedMs }] of this.#lanes)
      if (tasks.length === 0 && usedMs <= this.#virtualMs) this.#lanes.delete(tenant);
  }
}
