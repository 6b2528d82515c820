import type { SnapshotRecord } from "./backup.types.ts";
import type { PageMap } from "./page-map.ts";
import type { PlaceCheck } from "./place-check.ts";
import { type BackupRepository, isDamage, mapsName } from "./repository.ts";

/** Ids of older snapshots after a repair. */
export interface Repairs {
  readonly repaired: string[];
  /** Snapshots that can only be restored in part. */
  readonly damaged: string[];
}

const positionsOf = (record: SnapshotRecord, isMeant: (name: string) => boolean): Set<number> =>
  new Set(record.packs.flatMap(({ name }, position) => (isMeant(name) ? [position] : [])));

/**
 * Lets older snapshots read unchanged pages of damaged packs from the newest snapshot, which rewrote these pages from
 * the live data.
 */
export class SnapshotRepair {
  readonly #repository: BackupRepository;
  readonly #check: PlaceCheck;
  readonly #newest: SnapshotRecord;
  #newestMaps: ReadonlyMap<string, PageMap> | undefined;

  constructor(repository: BackupRepository, check: PlaceCheck, newest: SnapshotRecord) {
    this.#repository = repository;
    this.#check = check;
    this.#newest = newest;
  }

  async run(records: readonly SnapshotRecord[]): Promise<Repairs> {
    const repairs: Repairs = { repaired: [], damaged: [] };
    for (const record of records) {
      if (this.#check.isWhole(record)) continue;
      const isRepaired = !this.#check.damaged.has(record.maps.name) && (await this.#repair(record));
      repairs[isRepaired ? "repaired" : "damaged"].push(record.id);
    }
    return repairs;
  }

  /** Returns whether the snapshot is complete again. */
  async #repair(record: SnapshotRecord): Promise<boolean> {
    const maps = await this.#mapsOf(record);
    if (maps === undefined) return false;
    this.#newestMaps ??= await this.#repository.maps(this.#newest);
    const lost = positionsOf(record, (name) => this.#check.damaged.has(name));
    const packs = [...record.packs];
    const positions = new Map<number, number>();
    this.#newest.packs.forEach((pack, position) => {
      if (!this.#check.damaged.has(pack.name)) positions.set(position, packs.push(pack) - 1);
    });
    let missing = 0;
    for (const [name, map] of maps) {
      const source = this.#newestMaps.get(name);
      if (source !== undefined) missing += map.adopt(source, lost, positions);
      else missing += map.pages;
    }
    await this.#rewrite(record, maps, packs);
    return missing === 0;
  }

  async #mapsOf(record: SnapshotRecord): Promise<ReadonlyMap<string, PageMap> | undefined> {
    try {
      return await this.#repository.maps(record);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#check.note(record.maps.name);
      return undefined;
    }
  }

  async #rewrite(
    record: SnapshotRecord,
    maps: ReadonlyMap<string, PageMap>,
    packs: SnapshotRecord["packs"],
  ): Promise<void> {
    const live = new Map<number, number>();
    for (const map of maps.values()) map.countLive(live);
    const used = [...live.keys()].sort((a, b) => a - b);
    // The name contains the run's id: if the record is not written, cleanup removes these maps with the run's other objects.
    const name = mapsName(`${this.#newest.id}-for-${record.id}`);
    const renumbered = new Map(used.map((position, index) => [position, index]));
    const encoded = record.databases.flatMap((database) => maps.get(database.name)?.encode(renumbered) ?? []);
    await this.#repository.commit({
      ...record,
      maps: await this.#repository.writeMaps(name, encoded),
      packs: used.flatMap((position) => packs[position] ?? []),
    });
  }
}
