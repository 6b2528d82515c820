import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, ftruncateSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { invalid } from "../../lib/core/domain-error.ts";
import { messageOf } from "../../lib/core/error-message.ts";
import { unpackZstd } from "../../lib/data/zstd.ts";
import { isHotLog } from "../../platform/database/hot-log-names.ts";
import { damagedValues } from "../../platform/database/stored-json.ts";
import { writeWhole } from "../../platform/files/data-file.ts";
import { createPrivateFolder, giveToFolderOwner } from "../../platform/files/file-owner.ts";
import { storageFaultOf } from "../../platform/files/storage-fault.ts";
import { checkTelemetryFile, holdsBlocks } from "../telemetry/store/check-file.ts";
import type { Block, PageMap } from "./page-map.ts";
import type { SnapshotDatabase, SnapshotRecord } from "./snapshot.types.ts";
import { BLOCK_BYTES, ensureDatabases, ensureFiles } from "./snapshot-contents.ts";
import { type BackupRepository, isDamage } from "./snapshot-repository.ts";
import { CHUNK_BYTES, chunksOf } from "./snapshot-writer.ts";

/** Bytes after which garbage is collected explicitly: the collector does not know the size of packs and pages. */
const COLLECTED_BYTES = 8 * 1024 * 1024;

type OnProgress = (done: number, total: number) => void;
type OnPage = (database: SnapshotDatabase, page: number, bytes: Uint8Array) => void;

/** Unreadable pages of a database in a pack. */
export interface DamagedPages {
  readonly pack: string;
  readonly database: string;
  readonly pages: number;
}

type OnDamage = (damaged: DamagedPages) => void;

export interface PageReading {
  readonly onPage: OnPage;
  /** Called for each damaged part, instead of throwing. */
  readonly onDamage?: OnDamage | undefined;
  /** Packs to skip. */
  readonly isSkipped?: (pack: string) => boolean;
}

export interface RestoreOptions {
  readonly onProgress?: OnProgress | undefined;
  /** Called for each damaged part, whose pages are zeroed in the restored file. */
  readonly onDamage?: OnDamage | undefined;
}

/** Findings from opening restored databases. */
export interface OpenedReport {
  /** Damage of the data itself, one English line each. */
  readonly problems: readonly string[];
  readonly isTelemetryChecked: boolean;
}

const TELEMETRY = "telemetry.db";

interface PackReads {
  readonly database: SnapshotDatabase;
  readonly map: PageMap;
  readonly block: Block;
  readonly pages: readonly number[];
}

/** Reads the pages of a snapshot, and restores its files. */
export class SnapshotReader {
  readonly #repository: BackupRepository;
  readonly #record: SnapshotRecord;
  readonly #memoryMax: number | undefined;

  /** @param memoryMax max. bytes of memory for the page maps; default: unlimited */
  constructor(repository: BackupRepository, record: SnapshotRecord, memoryMax?: number) {
    this.#repository = repository;
    this.#record = record;
    this.#memoryMax = memoryMax;
  }

  /**
   * Reads every page of the named databases and compares its hash. Each pack is read once.
   * @throws DomainError `invalid` or `not_found` for a missing or damaged page, without `onDamage`
   */
  async readPages(
    names: readonly string[],
    { onPage, onDamage, isSkipped = () => false }: PageReading,
  ): Promise<void> {
    const reads = await this.#readsByPack(names);
    let uncollected = 0;
    for (const [position, blocks] of [...reads].sort(([a], [b]) => a - b)) {
      const pack = this.#record.packs[position]?.name ?? "";
      if (isSkipped(pack)) continue;
      const bytes = await this.#readPack(pack, onDamage !== undefined);
      for (const read of blocks)
        if (bytes === undefined || !readBlock(bytes, read, onPage))
          (onDamage ?? refuse)({ pack, database: read.database.name, pages: read.pages.length });
      uncollected += bytes?.length ?? 0;
      if (uncollected < COLLECTED_BYTES) continue;
      uncollected = 0;
      Bun.gc(true);
    }
  }

