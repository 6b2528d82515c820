import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { unavailable } from "../../lib/core/domain-error.ts";
import { isHotLog, listHotLogs } from "../../platform/database/hot-log-names.ts";
import { isUnreadableFile, naming } from "../../platform/files/data-file.ts";
import { DATABASE_FILES } from "../../platform/files/inventory.ts";
import { logProblems } from "../telemetry/store/check-file.ts";
import { DatabaseFreezer, type FrozenDatabase } from "./frozen-databases.ts";
import { PackWriter } from "./pack-writer.ts";
import { PageMap } from "./page-map.ts";
import type { Pack, SnapshotDatabase, SnapshotFile, SnapshotRecord } from "./snapshot.types.ts";
import { BLOCK_BYTES, isAllowed } from "./snapshot-contents.ts";
import { type BackupRepository, mapsName, packName } from "./snapshot-repository.ts";

/** Length of a log file's header, which changes whenever the gateway overwrites the file from its start. */
const HEADER_BYTES = 32;
/** Bytes of a page of the gateway's databases and logs. */
export const PAGE_BYTES = 4_096;

/**
 * Detects whether the gateway has reused a file of the hot log, which it does only once the file's rows are in the database. If no file is reused
 * between freeze and end of the copy, the copied files match the frozen database.
 */
export class HotLogWatch {
  readonly #dataPath: string;
  readonly #states: ReadonlyMap<string, FileState>;

  constructor(dataPath: string) {
    this.#dataPath = dataPath;
    this.#states = new Map(listHotLogs(dataPath).map((name) => [name, stateOf(join(dataPath, name))]));
  }

  /** Returns the current files, in pages. Call it when the databases are frozen. */
  files(): (FrozenDatabase & { readonly name: string })[] {
    return listHotLogs(this.#dataPath).flatMap((name) => {
      const path = join(this.#dataPath, name);
      const pages = Math.floor((statSync(path, { throwIfNoEntry: false })?.size ?? 0) / PAGE_BYTES);
      return pages === 0 ? [] : [{ name, path, pageBytes: PAGE_BYTES, pages }];
    });
  }

  /** Returns whether no file was truncated or reused; files may have grown. */
  isUnchanged(): boolean {
    return [...this.#states].every(([name, before]) => {
      const { header, bytes } = stateOf(join(this.#dataPath, name));
      return header === before.header && bytes >= before.bytes;
    });
  }
}

interface FileState {
  /** Hexadecimal. */
  readonly header: string;
  readonly bytes: number;
}

function stateOf(path: string): FileState {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(path, "r");
  try {
    const count = naming(path, () => readSync(descriptor, bytes, 0, HEADER_BYTES, 0));
    return { header: bytes.toString("hex", 0, count), bytes: fstatSync(descriptor).size };
  } finally {
    closeSync(descriptor);
  }
}

/** Files in copying order. Configuration databases come last, so that they are locked for the shortest time: their writers run on the main thread. */
const COPIED_FILES = DATABASE_FILES.toReversed();
/** Bytes copied per step. */
export const CHUNK_BYTES = 512 * 1024;
const TELEMETRY_FILE = "telemetry.db";
/** Share in use below which packs are rewritten, within `REPACK_SHARE` of the pages per run. */
const SPARSE_SHARE = 0.3;
const REPACK_SHARE = 0.05;
const NUMBER_DIGITS = 6;
/** Bytes of compressed blocks after which garbage is collected explicitly: the collector does not know their size. */
const COLLECTED_BYTES = 8 * 1024 * 1024;
/** Max. attempts at copying the log. An attempt fails if the gateway reuses a log file meanwhile. */
const LOG_ATTEMPTS_MAX = 50;

export interface SnapshotWriterOptions {
  readonly dataPath: string;
  readonly lineside: string;
  readonly now: () => number;
  /** Max. bytes read per second. */
  readonly bytesPerSecond: number;
  /**
   * Files of the databases by path. They stay open, because closing a file would drop SQLite's locks on it in this process
   * (https://www.sqlite.org/howtocorrupt.html, 2.2). If absent, the process must not use the databases in any other way.
   */
  readonly descriptors?: ReadonlyMap<string, number>;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Previous snapshot that a snapshot builds on. */
export interface SnapshotBase {
  readonly record: SnapshotRecord;
  readonly maps: Map<string, PageMap>;
}

interface FrozenSources {
  readonly frozen: readonly FrozenDatabase[];
  readonly logs: readonly SnapshotDatabase[];
  /** Losses of the hot log, one English line each, which the copy alone does not show. */
  readonly losses: readonly string[];
}

interface CopiedPart {
  readonly name: string;
  readonly path: string;
  readonly pageBytes: number;
  readonly descriptor: number;
  readonly position: number;
}

/** Copies the databases into packs, without pages that the base already contains. */
export class SnapshotWriter {
  readonly id: string;
  readonly #repository: BackupRepository;
  readonly #options: SnapshotWriterOptions;
  readonly #startedAt = performance.now();
  readonly #packs: PackWriter;
  readonly #maps: Map<string, PageMap>;
  readonly #sparse = new Set<number>();
  /** Pages that the disk cannot read, one English line each. */
  readonly #unreadable = new Set<string>();
  #repackable = 0;
  #bytesRead = 0;
  #uncollected = 0;
  #bytesTotal = 0;

