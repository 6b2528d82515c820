import type { DeviceId, TenantId } from "../../lib/ids.ts";
import { addressGroup } from "../../lib/network-address.ts";
import { shownName } from "../../lib/secret-hint.ts";
import type { IdentityKind, Refusal, RefusalEntry } from "./refusals.types.ts";

/*
 * Refusals, aggregated and bounded. Strangers decide how many different ones there are, so that each address has a share: what it
 * tries beyond its share is counted in one entry. When the list is full, the address with the most entries loses its oldest one.
 */

export interface RefusalListLimits {
  readonly entriesMax: number;
  /** Identities that are listed of one address (IPv4, or the first 64 bits of IPv6); further ones are counted together. */
  readonly perAddressMax: number;
  /** An entry this old makes room for a new one of the same address. */
  readonly staleMs: number;
}

/** Entries of one address, the one that was refused longest ago first. */
type Holder = Map<string, RefusalEntry>;

const keyOf = ({ edge, reason, address, identity, deviceId, userId }: Refusal): string =>
  `${edge} ${reason} ${address} ${identity.kind} ${deviceId ?? userId ?? ""} ${identity.name}`;

const shownClient = ({ client }: Refusal) => (client === undefined ? undefined : shownName(client));

/** What is known to belong to a tenant, and what strangers make up, are two pools: neither pushes the other out of its half. */
class Pool {
  readonly #holders = new Map<string, Holder>();
  /** Addresses by their number of entries; among equal ones the address that was refused longest ago comes first. */
  readonly #bySize: Array<Set<string>> = [];
  size = 0;

  find(address: string, key: string): RefusalEntry | undefined {
    return this.#holders.get(address)?.get(key);
  }

  sizeOf(address: string): number {
    return this.#holders.get(address)?.size ?? 0;
  }

  add(address: string, key: string, entry: RefusalEntry): void {
    const holder: Holder = this.#holders.get(address) ?? new Map();
    this.#holders.set(address, holder);
    this.#move(address, holder, () => holder.set(key, entry));
    this.size++;
  }

  /** Moves an entry and its address to the end of their orders. */
  touch(address: string, key: string, entry: RefusalEntry): void {
    const holder = this.#holders.get(address);
    if (holder === undefined) return;
    this.#move(address, holder, () => {
      holder.delete(key);
      holder.set(key, entry);
    });
  }

  oldestOf(address: string): RefusalEntry | undefined {
    return this.#holders.get(address)?.values().next().value;
  }

  removeOldestOf(address: string): RefusalEntry | undefined {
    const key = this.#holders.get(address)?.keys().next().value;
    return key === undefined ? undefined : this.remove(address, key);
  }

  remove(address: string, key: string): RefusalEntry | undefined {
    const holder = this.#holders.get(address);
    const entry = holder?.get(key);
    if (holder === undefined || entry === undefined) return undefined;
    this.#move(address, holder, () => holder.delete(key));
    if (holder.size === 0) this.#holders.delete(address);
    this.size--;
    return entry;
  }

  /** Returns the address that must give up an entry. */
  largest(): string | undefined {
    for (let size = this.#bySize.length - 1; size > 0; size--) {
      const address = this.#bySize[size]?.values().next().value;
      if (address !== undefined) return address;
    }
    return undefined;
  }

  *entries(): Generator<[address: string, key: string, entry: RefusalEntry]> {
    for (const [address, holder] of this.#holders)
      for (const [key, entry] of holder) yield [address, key, entry];
  }

  #move(address: string, holder: Holder, change: () => void): void {
    this.#bySize[holder.size]?.delete(address);
    change();
    const set = this.#bySize[holder.size] ?? new Set();
    this.#bySize[holder.size] = set;
    if (holder.size > 0) set.add(address);
  }
}

export class RefusalList {
  readonly #limits: RefusalListLimits;
  readonly #newId: () => string;
  readonly #known = new Pool();
  readonly #strangers = new Pool();
  readonly #changed = new Set<RefusalEntry>();
  readonly #removed = new Set<string>();
  /** Ids of entries that are stored: what came and went between two flushes is never written. */
  readonly #stored = new Set<string>();

  constructor(limits: RefusalListLimits, newId: () => string) {
    this.#limits = limits;
    this.#newId = newId;
  }

  get size(): number {
    return this.#known.size + this.#strangers.size;
  }

  /** Counts a refusal and returns its entry. `portOf` is asked for new entries. */
  record(refusal: Refusal, now: number, portOf: () => number | undefined = () => undefined): RefusalEntry {
    const pool = this.#poolOf(refusal);
    const address = addressGroup(refusal.address);
    const key = keyOf(refusal);
    const existing = pool.find(address, key);
    if (existing !== undefined) {
      existing.client = shownClient(refusal);
      return this.#count(pool, existing, { address, key, now });
    }
    if (pool.sizeOf(address) >= this.#limits.perAddressMax && !this.#dropStale(pool, address, now))
      return this.#recordAmongOthers(pool, refusal, { address, now, portOf });
    return this.#add(pool, refusal, { address, key, now, portOf });
  }

