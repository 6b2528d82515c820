import type { TenantId } from "../../lib/core/ids.ts";
import { addressGroup } from "../../lib/network/network-address.ts";
import { placeText } from "../../lib/strings/sample-text.ts";
import { shownName } from "../../lib/strings/secret-hint.ts";
import type { Params } from "../../lib/texts/text.ts";
import type { Fault, FaultEntry, FaultFilter, FaultSubject } from "./faults.types.ts";

/*
 * Aggregated, bounded list of faults. Because unauthenticated senders and broken devices determine the number of different faults, each holder has a
 * share: a device or other object for its faults, an address for the credentials that it tried. When the list is full, the tenant with the most
 * entries loses the oldest entry of its largest holder. Entries without a tenant share one pool, which counts as a tenant.
 */

export interface FaultListLimits {
  readonly entriesMax: number;
  /** Max. entries per object, or per address (IPv4, or the first 64 bits of IPv6). */
  readonly perHolderMax: number;
  /** Age in ms from which an entry makes room for a new one of the same address. */
  readonly staleMs: number;
}

interface Holder {
  /** Entries by key, least recent occurrence first. */
  readonly entries: Map<string, FaultEntry>;
  /** True if a fault occurred again since the holder was last moved to the end of the order. */
  isTouched: boolean;
}

/** Location of an entry. */
interface EntryLocation {
  readonly pool: Pool;
  readonly holder: string;
  readonly key: string;
}

interface Occurrence extends EntryLocation {
  readonly now: number;
  readonly portOf: () => number | undefined;
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Parameters with a part of the message: its beginning, or a timestamp from it. */
const MESSAGE_PARAMS = new Set(["sample", "stamp", "number"]);

/**
 * Returns parameters without numbers and times, which are measurements (sizes, counts, waits), and without message parts, so that faults that only
 * differ in these share an entry.
 */
const withoutMeasurements = (params: Params): string =>
  JSON.stringify(params, (name, value: unknown) =>
    typeof value === "number" || (typeof value === "string" && (TIME.test(value) || MESSAGE_PARAMS.has(name)))
      ? undefined
      : value,
  );

const subjectKey = ({ kind, id }: Pick<FaultSubject, "kind" | "id">): string => `${kind} ${id}`;

const keyOf = ({ source, code, params, subject, where, identity, address }: Fault): string =>
  [
    source,
    code,
    withoutMeasurements(params),
    subject === undefined ? "" : subjectKey(subject),
    where ?? "",
    identity === undefined ? "" : `${identity.kind} ${identity.name}`,
    address ?? "",
  ].join("\n");

/** Returns the holder of a fault: the signed-in subject. An unverified claim is held by its address, which could claim any identity. */
const holderOf = ({ source, subject, identity, address }: Fault): string => {
  if (subject !== undefined && identity === undefined) return subjectKey(subject);
  return address === undefined ? source : addressGroup(address);
};

/** Truncates topics and addresses, which may be long and contain any characters. */
const bounded = (fault: Fault): Fault =>
  fault.where === undefined ? fault : { ...fault, where: placeText(fault.where) };

const shownClient = ({ client }: Fault) => (client === undefined ? undefined : shownName(client));

/** Entries of one tenant, or without a tenant. */
class Pool {
  readonly #holders = new Map<string, Holder>();
  /** Holders by number of entries; among equal ones, the holder with the oldest new entry comes first. */
  readonly #bySize: Array<Set<string>> = [];
  size = 0;

  find(holder: string, key: string): FaultEntry | undefined {
    return this.#holders.get(holder)?.entries.get(key);
  }

  sizeOf(holder: string): number {
    return this.#holders.get(holder)?.entries.size ?? 0;
  }

  add(holder: string, key: string, entry: FaultEntry): void {
    const held: Holder = this.#holders.get(holder) ?? { entries: new Map(), isTouched: false };
    this.#holders.set(holder, held);
    this.#move(holder, held, () => held.entries.set(key, entry));
    this.size++;
  }

  /** Moves an entry to the end of the order. Its holder is moved only when it would be the next to give up an entry, which costs less. */
  touch(holder: string, key: string, entry: FaultEntry): void {
    const held = this.#holders.get(holder);
    if (held === undefined) return;
    held.isTouched = true;
    held.entries.delete(key);
    held.entries.set(key, entry);
  }

  oldestOf(holder: string): FaultEntry | undefined {
    return this.#holders.get(holder)?.entries.values().next().value;
  }