  /** `newestId`: id of the newest snapshot, which may differ from the base. */
  constructor(
    repository: BackupRepository,
    options: SnapshotWriterOptions,
    { base, newestId }: { base: SnapshotBase | undefined; newestId: string | undefined },
  ) {
    this.#repository = repository;
    this.#options = options;
    this.id = nextId(newestId, options.now());
    let number = 0;
    this.#packs = new PackWriter(repository.target, base?.record.packs ?? [], () =>
      packName(`${this.id}-${String(number++).padStart(5, "0")}`),
    );
    this.#maps = base?.maps ?? new Map();
    if (base !== undefined) this.#findSparsePacks(base.record.packs);
  }

  /** Makes the next `write` rewrite all pages in these packs. */
  forget(damaged: ReadonlySet<string>): void {
    const positions = new Set(
      this.#packs.packs.flatMap(({ name }, position) => (damaged.has(name) ? [position] : [])),
    );
    for (const map of this.#maps.values()) map.forget(positions);
  }

  /**
   * Freezes and copies the databases. The record is valid only once committed.
   * @throws DomainError if the target fails or the databases stay busy
   */
  async write(): Promise<SnapshotRecord> {
    const { dataPath, now } = this.#options;
    const freezer = new DatabaseFreezer(COPIED_FILES.map((name) => join(dataPath, name)));
    try {
      const { frozen, logs, losses } = await this.#freeze(freezer);
      const createdAt = now();
      const files = smallFiles(dataPath);
      this.#bytesTotal = [...frozen, ...logs].reduce(
        (sum, { pages, pageBytes }) => sum + pages * pageBytes,
        0,
      );
      const databases = [...logs];
      for (const [index, database] of frozen.entries())
        databases.push(await this.#copy(COPIED_FILES[index] ?? "", database));
      await this.#packs.flush();
      return await this.#writeMaps({
        createdAt,
        databases,
        files,
        problems: [...losses, ...this.#unreadable],
      });
    } finally {
      freezer.release();
    }
  }

