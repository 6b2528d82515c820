/** Number of keys above which idle keys are forgotten. Until then they are remembered, so that many short tasks count as much as a long one. */
const IDLE_KEYS_MAX = 1_000;

interface Place<Member> {
  readonly member: Member;
  /** Virtual time: usage of the key; when its work begins, at least the usage of the key that was served last. */
  used: number;
}

/**
 * Gives keys, such as tenants, equal shares (start-time fair queueing): of the keys with work, the key that has used the least is next, however much
 * work the others have. Idle keys save nothing up. A member may contain turns of its own: tenants share a resource, and a tenant's integrations share
 * its part.
 */
export class FairTurns<Member> {
  readonly #create: () => Member;
  readonly #hasWork: (member: Member) => boolean;
  /** Keyed by key; among equals, the key that waits longest comes first. */
  readonly #places = new Map<string, Place<Member>>();
  #now = 0;

  constructor(options: { create: () => Member; hasWork: (member: Member) => boolean }) {
    this.#create = options.create;
    this.#hasWork = options.hasWork;
  }

  /** Returns the member to which work is to be added. */
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

  /** Takes the turn of the key that has used the least, among the keys for which `canGoOn` returns true. */
  next(canGoOn = this.#hasWork): { readonly key: string; readonly member: Member } | undefined {
    let next: [string, Place<Member>] | undefined;
    for (const entry of this.#places)
      if ((next === undefined || entry[1].used < next[1].used) && canGoOn(entry[1].member)) next = entry;
    if (next === undefined) return undefined;
    const [key, place] = next;
    this.#now = place.used;
    this.#places.delete(key);
    this.#places.set(key, place);
    return { key, member: place.member };
  }

  /** Counts what a key has used: time, or a number of requests. */
  charge(key: string, cost: number): void {
    const place = this.#places.get(key);
    if (place !== undefined) place.used += cost;
  }

  #forgetIdle(): void {
    for (const [key, { member, used }] of this.#places)
      if (used <= this.#now && !this.#hasWork(member)) this.#places.delete(key);
  }
}