  remove(holder: string, key: string): void {
    const held = this.#holders.get(holder);
    if (held?.entries.has(key) !== true) return;
    this.#move(holder, held, () => held.entries.delete(key));
    if (held.entries.size === 0) this.#holders.delete(holder);
    this.size--;
  }

  /** Returns the entry to give up: the oldest entry of the largest holder. */
  superfluous(): FaultEntry | undefined {
    const largest = this.#bySize.findLast((holders) => holders.size > 0) ?? new Set();
    // A holder that was moved to the end is visited again after the others.
    for (const name of largest) {
      const holder = this.#holders.get(name);
      if (holder?.isTouched !== true) return this.oldestOf(name);
      this.#move(name, holder, () => undefined);
    }
    return undefined;
  }

  /** Moves a holder to the end of the holders with equally many entries after the change. */
  #move(name: string, holder: Holder, change: () => void): void {
    const { entries } = holder;
    this.#bySize[entries.size]?.delete(name);
    change();
    holder.isTouched = false;
    const set = this.#bySize[entries.size] ?? new Set();
    this.#bySize[entries.size] = set;
    if (entries.size > 0) set.add(name);
  }
}

/** Returns entries, newest first; for equal times, the later entry comes first. */
const newestFirst = (entries: Iterable<FaultEntry>): FaultEntry[] =>
  [...entries].reverse().sort((left, right) => right.lastAt - left.lastAt);

const isWithin = (time: number, { from, to }: Pick<FaultFilter, "from" | "to">): boolean =>
  time >= (from ?? Number.NEGATIVE_INFINITY) && time <= (to ?? Number.POSITIVE_INFINITY);

/** Returns whether an entry meets all conditions of a filter. */
export const matchesFault = ({ source, code, subject, lastAt }: FaultEntry, filter: FaultFilter): boolean =>
  (filter.source === undefined || filter.source === source) &&
  (filter.code === undefined || filter.code === code) &&
  (filter.subject === undefined || filter.subject === subject?.kind) &&
  (filter.subjectId === undefined || filter.subjectId === subject?.id) &&
  isWithin(lastAt, filter);

export class FaultList {
  readonly #limits: FaultListLimits;
  readonly #newId: () => string;
  /** Pools by tenant; `undefined` for entries without one. */
  readonly #pools = new Map<TenantId | undefined, Pool>();
  readonly #places = new Map<FaultEntry, EntryLocation>();
  readonly #bySubject = new Map<string, Set<FaultEntry>>();
  readonly #changed = new Set<FaultEntry>();
  readonly #removed = new Set<string>();
  /** Ids of stored entries; entries that come and go between two flushes are never written. */
  readonly #stored = new Set<string>();