  /** Freezes the databases, and copies the hot log before the gateway overwrites it. */
  async #freeze(freezer: DatabaseFreezer): Promise<FrozenSources> {
    for (let attempt = 0; attempt < LOG_ATTEMPTS_MAX; attempt++) {
      const watch = new HotLogWatch(this.#options.dataPath);
      const frozen = await freezer.freeze();
      const logs = await this.#copyLogs(watch);
      if (logs !== undefined)
        return { frozen, logs, losses: logProblems(join(this.#options.dataPath, TELEMETRY_FILE)) };
      freezer.thaw();
    }
    throw unavailable("backup.databases_busy");
  }

  /** Returns `undefined` if the gateway reused or truncated a file meanwhile. */
  async #copyLogs(watch: HotLogWatch): Promise<SnapshotDatabase[] | undefined> {
    const logs: SnapshotDatabase[] = [];
    try {
      for (const { name, ...log } of watch.files()) logs.push(await this.#copy(name, log));
    } catch (error) {
      if (watch.isUnchanged()) throw error;
      return undefined;
    }
    return watch.isUnchanged() ? logs : undefined;
  }

  /** Finds mostly unused packs, so that removed snapshots free their space in time. */
  #findSparsePacks(packs: readonly Pack[]): void {
    const live = new Map<number, number>();
    let total = 0;
    for (const map of this.#maps.values()) {
      map.countLive(live);
      total += map.pages;
    }
    this.#repackable = Math.ceil(total * REPACK_SHARE);
    packs.forEach(({ pages }, pack) => {
      if ((live.get(pack) ?? 0) < pages * SPARSE_SHARE) this.#sparse.add(pack);
    });
  }

  async #copy(name: string, { path, pageBytes, pages }: FrozenDatabase): Promise<SnapshotDatabase> {
    const map = this.#maps.get(name) ?? new PageMap();
    this.#maps.set(name, map);
    map.resize(pages);
    const hash = createHash("sha256");
    const buffer = Buffer.alloc(CHUNK_BYTES);
    const descriptor = this.#options.descriptors?.get(path) ?? openSync(path, "r");
    // SQLite holds no locks on the log, and the copy must be quick.
    const isLog = isHotLog(name);
    for (const { position, length } of chunksOf(name, pages * pageBytes)) {
      const bytes = buffer.subarray(0, length);
      if (this.#read(bytes, { name, path, pageBytes, descriptor, position }) !== length)
        throw unavailable("backup.database_short", { name });
      hash.update(bytes);
      await this.#writeChanged(map, { first: position / pageBytes, pageBytes, bytes });
      if (!isLog) await this.#pause(length);
    }
    if (isLog) closeSync(descriptor);
    return { name, pageBytes, pages, sha256: hash.digest("hex") };
  }

  /**
   * Reads a part of a file. Unreadable pages of telemetry are zeroed in the copy and listed; otherwise one bad sector would end all backups,
   * including the configuration's.
   */
  #read(bytes: Buffer, { name, path, pageBytes, descriptor, position }: CopiedPart): number {
    const read = (from: number, length: number) =>
      naming(path, () => readSync(descriptor, bytes, from, length, position + from));
    try {
      // In front of a bad sector, it ends early without an error.
      const count = read(0, bytes.length);
      if (count === bytes.length || !name.startsWith(TELEMETRY_FILE)) return count;
    } catch (error) {
      if (!name.startsWith(TELEMETRY_FILE) || !isUnreadableFile(error)) throw error;
    }
    for (let from = 0; from < bytes.length; from += pageBytes)
      try {
        const count = read(from, pageBytes);
        if (count < pageBytes) return from + count;
      } catch (error) {
        if (!isUnreadableFile(error)) throw error;
        bytes.fill(0, from, from + pageBytes);
        this.#unreadable.add(`${name}: the page at byte ${position + from} cannot be read`);
      }
    return bytes.length;
  }

  async #writeChanged(
    map: PageMap,
    { first, pageBytes, bytes }: { first: number; pageBytes: number; bytes: Buffer },
  ): Promise<void> {
    const blockPages = BLOCK_BYTES / pageBytes;
    let changed: bigint[] = [];
    const count = bytes.length / pageBytes;
    for (let index = 0; index <= count; index++) {
      const page = first + index;
      const hash =
        index < count
          ? Bun.hash.xxHash3(bytes.subarray(index * pageBytes, (index + 1) * pageBytes))
          : undefined;
      const isChanged = hash !== undefined && !(map.has(page, hash) && !this.#shouldRepack(map, page));
      if (isChanged) changed.push(hash);
      if (changed.length > 0 && (!isChanged || changed.length === blockPages)) {
        const end = isChanged ? index + 1 : index;
        const start = end - changed.length;
        const place = await this.#packs.add(
          bytes.subarray(start * pageBytes, end * pageBytes),
          changed.length,
        );
        map.addBlock({ ...place, firstPage: first + start }, changed);
        changed = [];
      }
    }
  }

