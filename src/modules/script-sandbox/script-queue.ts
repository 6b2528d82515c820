import { FairTurns } from "../../platform/fair-turns.ts";
import type { ScriptOwner } from "./script-sandbox.types.ts";

interface Waiting<T> {
  /** Oldest first. */
  readonly items: T[];
}

interface Tenant<T> {
  readonly keys: FairTurns<Waiting<T>>;
  size: number;
}

const createKeys = <T>() =>
  new FairTurns<Waiting<T>>({ create: () => ({ items: [] }), hasWork: ({ items }) => items.length > 0 });

/**
 * Waiting scripts. Tenants have equal shares of processor time and room, and so do the keys of a tenant; the items of a key are served in order. If
 * there is no room, the newest item of the fullest key of the fullest tenant is removed.
 */
export class ScriptQueue<T> {
  readonly #perKeyMax: number;
  readonly #max: number;
  readonly #tenants = new FairTurns<Tenant<T>>({
    create: () => ({ keys: createKeys(), size: 0 }),
    hasWork: ({ size }) => size > 0,
  });
  #size = 0;

  constructor(limits: { perKeyMax: number; max: number }) {
    this.#perKeyMax = limits.perKeyMax;
    this.#max = limits.max;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the item for which there is no room: the new item, or an item that waited; undefined if there is room for all. */
  add({ tenantId, key }: ScriptOwner, item: T): T | undefined {
    const tenant = this.#tenants.of(tenantId);
    const { items } = tenant.keys.of(key);
    if (items.length >= this.#perKeyMax) return item;
    items.push(item);
    tenant.size++;
    this.#size++;
    return this.#size > this.#max ? this.#displace(tenant, items) : undefined;
  }

  /** Returns the next item of the key that has used the least, of the tenant that has used the least. */
  take(): T | undefined {
    const turn = this.#tenants.next();
    const item = turn?.member.keys.next()?.member.items.shift();
    if (turn === undefined || item === undefined) return undefined;
    turn.member.size--;
    this.#size--;
    return item;
  }

  /** Adds the cost of a run to the time of its owner. */
  charge({ tenantId, key }: ScriptOwner, ms: number): void {
    this.#tenants.charge(tenantId, ms);
    this.#tenants.find(tenantId)?.keys.charge(key, ms);
  }

  /** Removes an item. Among equals, the item that was just added is removed. */
  #displace(newest: Tenant<T>, newestItems: T[]): T | undefined {
    let fullest = newest;
    for (const [, tenant] of this.#tenants) if (tenant.size > fullest.size) fullest = tenant;
    let items = fullest === newest ? newestItems : [];
    for (const [, waiting] of fullest.keys) if (waiting.items.length > items.length) items = waiting.items;
    fullest.size--;
    this.#size--;
    return items.pop();
  }
}