  constructor(limits: FaultListLimits, newId: () => string) {
    this.#limits = limits;
    this.#newId = newId;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Counts a fault and returns its entry. `portOf` is called for new entries. */
  record(reported: Fault, now: number, portOf: () => number | undefined = () => undefined): FaultEntry {
    const fault = bounded(reported);
    const pool = this.#poolOf(fault.tenantId);
    const occurrence = { pool, holder: holderOf(fault), key: keyOf(fault), now, portOf };
    const existing = pool.find(occurrence.holder, occurrence.key);
    if (existing !== undefined) return this.#count(existing, fault, occurrence);
    if (pool.sizeOf(occurrence.holder) < this.#limits.perHolderMax) return this.#add(fault, occurrence);
    if (!this.#makesRoom(fault, occurrence)) return this.#recordAmongOthers(fault, occurrence);
    return this.#add(fault, occurrence);
  }

  /** Restores stored entries, least recent occurrence first. Entries beyond the limit of a smaller list are dropped. */
  restore(entries: readonly FaultEntry[]): void {
    for (const entry of entries) {
      this.#stored.add(entry.faultId);
      this.#keep(entry, { pool: this.#poolOf(entry.tenantId), holder: holderOf(entry), key: keyOf(entry) });
    }
    this.#trim();
  }

  /** Returns all entries, newest first. */
  list(): FaultEntry[] {
    return newestFirst(this.#places.keys());
  }

  /** Returns the entries about one object, newest first. */
  about(subject: Pick<FaultSubject, "kind" | "id">): FaultEntry[] {
    return newestFirst(this.#bySubject.get(subjectKey(subject)) ?? []);
  }

  removeTenant(tenantId: TenantId): void {
    this.remove([...this.#places.keys()].filter((entry) => entry.tenantId === tenantId));
    this.#pools.delete(tenantId);
  }

  removeAbout(subject: Pick<FaultSubject, "kind" | "id">): void {
    this.remove(this.about(subject));
  }

  remove(entries: readonly FaultEntry[]): void {
    for (const entry of entries) this.#forget(entry);
  }

  /** Returns the entries to be stored and deleted. `isUrgent` excludes mere counts and entries that strangers could cause at any rate. */
  changes(isUrgent = false): { readonly saved: readonly FaultEntry[]; readonly removed: readonly string[] } {
    const saved = [...this.#changed];
    return {
      saved: isUrgent
        ? saved.filter(
            ({ faultId, tenantId, identity }) =>
              tenantId !== undefined && identity === undefined && !this.#stored.has(faultId),
          )
        : saved,
      removed: [...this.#removed],
    };
  }

  /** Forgets changes that were stored. */
  stored({ saved, removed }: ReturnType<FaultList["changes"]>): void {
    for (const entry of saved) {
      this.#stored.add(entry.faultId);
      this.#changed.delete(entry);
    }
    for (const faultId of removed) {
      this.#stored.delete(faultId);
      this.#removed.delete(faultId);
    }
  }

  #poolOf(tenantId: TenantId | undefined): Pool {
    const existing = this.#pools.get(tenantId);
    if (existing !== undefined) return existing;
    const pool = new Pool();
    this.#pools.set(tenantId, pool);
    return pool;
  }

  #count(entry: FaultEntry, fault: Fault, { pool, holder, key, now }: Occurrence): FaultEntry {
    entry.count += fault.count ?? 1;
    entry.lastAt = now;
    entry.params = fault.params;
    entry.client = shownClient(fault);
    if (fault.sample !== undefined) entry.sample = fault.sample;
    pool.touch(holder, key, entry);
    this.#changed.add(entry);
    return entry;
  }

  #add(fault: Fault, occurrence: Occurrence): FaultEntry {
    const { now, portOf } = occurrence;
    const entry: FaultEntry = {
      ...fault,
      client: shownClient(fault),
      faultId: this.#newId(),
      port: portOf(),
      firstAt: now,
      lastAt: now,
      count: fault.count ?? 1,
    };
    this.#keep(entry, occurrence);
    this.#changed.add(entry);
    this.#trim();
    return entry;
  }

  #keep(entry: FaultEntry, { pool, holder, key }: EntryLocation): void {
    pool.add(holder, key, entry);
    this.#places.set(entry, { pool, holder, key });
    if (entry.subject === undefined) return;
    const about = this.#bySubject.get(subjectKey(entry.subject)) ?? new Set();
    this.#bySubject.set(subjectKey(entry.subject), about.add(entry));
  }

  /** Returns whether a holder that has used up its share gives up its oldest entry: an object always, an address only for a stale one. */
  #makesRoom({ identity }: Fault, { pool, holder, now }: Occurrence): boolean {
    const oldest = pool.oldestOf(holder);
    if (oldest === undefined) return false;
    if (identity !== undefined && Math.abs(now - oldest.lastAt) < this.#limits.staleMs) return false;
    this.#forget(oldest);
    return true;
  }

  /** Records a fault of an address. The whole prefix of an IPv6 address counts together, because one machine can use any number of addresses. */
  #recordAmongOthers(fault: Fault, occurrence: Occurrence): FaultEntry {
    const { source, code, protocol, tenantId, count = 1 } = fault;
    const kind = fault.identity?.kind === "shared_name" ? "shared_name" : "others"; // stays hidden
    const identity = { kind, name: "" } as const;
    const group = { address: occurrence.holder, identity };
    const others: Fault = { source, code, params: {}, protocol, tenantId, count, ...group };
    const key = keyOf(others);
    const existing = occurrence.pool.find(occurrence.holder, key);
    return existing === undefined
      ? this.#add(others, { ...occurrence, key })
      : this.#count(existing, others, { ...occurrence, key });
  }

  #trim(): void {
    while (this.size > this.#limits.entriesMax) {
      let largest: Pool | undefined;
      for (const pool of this.#pools.values()) if (pool.size > (largest?.size ?? 0)) largest = pool;
      const entry = largest?.superfluous();
      if (entry === undefined) return;
      this.#forget(entry);
    }
  }

  #forget(entry: FaultEntry): void {
    const place = this.#places.get(entry);
    if (place === undefined) return;
    place.pool.remove(place.holder, place.key);
    this.#places.delete(entry);
    this.#changed.delete(entry);
    if (this.#stored.has(entry.faultId)) this.#removed.add(entry.faultId);
    if (entry.subject === undefined) return;
    const about = this.#bySubject.get(subjectKey(entry.subject));
    if (about?.delete(entry) === true && about.size === 0) this.#bySubject.delete(subjectKey(entry.subject));
  }
}