  /** Takes in what was stored. Entries beyond the limit of a smaller list are dropped. */
  restore(entries: readonly RefusalEntry[]): void {
    for (const entry of entries) {
      this.#poolOf(entry).add(addressGroup(entry.address), keyOf(entry), entry);
      this.#stored.add(entry.refusalId);
    }
    this.#trim();
  }

  /** Returns all entries, the newest first. */
  list(): RefusalEntry[] {
    return [...this.#all()].map(([, , entry]) => entry).sort((left, right) => right.lastAt - left.lastAt);
  }

  /** Removes what belonged to a tenant that was deleted. */
  removeTenant(tenantId: TenantId): void {
    this.#removeWhere((entry) => entry.tenantId === tenantId);
  }

  removeDevice(deviceId: DeviceId): void {
    this.#removeWhere((entry) => entry.deviceId === deviceId);
  }

  /** Returns what has to be stored and deleted since the previous call succeeded. */
  changes(): { readonly saved: readonly RefusalEntry[]; readonly removed: readonly string[] } {
    return { saved: [...this.#changed], removed: [...this.#removed] };
  }

  /** Forgets the changes: they were stored. */
  stored(): void {
    for (const { refusalId } of this.#changed) this.#stored.add(refusalId);
    for (const refusalId of this.#removed) this.#stored.delete(refusalId);
    this.#changed.clear();
    this.#removed.clear();
  }

  *#all() {
    yield* this.#known.entries();
    yield* this.#strangers.entries();
  }

  #poolOf({ tenantId }: Refusal): Pool {
    return tenantId === undefined ? this.#strangers : this.#known;
  }

  #count(
    pool: Pool,
    entry: RefusalEntry,
    origin: { address: string; key: string; now: number },
  ): RefusalEntry {
    entry.count++;
    entry.lastAt = origin.now;
    pool.touch(origin.address, origin.key, entry);
    this.#changed.add(entry);
    return entry;
  }

  #recordAmongOthers(
    pool: Pool,
    refusal: Refusal,
    origin: { address: string; now: number; portOf: () => number | undefined },
  ): RefusalEntry {
    const { edge, reason, protocol, tenantId } = refusal;
    const kind: IdentityKind = refusal.identity.kind === "shared_name" ? "shared_name" : "others"; // stays hidden
    const identity = { kind, name: "" };
    // The whole group of an IPv6 address counts together: one machine has as many addresses as it likes.
    const others: Refusal = { edge, reason, protocol, tenantId, address: origin.address, identity };
    const key = keyOf(others);
    const existing = pool.find(origin.address, key);
    return existing === undefined
      ? this.#add(pool, others, { ...origin, key })
      : this.#count(pool, existing, { ...origin, key });
  }

  #add(
    pool: Pool,
    refusal: Refusal,
    origin: { address: string; key: string; now: number; portOf: () => number | undefined },
  ): RefusalEntry {
    const entry: RefusalEntry = {
      ...refusal,
      client: shownClient(refusal),
      refusalId: this.#newId(),
      port: origin.portOf(),
      firstAt: origin.now,
      lastAt: origin.now,
      count: 1,
    };
    pool.add(origin.address, origin.key, entry);
    this.#changed.add(entry);
    this.#trim();
    return entry;
  }

  /** Returns whether the address gave up an old entry for a new one. */
  #dropStale(pool: Pool, address: string, now: number): boolean {
    const oldest = pool.oldestOf(address);
    if (oldest === undefined || Math.abs(now - oldest.lastAt) < this.#limits.staleMs) return false;
    this.#forget(pool.removeOldestOf(address));
    return true;
  }

  #trim(): void {
    const half = this.#limits.entriesMax / 2;
    while (this.size > this.#limits.entriesMax) {
      const pool = this.#known.size > half ? this.#known : this.#strangers;
      this.#forget(pool.removeOldestOf(pool.largest() ?? ""));
    }
  }

  #removeWhere(matches: (entry: RefusalEntry) => boolean): void {
    const found = [...this.#known.entries()].filter(([, , entry]) => matches(entry));
    for (const [address, key] of found) this.#forget(this.#known.remove(address, key));
  }

  #forget(entry: RefusalEntry | undefined): void {
    if (entry === undefined) return;
    this.#changed.delete(entry);
    if (this.#stored.has(entry.refusalId)) this.#removed.add(entry.refusalId);
  }
}
