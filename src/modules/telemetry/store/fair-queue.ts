import { FairTurns } from "../../../platform/fair-turns.ts";

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
export class FairQueue<Task> {
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
