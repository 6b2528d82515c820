/** Max. ms of guarded work per round of the event loop. */
const SHARE_MS = 8;

type Resume = () => void;

interface Waiting {
  readonly length: number;
  /** Removes and returns the next task. Tasks of held owners stay. */
  shift(held: ReadonlyMap<string, number>): Resume | undefined;
}

interface Begun {
  readonly resume: Resume;
  readonly userId: string | undefined;
}

/** Waiting tasks by owner. Owners take turns, regardless of their number of tasks. */
class Turns<Member extends Waiting> implements Waiting {
  /** Owners with waiting tasks; the first one is next. */
  readonly #members = new Map<string, Member>();
  readonly #create: () => Member;

  constructor(create: () => Member) {
    this.#create = create;
  }

  get length(): number {
    return this.#members.size;
  }

  of(owner: string): Member {
    let member = this.#members.get(owner);
    if (member === undefined) {
      member = this.#create();
      this.#members.set(owner, member);
    }
    return member;
  }

  shift(held: ReadonlyMap<string, number>): Resume | undefined {
    for (const [owner, member] of this.#members) {
      const resume = held.has(owner) ? undefined : member.shift(held);
      if (resume === undefined) continue;
      this.#members.delete(owner);
      if (member.length > 0) this.#members.set(owner, member); // behind the others
      return resume;
    }
    return undefined;
  }
}

/** Owner of a waiting task. Tenants take turns, and so do the users of a tenant. */
export interface TaskOwner {
  readonly tenantId: string;
  /** Id of the user, device or integration; the address of unauthenticated senders. */
  readonly userId: string;
}

const nobody: TaskOwner = { tenantId: "", userId: "" };

/**
 * Spreads expensive work of many senders over rounds of the event loop; otherwise, messages and requests that arrive together would be handled in
 * one round of any length. In each round, one waiting task continues. Started and new tasks take turns: started tasks in the order of arrival, new
 * tasks by owner. If a task names its owner when it pauses, new tasks of that owner do not overtake it.
 */
export class FairShare {
  readonly #begun: Begun[] = [];
  /** Owners with waiting started tasks, and the number of these tasks. */
  readonly #held = new Map<string, number>();
  readonly #new = new Turns(() => new Turns<Resume[]>(() => []));
  readonly #now: () => number;
  /** Start time of guarded work in this round. */
  #startedAt: number | undefined;
  #isScheduled = false;
  #isNewNext = true;

  /** @param now returns milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Starts a message or request. Returns undefined if there is time left in this round, otherwise a promise that resolves when the work may start.
   */
  enter({ tenantId, userId } = nobody): Promise<void> | undefined {
    if (this.#begun.length === 0 && this.#new.length === 0 && this.hasTime) return undefined;
    this.#schedule();
    return new Promise((resolve) => this.#new.of(tenantId).of(userId).push(resolve));
  }

  /** Works like `enter`, between the pieces of a task. With an owner, later messages of that owner stay behind this one. */
  pause(owner?: TaskOwner): Promise<void> | undefined {
    return this.hasTime ? undefined : this.next(owner);
  }

  /** Waits for a later round of the event loop in which no other waiting task continues. */
  next(owner?: TaskOwner): Promise<void> {
    const userId = owner?.userId;
    this.#schedule();
    if (userId !== undefined) this.#held.set(userId, (this.#held.get(userId) ?? 0) + 1);
    return new Promise((resume) => this.#begun.push({ resume, userId }));
  }

  /** False when this round's time is used up: work in pieces must pause. */
  get hasTime(): boolean {
    const now = this.#now();
    this.#startedAt ??= now;
    this.#schedule();
    return now - this.#startedAt <= SHARE_MS;
  }

  #take(): Resume | undefined {
    const first = this.#isNewNext || this.#begun.length === 0 ? this.#new.shift(this.#held) : undefined;
    this.#isNewNext = first === undefined;
    return first ?? this.#takeBegun();
  }

  #takeBegun(): Resume | undefined {
    const begun = this.#begun.shift();
    const userId = begun?.userId;
    if (userId !== undefined) {
      const others = (this.#held.get(userId) ?? 1) - 1;
      if (others === 0) this.#held.delete(userId);
      else this.#held.set(userId, others);
    }
    return begun?.resume;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const resume = this.#take();
      this.#startedAt = resume === undefined ? undefined : this.#now();
      if (resume === undefined) return;
      this.#schedule();
      resume();
    });
  }
}

/** Share of all expensive messages and requests. */
export const workShare = new FairShare();
