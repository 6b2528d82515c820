import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { invalid } from "../../lib/domain-error.ts";
import { createPrivateFolder, giveToFolderOwner } from "../../platform/file-owner.ts";
import { isHotLog } from "../../platform/hot-log-names.ts";
import type { SnapshotDatabase, SnapshotRecord } from "./backup.types.ts";
import type { Block, PageMap } from "./page-map.ts";
import type { BackupRepository } from "./repository.ts";

/** Packs and pages are garbage that the collector does not see the size of. It is run after this many bytes. */
const COLLECTED_BYTES = 8 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;

/** Names of databases become names of files. */
const DATABASE_NAME = /^[a-z]+\.db(?:-hot\d+)?$/;

type OnProgress = (done: number, total: number) => void;
type OnPage = (database: SnapshotDatabase, page: number, bytes: Uint8Array) => void;

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

  constructor(repository: BackupRepository, record: SnapshotRecord) {
    this.#repository = repository;
    this.#record = record;
  }

  /**
   * Reads every page of the named databases and compares its hash. Each pack is read once. `isSkipped` leaves out packs.
   * @throws DomainError `invalid` for a page that is missing or damaged.
   */
  async readPages(
    names: readonly string[],
    onPage: OnPage,
    isSkipped: (pack: string) => boolean = () => false,
  ): Promise<void> {
    const reads = await this.#readsByPack(names);
    let uncollected = 0;
    for (const [pack, blocks] of [...reads].sort(([a], [b]) => a - b)) {
      const name = this.#record.packs[pack]?.name ?? "";
      if (isSkipped(name)) continue;
      const bytes = await this.#repository.target.read(name);
      for (const read of blocks) readBlock(name, bytes, read, onPage);
      uncollected += bytes.length;
      if (uncollected < COLLECTED_BYTES) continue;
      uncollected = 0;
      Bun.gc(true);
    }
  }

  async #readsByPack(names: readonly string[]): Promise<Map<number, PackReads[]>> {
    const maps = await this.#repository.maps(this.#record);
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
        throw invalid("backup.object_damaged", { name: this.#record.maps });
    }
    return reads;
  }

  /**
   * Restores databases into a folder, compares their sums and opens them.
   * @throws DomainError `invalid` when a restored file is not what was backed up.
   */
  async restoreDatabases(
    folder: string,
    names: readonly string[],
    onProgress: OnProgress = () => undefined,
  ): Promise<void> {
    createPrivateFolder(folder);
    const files = new Map<string, number>();
    const total = this.#record.databases.reduce((sum, { pages }) => sum + pages, 0);
    let done = 0;
    try {
      for (const { name, pages, pageBytes } of this.#record.databases)
        if (names.includes(name)) {
          if (!DATABASE_NAME.test(name)) throw invalid("backup.object_damaged", { name });
          const descriptor = openSync(join(folder, name), "w+", 0o600);
          giveToFolderOwner(join(folder, name));
          files.set(name, descriptor);
          ftruncateSync(descriptor, pages * pageBytes);
        }
      await this.readPages(names, ({ name, pageBytes }, page, bytes) => {
        const descriptor = files.get(name);
        if (descriptor !== undefined) writeSync(descriptor, bytes, 0, pageBytes, page * pageBytes);
        onProgress(++done, total);
      });
      for (const database of this.#record.databases) {
        const descriptor = files.get(database.name);
        if (descriptor === undefined) continue;
        fsyncSync(descriptor);
        if (sumOf(descriptor) !== database.sha256) throw invalid("backup.sum_wrong", { name: database.name });
      }
    } finally {
      for (const descriptor of files.values()) closeSync(descriptor);
    }
    for (const name of files.keys()) checkDatabase(join(folder, name), name);
  }

  /** Restores and opens all databases in a folder, which is removed again. @throws DomainError as `restoreDatabases` */
  async verify(folder: string, names = this.#record.databases.map(({ name }) => name)): Promise<void> {
    rmSync(folder, { recursive: true, force: true });
    try {
      await this.restoreDatabases(folder, names);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Restores everything into a folder. */
  async restore(folder: string, onProgress?: OnProgress): Promise<void> {
    await this.restoreDatabases(
      folder,
      this.#record.databases.map(({ name }) => name),
      onProgress,
    );
    for (const { path, base64 } of this.#record.files) {
      const file = join(folder, path);
      if (path.split("/").includes("..")) throw invalid("backup.object_damaged", { name: path });
      createPrivateFolder(dirname(file));
      writeFileSync(file, Buffer.from(base64, "base64"), { mode: 0o600, flush: true });
      giveToFolderOwner(file);
    }
  }
}

function readBlock(pack: string, bytes: Uint8Array, read: PackReads, onPage: OnPage): void {
  const { database, map, block, pages } = read;
  let content: Uint8Array;
  try {
    content = Bun.zstdDecompressSync(bytes.subarray(block.offset, block.offset + block.length));
  } catch {
    throw invalid("backup.object_damaged", { name: pack });
  }
  for (const page of pages) {
    const start = (page - block.firstPage) * database.pageBytes;
    const found = content.subarray(start, start + database.pageBytes);
    if (Bun.hash.xxHash3(found) !== map.hashOf(page)) throw invalid("backup.object_damaged", { name: pack });
    onPage(database, page, found);
  }
}

function sumOf(descriptor: number): string {
  const hash = createHash("sha256");
  const bytes = Buffer.alloc(READ_BYTES);
  for (let position = 0; ; ) {
    const count = readSync(descriptor, bytes, 0, bytes.length, position);
    if (count === 0) return hash.digest("hex");
    hash.update(bytes.subarray(0, count));
    position += count;
  }
}

/** Opens a restored database and has SQLite check it. Leaves no side files behind. */
function checkDatabase(path: string, name: string): void {
  if (isHotLog(name)) return; // its rows have checksums of their own
  const database = new Database(path, { strict: true, readwrite: true, create: false });
  try {
    database.run("PRAGMA synchronous=OFF"); // the file is complete on the disk, and nothing is written here
    const row = database.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get();
    if (row?.quick_check !== "ok") throw invalid("backup.check_failed", { name });
  } finally {
    database.close(false);
    for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
  }
}