  async #readPack(name: string, isTolerant: boolean): Promise<Uint8Array | undefined> {
    try {
      return await this.#repository.target.read(name);
    } catch (error) {
      if (isTolerant && isDamage(error)) return undefined;
      throw error;
    }
  }

  async #readsByPack(names: readonly string[]): Promise<Map<number, PackReads[]>> {
    const maps = await this.#repository.maps(this.#record, this.#memoryMax);
    const reads = new Map<number, PackReads[]>();
    for (const database of this.#record.databases) {
      const map = maps.get(database.name);
      if (!names.includes(database.name) || map === undefined) continue;
      let found = 0;
      for (const [block, pages] of map.livePages()) {
        const list = reads.get(block.pack) ?? [];
        list.push({ database, map, block, pages });
        reads.set(block.pack, list);
        found += pages.length;
      }
      if (map.pages !== database.pages || found !== database.pages)
        throw invalid("backup.object_damaged", { name: this.#record.maps.name });
    }
    return reads;
  }

  /**
   * Restores databases into a folder and compares their checksums.
   * @throws DomainError `invalid` if a restored file differs from the backed-up one, unless `onDamage` was called for it
   */
  async restoreDatabases(
    folder: string,
    names: readonly string[],
    { onProgress, onDamage }: RestoreOptions = {},
  ): Promise<void> {
    createPrivateFolder(folder);
    const files = new Map<string, number>();
    const restored = this.#record.databases.filter(({ name }) => names.includes(name));
    const total = restored.reduce((sum, { pages }) => sum + pages, 0);
    const damaged = new Set<string>();
    let done = 0;
    try {
      for (const { name, pages, pageBytes } of restored) {
        const descriptor = openSync(join(folder, name), "w+", 0o600);
        giveToFolderOwner(join(folder, name));
        files.set(name, descriptor);
        ftruncateSync(descriptor, pages * pageBytes);
      }
      await this.readPages(names, {
        onPage({ name, pageBytes }, page, bytes) {
          const descriptor = files.get(name);
          if (descriptor !== undefined) writeWhole(descriptor, bytes, page * pageBytes);
          onProgress?.(++done, total);
        },
        onDamage:
          onDamage &&
          ((pages) => {
            damaged.add(pages.database);
            onDamage(pages);
          }),
      });
      for (const database of restored) {
        const descriptor = files.get(database.name) ?? 0;
        fsyncSync(descriptor);
        if (!damaged.has(database.name) && sumOf(descriptor, database) !== database.sha256)
          throw invalid("backup.sum_wrong", { name: database.name });
      }
    } finally {
      for (const descriptor of files.values()) closeSync(descriptor);
    }
  }

  /**
   * Restores and opens databases in a folder, and removes the folder afterwards.
   * @throws DomainError like `restoreDatabases`; `invalid` for a snapshot without a database and for a damaged database other than telemetry
   */
  async verify(
    folder: string,
    names = this.#record.databases.map(({ name }) => name),
    onDamage?: OnDamage,
  ): Promise<OpenedReport> {
    ensureDatabases(this.#record);
    ensureFiles(this.#record);
    rmSync(folder, { recursive: true, force: true });
    let damaged = 0;
    const note =
      onDamage &&
      ((pages: DamagedPages) => {
        damaged++;
        onDamage(pages);
      });
    try {
      await this.restoreDatabases(folder, names, { onDamage: note });
      if (damaged > 0) return { problems: this.#record.problems, isTelemetryChecked: false };
      const { problems, isTelemetryChecked } = openDatabases(folder, names);
      return { problems: allProblems(this.#record, problems), isTelemetryChecked };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Restores the small files, such as keys, into a folder. */
  restoreFiles(folder: string): void {
    for (const { path, base64 } of this.#record.files) {
      const file = join(folder, path);
      if (path.split("/").includes("..")) throw invalid("backup.object_damaged", { name: path });
      createPrivateFolder(dirname(file));
      writeFileSync(file, Buffer.from(base64, "base64"), { mode: 0o600, flush: true });
      giveToFolderOwner(file);
    }
  }
}

/** Returns the damage recorded by the backup and the damage found in a copy. */
export const allProblems = ({ problems }: SnapshotRecord, found: readonly string[]): readonly string[] => [
  ...new Set([...problems, ...found]),
];

function refuse({ pack }: DamagedPages): never {
  throw invalid("backup.object_damaged", { name: pack });
}

/** Returns `false` for a damaged block. */
function readBlock(bytes: Uint8Array, read: PackReads, onPage: OnPage): boolean {
  const { database, map, block, pages } = read;
  const { pageBytes } = database;
  let content: Uint8Array;
  try {
    content = unpackZstd(bytes.subarray(block.offset, block.offset + block.length), BLOCK_BYTES);
  } catch {
    return false;
  }
  const found = pages.map((page) => {
    const start = (page - block.firstPage) * pageBytes;
    return { page, bytes: content.subarray(start, start + pageBytes) };
  });
  if (found.some(({ page, bytes }) => Bun.hash.xxHash3(bytes) !== map.hashOf(page))) return false;
  for (const { page, bytes } of found) onPage(database, page, bytes);
  return true;
}

function sumOf(descriptor: number, { name, pages, pageBytes }: SnapshotDatabase): string {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (const { position, length } of chunksOf(name, pages * pageBytes)) {
    const bytes = buffer.subarray(0, length);
    hash.update(bytes.subarray(0, readSync(descriptor, bytes, 0, length, position)));
  }
  return hash.digest("hex");
}

/** Opens restored databases, checks them with SQLite, and decodes every block and row of telemetry. */
function openDatabases(folder: string, names: readonly string[]): OpenedReport {
  const values: string[] = [];
  for (const name of names) {
    if (isHotLog(name) || name === TELEMETRY) continue;
    const path = join(folder, name);
    if (sqliteProblem(path) !== undefined) throw invalid("backup.check_failed", { name });
    values.push(...valueProblems(folder, name));
  }
  return names.includes(TELEMETRY)
    ? { problems: [...values, ...telemetryProblems(join(folder, TELEMETRY))], isTelemetryChecked: true }
    : { problems: values, isTelemetryChecked: false };
}

/** Returns the damaged values of a restored database with an intact structure, one English line for each column. */
export const valueProblems = (folder: string, name: string): string[] =>
  usingCopy(join(folder, name), damagedValues).map((problem) => `${name}: ${problem}`);

/** Returns the damage of a restored telemetry.db and its log. */
export function telemetryProblems(path: string): readonly string[] {
  const problem = sqliteProblem(path);
  try {
    const found = holdsBlocks(path) ? checkTelemetryFile(path).problems : [];
    return [...(problem === undefined ? [] : [problem]), ...found];
  } catch (error) {
    return [problem ?? damageOf(error)];
  } finally {
    removeSideFiles(path);
  }
}

/** Opens a restored database and checks it with SQLite. Returns the error, if any; leaves no side files behind. */
export function sqliteProblem(path: string): string | undefined {
  try {
    return usingCopy(path, (database) => {
      const row = database.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get();
      return row?.quick_check === "ok" ? undefined : (row?.quick_check ?? "no response");
    });
  } catch (error) {
    return damageOf(error);
  }
}

/** Describes the damage of a copy. @throws the error itself if the copy could not be opened, such as on a full disk: the backup is not to blame */
function damageOf(error: unknown): string {
  const fault = storageFaultOf(error);
  if (fault === "full" || fault === "busy" || fault === "denied") throw error;
  return messageOf(error);
}

/** Opens a restored database, and leaves no side files behind. */
function usingCopy<Result>(path: string, work: (database: Database) => Result): Result {
  try {
    const database = new Database(path, { strict: true, readwrite: true, create: false });
    try {
      database.run("PRAGMA synchronous=OFF"); // the file is already on the disk, and nothing is written
      return work(database);
    } finally {
      database.close(false);
    }
  } finally {
    removeSideFiles(path);
  }
}

function removeSideFiles(path: string): void {
  for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
}
