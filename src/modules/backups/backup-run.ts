import { statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { invalid } from "../../lib/core/domain-error.ts";
import { isHotLog, listHotLogs } from "../../platform/database/hot-log-names.ts";
import { DATABASE_FILES } from "../../platform/files/inventory.ts";
import type { PageMap } from "./page-map.ts";
import { PlaceCheck } from "./place-check.ts";
import type { BackupResult, SnapshotDatabase, SnapshotRecord } from "./snapshot.types.ts";
import { SnapshotReader } from "./snapshot-reader.ts";
import {
  type BackupRepository,
  isDamage,
  mapsName,
  packName,
  type Survey,
  writtenFor,
} from "./snapshot-repository.ts";
import {
  PAGE_BYTES,
  type SnapshotBase,
  SnapshotWriter,
  type SnapshotWriterOptions,
} from "./snapshot-writer.ts";

/** Ids of older snapshots after a repair. */
interface Repairs {
  readonly repaired: string[];
  /** Snapshots that can only be restored partially. */
  readonly damaged: string[];
}

/** Min. pages of a snapshot whose page maps a run reads; about 5 GB. */
const PAGES_MAX_MIN = 1_200_000;
/** Page maps of a much larger snapshot than the gateway are not read, because they would take its memory. */
const GROWTH_MAX = 2;

const pagesOf = ({ databases }: SnapshotRecord): number =>
  databases.reduce((sum, { pages }) => sum + pages, 0);

/** Returns the max. pages of snapshots of a gateway with this data. */
function pagesMaxOf(dataPath: string): number {
  const pages = [...DATABASE_FILES, ...listHotLogs(dataPath)]
    .map((name) => statSync(join(dataPath, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, bytes) => sum + Math.ceil(bytes / PAGE_BYTES), 0);
  return Math.max(PAGES_MAX_MIN, GROWTH_MAX * pages);
}

const positionsOf = (record: SnapshotRecord, isMeant: (name: string) => boolean): Set<number> =>
  new Set(record.packs.flatMap(({ name }, position) => (isMeant(name) ? [position] : [])));

/**
 * Lets older snapshots read unchanged pages of damaged packs from the newest snapshot, which rewrote these pages from
 * the live data.
 */
class SnapshotRepair {
  readonly #repository: BackupRepository;
  readonly #check: PlaceCheck;
  readonly #newest: SnapshotRecord;
  readonly #pagesMax: number;
  #newestMaps: ReadonlyMap<string, PageMap> | undefined;

  constructor(
    repository: BackupRepository,
    { check, newest, pagesMax }: { check: PlaceCheck; newest: SnapshotRecord; pagesMax: number },
  ) {
    this.#repository = repository;
    this.#check = check;
    this.#newest = newest;
    this.#pagesMax = pagesMax;
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
    if (pagesOf(record) > this.#pagesMax) return undefined;
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

/** Max. bytes of databases that are restored and opened after every backup; `opensAll` includes larger ones. */
const OPENED_BYTES_MAX = 64 * 1024 * 1024;
/** Bytes that a check leaves free on the disk. */
const SPARE_BYTES = 32 * 1024 * 1024;
const CHECK_FOLDER = "backup-check";
/** Max. attempts at a snapshot; each avoids the packs that the previous attempt found damaged. */
const ATTEMPTS_MAX = 3;

export interface BackupRunOptions extends SnapshotWriterOptions {
  /** True to restore and open every database of any size. */
  readonly opensAll: boolean;
  /** Max. days until every stored object is read back. */
  readonly verifyDays: number;
}

/**
 * Writes a snapshot into a repository and verifies the repository: damaged objects are rewritten from the live data, which also repairs older
 * snapshots.
 */
export class BackupRun {
  readonly #repository: BackupRepository;
  readonly #options: BackupRunOptions;
  readonly #startedAt = performance.now();
  readonly #pagesMax: number;

  constructor(repository: BackupRepository, options: BackupRunOptions) {
    this.#repository = repository;
    this.#options = options;
    this.#pagesMax = pagesMaxOf(options.dataPath);
  }

  /**
   * Writes the snapshot, reads new objects back, opens databases from it, and commits it only then.
   * @throws DomainError if the target fails, the databases stay busy or the check fails; earlier snapshots are unchanged
   */
  async run(): Promise<BackupResult> {
    const survey = await this.#repository.survey();
    const { now, verifyDays } = this.#options;
    const place = new PlaceCheck(this.#repository, survey, { now: now(), verifyDays });
    await place.run();
    const { record, opened } = await this.#write(survey, place);
    await this.#repository.commit(record);
    const repair = new SnapshotRepair(this.#repository, {
      check: place,
      newest: record,
      pagesMax: this.#pagesMax,
    });
    const { repaired, damaged } = await repair.run(survey.records);
    await place.save();
    const { id, createdAt, bytes, addedBytes, problems } = record;
    return {
      id,
      createdAt,
      bytes,
      addedBytes,
      problems,
      opened: opened.filter((name) => !isHotLog(name)),
      openedAll: opened.length === record.databases.length,
      place: {
        checkedObjects: place.checkedObjects,
        damagedObjects: [...survey.unreadable, ...place.damaged],
        repairedSnapshots: repaired,
        damagedSnapshots: [...survey.unreadable.flatMap((name) => writtenFor(name)?.id ?? []), ...damaged],
      },
      durationMs: performance.now() - this.#startedAt,
    };
  }

  async #write(
    survey: Survey,
    place: PlaceCheck,
  ): Promise<{ record: SnapshotRecord; opened: readonly string[] }> {
    const ids = [
      ...survey.records.map(({ id }) => id),
      ...survey.unreadable.flatMap((name) => writtenFor(name)?.id ?? []),
    ];
    const writer = new SnapshotWriter(this.#repository, this.#options, {
      base: await this.#base(survey, place),
      newestId: ids.sort().at(-1),
    });
    for (let attempt = 1; ; attempt++) {
      writer.forget(place.damaged);
      const record = await writer.write();
      const found = new Set<string>();
      const verified = await this.#verify(record, found);
      if (found.size === 0) return verified;
      const [first = ""] = found;
      const isNew = [...found].some((name) => name.startsWith(packName(writer.id)));
      if (isNew || attempt === ATTEMPTS_MAX) throw invalid("backup.object_damaged", { name: first });
      for (const name of found) place.note(name);
    }
  }

  /** Returns the newest snapshot with readable page maps. */
  async #base({ records }: Survey, place: PlaceCheck): Promise<SnapshotBase | undefined> {
    for (const record of records.toReversed()) {
      if (place.damaged.has(record.maps.name) || pagesOf(record) > this.#pagesMax) continue;
      try {
        return { record, maps: await this.#repository.maps(record) };
      } catch (error) {
        if (!isDamage(error)) throw error;
        place.note(record.maps.name);
      }
    }
    return undefined;
  }

  /** Reads new objects back, then restores and opens databases. Adds damaged packs to `found`, and then skips the rest. */
  async #verify(
    record: SnapshotRecord,
    found: Set<string>,
  ): Promise<{ record: SnapshotRecord; opened: readonly string[] }> {
    const reader = new SnapshotReader(this.#repository, record);
    const onDamage = ({ pack }: { pack: string }) => void found.add(pack);
    await reader.readPages(
      record.databases.map(({ name }) => name),
      {
        onPage: () => undefined,
        onDamage,
        isSkipped: (pack) => !pack.startsWith(packName(record.id)),
      },
    );
    const opened = this.#opened(record.databases);
    if (found.size > 0) return { record, opened };
    const { problems, isTelemetryChecked } = await reader.verify(
      join(this.#options.dataPath, CHECK_FOLDER),
      opened,
      onDamage,
    );
    return { record: { ...record, problems, isTelemetryChecked }, opened };
  }

  /** Returns the databases to open, telemetry including its log, as far as the disk has space. */
  #opened(databases: readonly SnapshotDatabase[]): string[] {
    const { dataPath, opensAll } = this.#options;
    const { bavail, bsize } = statfsSync(dataPath);
    const room = bavail * bsize - SPARE_BYTES;
    const bytesMax = opensAll ? room : Math.min(room, OPENED_BYTES_MAX);
    let total = 0;
    const opened = databases
      .map(({ name, pages, pageBytes }) => ({ name, bytes: pages * pageBytes }))
      .sort((a, b) => Number(isHotLog(b.name)) - Number(isHotLog(a.name)) || a.bytes - b.bytes)
      .filter(({ bytes }) => {
        total += bytes;
        return total <= bytesMax;
      });
    return databases
      .map(({ name }) => name)
      .filter((name) => opened.some((database) => database.name === name));
  }
}
