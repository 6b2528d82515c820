/** Number of keys above which idle keys are forgotten. Below it they are kept, so that many short tasks count as much as a long one. */
const IDLE_KEYS_MAX = 1_000;

interface Turn<Member> {
  readonly member: Member;
  /** Virtual time: usage of the key. When its work begins, at least the usage of the most recently served key. */
  used: number;
}

/**
 * Gives keys, such as tenants, equal shares (start-time fair queueing): among keys with work, the least used key is next, regardless of the amount
 * of work of others. Idle keys do not accumulate a claim. A member may contain turns of its own: tenants share a resource, and the integrations of a
 * tenant share its part.
 */
export class FairTurns<Member> {
  readonly #create: () => Member;
  readonly #hasWork: (member: Member) => boolean;
  /** Keyed by key. Among equal usage, the key with the longest wait is first. */
  readonly #places = new Map<string, Turn<Member>>();
  #now = 0;

  constructor(options: { create: () => Member; hasWork: (member: Member) => boolean }) {
    this.#create = options.create;
    this.#hasWork = options.hasWork;
  }

  /** Returns the member of a key, to which work can be added. */
  of(key: string): Member {
    const place = this.#places.get(key) ?? { member: this.#create(), used: this.#now };
    if (!this.#hasWork(place.member)) place.used = Math.max(place.used, this.#now);
    if (this.#places.size > IDLE_KEYS_MAX) this.#forgetIdle();
    this.#places.set(key, place);
    return place.member;
  }

  find(key: string): Member | undefined {
    return this.#places.get(key)?.member;
  }

  *[Symbol.iterator](): Generator<[key: string, member: Member]> {
    for (const [key, { member }] of this.#places) yield [key, member];
  }

  /** Takes the turn of the least used key for which `canGoOn` returns true. */
  next(canGoOn = this.#hasWork): { readonly key: string; readonly member: Member } | undefined {
    let next: [string, Turn<Member>] | undefined;
    for (const entry of this.#places)
      if ((next === undefined || entry[1].used < next[1].used) && canGoOn(entry[1].member)) next = entry;
    if (next === undefined) return undefined;
    const [key, place] = next;
    this.#now = place.used;
    this.#places.delete(key);
    this.#places.set(key, place);
    return { key, member: place.member };
  }

  /** Counts usage of a key: time, or a number of requests. */
  charge(key: string, cost: number): void {
    const place = this.#places.get(key);
    if (place !== undefined) place.used += cost;
  }

  #forgetIdle(): void {
    for (const [key, { member, used }] of this.#places)
      if (used <= this.#now && !this.#hasWork(member)) this.#places.delete(key);
  }
}
