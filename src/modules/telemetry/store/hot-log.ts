import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncPath } from "../../../platform/durable-file.ts";
import type { Definitions } from "./group-format.ts";
import { HotLogFile, type LogRecord } from "./hot-log-file.ts";

/** Form of the data of a record: a group as it is, … */
export const FORM_RAW = 0;
/** … in a zstd frame, … */
export const FORM_ZSTD = 1;
/** … a deletion (JSON) that applies to everything that arrived before it, … */
export const FORM_DELETION = 2;
/** … or a group by columns. */
export const FORM_COLUMNS = 3;

/** So many files that wait to be used again, as many as there are generations of the hot tier, … */
const SPARE_FILES_MAX = 2;
/** … keep this much of their length. */
const SPARE_BYTES_MAX = 16 * 1024 * 1024;
const NOTHING = new Uint8Array(0);

/** A commit as the log keeps it. Ids count up in the order of arrival. */
export interface HotRow {
  readonly id: number;
  readonly form: number;
  readonly data: Uint8Array;
}

export interface HotLogOptions {
  readonly isReadOnly: boolean;
  /** Id up to which everything is in blocks. */
  readonly sealedId: number;
}

/**
 * The write-ahead log of what was committed and is not in blocks yet, in files beside the database. A new file begins when the hot tier is set
 * aside to be sealed. A file is reused once its rows are in blocks: overwriting takes one sync and changes no metadata.
 */
export class HotLog {
  readonly #path: string;
  /** Files that hold what is not sealed, oldest first. */
  readonly #live: HotLogFile[] = [];
  readonly #spare: HotLogFile[] = [];
  /** Damage that was found at the start. */
  readonly damage: string[] = [];
  #nextId: number;
  #durableId: number;
  #beginsFile = false;
  /** Bytes that were appended since the start. */
  bytesAppended = 0;

  /** `path` is that of the database; the files' names begin with it. */
  constructor(path: string, { isReadOnly, sealedId }: HotLogOptions) {
    this.#path = path;
    const files = listFiles(path).map((name) => new HotLogFile(name, { isReadOnly }));
    files.sort((left, right) => left.firstId - right.firstId);
    for (const [index, file] of files.entries()) {
      // If the next file begins no later than right behind the last sealed row, all rows of this file are sealed and need not be read.
      const next = files[index + 1]?.firstId ?? Number.POSITIVE_INFINITY;
      if (next > sealedId + 1 || next === file.firstId) file.scan();
      if (file.count > 0 && file.lastId > sealedId) this.#live.push(file);
      else this.#spare.push(file);
    }
    let id = this.#live[0]?.firstId ?? sealedId + 1;
    for (const { firstId, lastId } of this.#live) {
      if (firstId > id) this.damage.push(`hot rows ${id} to ${firstId - 1} are missing`);
      id = lastId + 1;
    }
    // What a kill left in the cache of the system counts as on the disk from now on.
    if (!isReadOnly) this.#live.at(-1)?.sync();
    this.#nextId = Math.max(id, sealedId + 1);
    this.#durableId = this.#nextId - 1;
  }

  /** Id of the newest row that is on the disk, even if it has been sealed since. */
  get lastId(): number {
    return this.#durableId;
  }

  /** Path of the file whose sync puts everything on the disk that was appended. */
  get newestPath(): string | undefined {
    return this.#live.at(-1)?.path;
  }

  /** Ensures that new rows get ids above this one. */
  skipTo(id: number): void {
    if (id < this.#nextId) return;
    this.#nextId = id + 1;
    this.#durableId = id;
    this.#beginsFile = true;
  }

  /** Appends a row, which `sync` puts on the disk. Returns its id. When it throws nothing of the row stays. */
  append(form: number, data: Uint8Array, definitions: Definitions | null = null): number {
    const text = definitions === null ? NOTHING : new TextEncoder().encode(JSON.stringify(definitions));
    this.#current().append(form, data, text);
    this.bytesAppended += data.length + text.length;
    return this.#nextId++;
  }

  /** Puts all rows on the disk that were appended. */
  sync(): void {
    if (this.#durableId === this.#nextId - 1) return;
    this.#live.at(-1)?.sync();
    this.#durableId = this.#nextId - 1;
  }

  /** Takes note that another thread has put the rows up to this one on the disk. */
  noteDurable(id: number): void {
    this.#durableId = Math.max(this.#durableId, id);
    const file = this.#live.at(-1);
    if (file !== undefined) file.durable = Math.max(file.durable, id - file.firstId + 1);
  }

  /** Syncs the newest file. The next row begins another one. */
  beginFile(): void {
    this.sync();
    this.#beginsFile = true;
  }

  /** Forgets the rows up to this one, which are in blocks that are on the disk. */
  release(id: number): void {
    while (this.#live[0] !== undefined && this.#live[0].lastId <= id && this.#mayRelease()) {
      const file = this.#live.shift()!;
      // Files stay, so that a path means the same file to all threads.
      file.shrink(this.#spare.length < SPARE_FILES_MAX ? SPARE_BYTES_MAX : 0);
      this.#spare.push(file);
    }
  }

  /** Rows behind `after` up to `last`, in the order of arrival, without damaged ones. */
  *rowsBehind(after: number, last: number): Generator<HotRow> {
    for (const file of [...this.#live])
      for (const record of file.records(after + 1, Math.min(last, this.#durableId)))
        if (record.isSound) yield record;
  }

  /** All rows in the order of arrival, damaged ones included. */
  *all(): Generator<LogRecord> {
    for (const file of [...this.#live]) yield* file.records(file.firstId, file.lastId);
  }

  close(): void {
    for (const file of [...this.#live, ...this.#spare]) file.close();
  }

  /** The newest file is written to until another one begins. */
  #mayRelease(): boolean {
    return this.#live.length > 1 || this.#beginsFile;
  }

  #current(): HotLogFile {
    const newest = this.#live.at(-1);
    if (newest !== undefined && !this.#beginsFile) return newest;
    const spare = this.#spare.pop();
    const file = spare ?? this.#create();
    try {
      file.begin(this.#nextId);
    } catch (error) {
      // The disk may be full.
      this.#spare.push(file);
      throw error;
    }
    this.#live.push(file);
    this.#beginsFile = false;
    return file;
  }

  #create(): HotLogFile {
    const names = new Set([...this.#live, ...this.#spare].map(({ path }) => path));
    let number = 1;
    while (names.has(`${this.#path}-hot${number}`)) number++;
    const file = new HotLogFile(`${this.#path}-hot${number}`);
    syncPath(dirname(this.#path));
    return file;
  }
}

/** Paths of the files that belong to a database. */
function listFiles(path: string): string[] {
  const start = `${basename(path)}-hot`;
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(start) && /^\d+$/.test(name.slice(start.length)))
    .map((name) => join(dirname(path), name));
}