  #shouldRepack(map: PageMap, page: number): boolean {
    if (this.#sparse.size === 0 || this.#repackable <= 0) return false;
    const pack = map.packOf(page);
    if (pack === undefined || !this.#sparse.has(pack)) return false;
    this.#repackable--;
    return true;
  }

  /** Limits the rate, letting other work on this thread run. */
  async #pause(bytes: number): Promise<void> {
    this.#bytesRead += bytes;
    this.#options.onProgress?.(this.#bytesRead, this.#bytesTotal);
    this.#uncollected += bytes;
    if (this.#uncollected >= COLLECTED_BYTES) {
      this.#uncollected = 0;
      Bun.gc(true);
    }
    const dueMs = (this.#bytesRead / this.#options.bytesPerSecond) * 1_000;
    await Bun.sleep(Math.max(0, dueMs - (performance.now() - this.#startedAt)));
  }

  async #writeMaps(
    sources: Pick<SnapshotRecord, "createdAt" | "databases" | "files" | "problems">,
  ): Promise<SnapshotRecord> {
    const { createdAt, databases, files, problems } = sources;
    const live = new Map<number, number>();
    for (const { name } of databases) this.#maps.get(name)?.countLive(live);
    const packs = [...live.keys()].sort((a, b) => a - b);
    const positions = new Map(packs.map((pack, index) => [pack, index]));
    const maps = databases.map(({ name }) => (this.#maps.get(name) ?? new PageMap()).encode(positions));
    const mapsObject = await this.#repository.writeMaps(mapsName(this.id), maps);
    const fileBytes = files.reduce((sum, { base64 }) => sum + base64.length, 0);
    return {
      format: 1,
      id: this.id,
      createdAt,
      lineside: this.#options.lineside,
      databases,
      files,
      maps: mapsObject,
      packs: packs.map((pack) => this.#packs.packs[pack] as Pack),
      bytes: this.#bytesTotal + fileBytes,
      addedBytes: this.#packs.addedBytes + mapsObject.bytes + fileBytes,
      isTelemetryChecked: false,
      problems,
    };
  }
}

/**
 * Returns the parts of a file in the order of copying and hashing. A log is copied from its end: because it grows meanwhile, the copy then only
 * lacks the newest records instead of having a gap.
 */
export function chunksOf(name: string, bytes: number): { position: number; length: number }[] {
  const chunks = Array.from({ length: Math.ceil(bytes / CHUNK_BYTES) }, (_, index) => ({
    position: index * CHUNK_BYTES,
    length: Math.min(CHUNK_BYTES, bytes - index * CHUNK_BYTES),
  }));
  return isHotLog(name) ? chunks.reverse() : chunks;
}

/** Returns a snapshot id. Ids are numbered, so that setting the clock back does not make an older snapshot the newest. */
function nextId(newestId: string | undefined, now: number): string {
  const number = Number(newestId?.slice(0, NUMBER_DIGITS) ?? 0) + 1;
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  return `${String(number).padStart(NUMBER_DIGITS, "0")}-${time}-${randomBytes(4).toString("hex")}`;
}

/** Reads `secrets/`, the keys for the sealed data in the databases. */
function smallFiles(dataPath: string): SnapshotFile[] {
  const folder = join(dataPath, "secrets");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => isAllowed(`secrets/${name}`) && lstatSync(join(folder, name)).isFile())
    .map((name) => ({
      path: `secrets/${name}`,
      base64: readFileSync(join(folder, name)).toString("base64"),
    }));
}
