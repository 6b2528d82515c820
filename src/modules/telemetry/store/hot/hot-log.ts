import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { iso } from "../../../../lib/time/iso-time.ts";
import { syncPath } from "../../../../platform/files/durable-file.ts";
import { setAside } from "../../../../platform/files/set-aside.ts";
import type { Definitions } from "./group-format.ts";
import { HOT_LOG_MARK, HotLogFile, type LogRecord } from "./hot-log-file.ts";
import type { Gap, RecordHead } from "./hot-log-format.ts";
import { HotLogPosition, type LogPlace, type LogPosition, readPosition } from "./hot-log-position.ts";

const placeOf = ({ id, valuesBefore, values, time }: RecordHead): LogPlace => ({
  id,
  values: valuesBefore + values,
  time,
});

/** Returns the place right before a record. */
const placeBefore = ({ id, valuesBefore, time }: RecordHead): LogPlace => ({
  id: id - 1,
  values: valuesBefore,
  time,
});

const stamp = (time: number | undefined) => (time === undefined ? "an unknown time" : iso(time));

/** Describes the rows between two places in one English line; `null` if none are missing. */
function describeGap(from: LogPlace, to: LogPlace): string | null {
  if (to.id <= from.id) return null;
  const values = from.values === undefined || to.values === undefined ? undefined : to.values - from.values;
  // Ids without values were skipped because a reader was ahead of the log.
  if (values === 0) return null;
  const count =
    values === undefined || values < 0
      ? "an unknown number of values"
      : `${values} ${values === 1 ? "value" : "values"}`;
  const first = from.id + 1;
  const rows = first === to.id ? `hot row ${first}` : `hot rows ${first} to ${to.id}`;
  return `${rows} cannot be read: ${count} received between ${stamp(from.time)} and ${stamp(to.time)}`;
}

interface FoundLog {
  /** Files with unsealed rows, oldest first. */
  readonly live: readonly HotLogFile[];
  readonly gaps: ReadonlyMap<HotLogFile, readonly Gap[]>;
  readonly position: LogPosition | undefined;
  /** Last row whose values are in blocks. */
  readonly sealed: LogPlace;
}

/** Describes the rows missing before and within a file that has records. */
function describeFile(
  { first, newest }: HotLogFile,
  gaps: readonly Gap[],
  before: LogPlace,
): { readonly lines: (string | null)[]; readonly end: LogPlace } {
  if (first === undefined || newest === undefined) return { lines: [], end: before };
  const within = gaps.flatMap(([left, right]) =>
    left === undefined ? [] : [describeGap(placeOf(left), placeBefore(right))],
  );
  return { lines: [describeGap(before, placeBefore(first)), ...within], end: placeOf(newest) };
}

/** Describes the rows that were on disk, are not in blocks and cannot be read, one line per range. */
function describeLosses({ live, gaps, position, sealed }: FoundLog): string[] {
  const lines: (string | null)[] = [];
  let place = sealed;
  for (const file of live) {
    const { lines: found, end } = describeFile(file, gaps.get(file) ?? [], place);
    lines.push(...found);
    place = end;
  }
  const end = position ?? { durableId: 0, values: 0, time: 0 };
  lines.push(describeGap(place, { ...end, id: end.durableId }));
  return lines.filter((line) => line !== null);
}

/** Form of a record's data: an uncompressed group. */
export const FORM_RAW = 0;
/** Form of a record's data: a group in a zstd frame. */
export const FORM_ZSTD = 1;
/** Form of a record's data: a deletion (JSON) that applies to all earlier arrivals. */
export const FORM_DELETION = 2;
/** Form of a record's data: a group packed by columns. */
export const FORM_COLUMNS = 3;

/** Max. files that wait for reuse: the number of generations of the hot tier. */
const SPARE_FILES_MAX = 2;
/** Default length that a file waiting for reuse keeps. */
const SPARE_BYTES_MAX = 16 * 1024 * 1024;
const NOTHING = new Uint8Array(0);

/** Commit in the log. Ids ascend in order of arrival. */
export interface HotRow {
  readonly id: number;
  readonly form: number;
  readonly data: Uint8Array;
}

export interface NewRow {
  readonly form: number;
  readonly data: Uint8Array;
  /** Number of values; a deletion counts as one. */
  readonly values: number;
  readonly definitions?: Definitions | null;
}

/** Appended row. */
interface Written {
  readonly id: number;
  /** Number of values in all rows up to this row. */
  readonly values: number;
  /** Epoch ms. */
  readonly time: number;
}

export interface HotLogOptions {
  readonly isReadOnly: boolean;
  /** Last row whose values are in blocks. */
  readonly sealed: LogPlace;
  /** End of the log at the last stamp of the database, used if the log's own position is missing, damaged or older. */
  readonly stamped?: LogPlace | undefined;
  /** Max. length that a file keeps while it waits for reuse. */
  readonly spareBytesMax?: number | undefined;
}

/**
 * Write-ahead log of commits that are not in blocks yet, in files next to the database. A new file begins when the hot tier is frozen for sealing. A
 * file is reused once its rows are in blocks: overwriting takes one sync and changes no metadata. Damage is never mistaken for the end of the log:
 * see `HotLogPosition` and `scanLog`.
 */
export class HotLog {
  readonly #path: string;
  readonly #spareBytesMax: number;
  /** Files with unsealed rows, oldest first. */
  readonly #live: HotLogFile[] = [];
  readonly #spare: HotLogFile[] = [];
  /** Damaged files. Once their rows are sealed, they are set aside instead of being reused. */
  readonly #damaged = new Map<HotLogFile, readonly Gap[]>();
  readonly #position: HotLogPosition | null;
  /** Found damage, one English line each. */
  readonly damage: string[] = [];
  /** Content of the position file when the log was opened; `null` if damaged. */
  readonly #openedAt: LogPosition | null | undefined;
  #nextId: number;
  /** Durable end of the log. */
  #durable: Written;
  /** Appended but unsynced rows, oldest first. */
  readonly #unsynced: Written[] = [];
  /** Number of values in all records so far. */
  #values: number;
  #beginsFile = false;
  /** Bytes appended since startup. */
  bytesAppended = 0;

  /** `path`: path of the database, the prefix of the files' names. */
  constructor(path: string, { isReadOnly, sealed, stamped, spareBytesMax = SPARE_BYTES_MAX }: HotLogOptions) {
    const sealedId = sealed.id;
    this.#path = path;
    this.#spareBytesMax = spareBytesMax;
    this.#openedAt = readPosition(path);
    if (this.#openedAt === null)
      this.damage.push("the position of the hot log is damaged: the newest rows cannot be verified");
    if (this.#openedAt != null && this.#openedAt.durableId < sealedId)
      this.damage.push("the position of the hot log is an older copy: the newest rows cannot be verified");
    const position = newestPosition(this.#openedAt ?? undefined, stamped);
    const files = this.#open(sealedId, isReadOnly);
    for (const file of files.filter(({ hasRecords, lastId }) => hasRecords && lastId > sealedId))
      this.#live.push(file);
    this.damage.push(...describeLosses({ live: this.#live, gaps: this.#damaged, position, sealed }));
    this.#sortOthers(files, { sealedId, isReadOnly });
    for (const file of files) {
      if (file.unreadableBytes > 0)
        this.damage.push(`${basename(file.path)}: the disk cannot read ${file.unreadableBytes} bytes`);
      file.endOpening();
    }
    const newest = this.#live.at(-1);
    this.#durable = endOf(newest, position, sealedId);
    this.#values = this.#durable.values;
    this.#nextId = this.#durable.id + 1;
    // A damaged file, or a file with records that do not count, is not continued: these records must not be found after new records.
    this.#beginsFile =
      newest !== undefined &&
      (newest.lastId !== this.#durable.id || newest.hasStrays || this.#damaged.has(newest));
    this.#position = isReadOnly ? null : new HotLogPosition(path);
    // What a kill left in the cache of the system counts as on the disk from now on.
    if (!isReadOnly) newest?.sync();
    this.#notePosition();
  }

  /** Id of the newest row on disk, even if it has been sealed since. */
  get lastId(): number {
    return this.#durable.id;
  }

  /** Durable end of the log. */
  get position(): LogPosition {
    const { id: durableId, values, time } = this.#durable;
    return { durableId, values, time, files: [] };
  }

  /** Writes the position to disk. Must be called before rows are declared sealed, so that the position is never older. */
  syncPosition(): void {
    this.#notePosition();
    this.#position?.sync();
  }

  /** Returns the place after a row; the number of values is known only at the end of a file or the log. */
  placeAt(id: number): LogPlace {
    const unknown = { id, values: undefined, time: undefined };
    if (this.#live.some(({ firstId, lastId }) => firstId <= id && id < lastId)) return unknown;
    const next = this.#live.find(({ firstId }) => firstId > id);
    if (next !== undefined) return { id, values: next.valuesBefore, time: undefined };
    const { id: durableId, values, time } = this.#durable;
    return id === durableId ? { id, values, time } : unknown;
  }

  /** Path of the file whose sync makes all appended rows durable. */
  get newestPath(): string | undefined {
    return this.#live.at(-1)?.path;
  }

  /** Returns the found damage and, if the end of the log can no longer be verified, the reason, one English line each. */
  problems(): string[] {
    const failure = this.#position?.failure;
    if (failure === undefined) return this.damage;
    return [...this.damage, `the position of the hot log cannot be written: ${failure}`];
  }

  /** Returns whether the running gateway has not restarted or released a file since this reader opened the log. */
  isCurrent(): boolean {
    const filesOf = (position: LogPosition | null | undefined) => JSON.stringify(position?.files);
    return filesOf(readPosition(this.#path)) === filesOf(this.#openedAt);
  }

  /** Ensures that new rows get ids above this one. */
  skipTo(id: number): void {
    if (id < this.#nextId) return;
    this.#nextId = id + 1;
    this.#durable = { ...this.#durable, id };
    this.#beginsFile = true;
  }

  /** Appends a row, which `sync` writes to disk. Returns its id. If it throws, the row is removed. */
  append({ form, data, values, definitions = null }: NewRow): number {
    const text = definitions === null ? NOTHING : new TextEncoder().encode(JSON.stringify(definitions));
    const time = Date.now();
    this.#current().append({ form, data, definitions: text, values, valuesBefore: this.#values, time });
    this.bytesAppended += data.length + text.length;
    this.#values += values;
    const id = this.#nextId++;
    this.#unsynced.push({ id, values: this.#values, time });
    return id;
  }

  /** Writes all appended rows to disk. */
  sync(): void {
    if (this.#unsynced.length === 0) return;
    this.#live.at(-1)?.sync();
    this.noteDurable(this.#nextId - 1);
  }

  /** Records that all rows up to this row are on disk. */
  noteDurable(id: number): void {
    if (id <= this.#durable.id) return;
    while (this.#unsynced[0] !== undefined && this.#unsynced[0].id <= id)
      this.#durable = this.#unsynced.shift()!;
    const file = this.#live.at(-1);
    if (file !== undefined) file.durableId = Math.max(file.durableId, id);
    this.#notePosition();
  }

  /** Syncs the newest file. The next row begins a new file. */
  beginFile(): void {
    this.sync();
    this.#beginsFile = true;
  }

  /** Releases the rows up to this one, which are in blocks on disk. */
  release(id: number): void {
    while (this.#live[0] !== undefined && this.#live[0].lastId <= id && this.#mayRelease()) {
      const file = this.#live.shift()!;
      if (file.isDeleted) file.close();
      else if (this.#damaged.has(file)) this.#setAside(file);
      else {
        // Files stay, so that a path means the same file to all threads.
        file.shrink(this.#spare.length < SPARE_FILES_MAX ? this.#spareBytesMax : 0);
        this.#spare.push(file);
      }
    }
    this.#notePosition();
  }

  /** Yields the undamaged rows after `after` up to `last`, in order of arrival. */
  *rowsBehind(after: number, last: number): Generator<HotRow> {
    for (const file of [...this.#live])
      for (const record of file.records(after + 1, Math.min(last, this.#durable.id)))
        if (record.isSound) yield record;
  }

  /** Yields all rows in order of arrival, including rows that became unreadable since startup. */
  *all(): Generator<LogRecord> {
    for (const file of [...this.#live]) yield* file.records(file.firstId, file.lastId);
  }

  close(): void {
    for (const file of [...this.#live, ...this.#spare]) file.close();
    this.#position?.close();
  }

  /** Opens all files and finds the records of files with possibly unsealed rows, oldest first. */
  #open(sealedId: number, isReadOnly: boolean): HotLogFile[] {
    const files = listFiles(this.#path).map((name) => new HotLogFile(name, { isReadOnly }));
    files.sort((left, right) => left.firstId - right.firstId);
    for (const [index, file] of files.entries()) {
      // If the next file begins no later than right after the last sealed row, all rows of this file are sealed and need not be read.
      const next = files[index + 1]?.firstId ?? Number.POSITIVE_INFINITY;
      if (file.firstId !== 0 && next <= sealedId + 1 && next !== file.firstId) continue;
      const use = this.#openedAt?.files.find(({ number }) => number === file.number);
      const gaps = file.scan({ use, durableId: this.#openedAt?.durableId ?? Number.POSITIVE_INFINITY });
      if (gaps.length > 0 || file.unreadableBytes > 0) this.#damaged.set(file, gaps);
    }
    return files.sort((left, right) => left.firstId - right.firstId);
  }

  /** Keeps files without unsealed rows for reuse, or sets them aside. */
  #sortOthers(
    files: readonly HotLogFile[],
    { sealedId, isReadOnly }: { sealedId: number; isReadOnly: boolean },
  ): void {
    for (const file of files.filter((other) => !this.#live.includes(other))) {
      if (file.unreadableBytes === 0 && !this.#isUnreadable(file, sealedId)) this.#spare.push(file);
      else if (isReadOnly) this.damage.push(`${basename(file.path)} cannot be read`);
      else this.#setAside(file);
    }
  }

  /** Returns whether a file without rows should have rows, or contains unknown bytes. */
  #isUnreadable(file: HotLogFile, sealedId: number): boolean {
    const position = this.#openedAt ?? undefined;
    const index = position?.files.findIndex(({ number }) => number === file.number) ?? -1;
    const firstId = position?.files[index]?.firstId;
    if (position === undefined || firstId === undefined) return file.firstId === 0 && file.hasContent();
    const lastId = (position.files[index + 1]?.firstId ?? position.durableId + 1) - 1;
    return lastId > sealedId && lastId >= firstId && file.hasContent();
  }

  #setAside(file: HotLogFile): void {
    this.#damaged.delete(file);
    file.close();
    this.damage.push(`a damaged file of the hot log was set aside as ${setAside(file.path)}`);
  }

  #notePosition(): void {
    if (this.#position === null) return;
    const files = this.#live.map(({ number, nonce, firstId, valuesBefore }) => ({
      number,
      nonce,
      firstId,
      valuesBefore,
    }));
    const { id: durableId, values, time } = this.#durable;
    this.#position.write({ durableId, values, time, files });
  }

  /** Returns whether the oldest file may be released; the newest file is in use until the next one begins. */
  #mayRelease(): boolean {
    return this.#live.length > 1 || this.#beginsFile;
  }

  #current(): HotLogFile {
    const newest = this.#live.at(-1);
    if (newest !== undefined && !this.#beginsFile && !this.#isLosing(newest)) return newest;
    const file = this.#takeSpare() ?? this.#create();
    try {
      file.begin(this.#nextId, this.#values);
    } catch (error) {
      // The disk may be full.
      this.#spare.push(file);
      throw error;
    }
    this.#live.push(file);
    this.#beginsFile = false;
    return file;
  }

  /** Ends a file that was deleted. Its rows stay readable until they are in blocks, but not after the end of the process. */
  #isLosing(file: HotLogFile): boolean {
    if (!file.isDeleted) return false;
    this.damage.push(
      `${basename(file.path)} was deleted while the gateway runs: if it ends soon, values are lost`,
    );
    this.beginFile();
    return true;
  }

  #takeSpare(): HotLogFile | undefined {
    for (let spare = this.#spare.pop(); spare !== undefined; spare = this.#spare.pop()) {
      if (!spare.isDeleted) return spare;
      spare.close();
    }
    return undefined;
  }

  #create(): HotLogFile {
    const names = new Set([...this.#live, ...this.#spare].map(({ path }) => path));
    let number = 1;
    while (names.has(`${this.#path}${HOT_LOG_MARK}${number}`)) number++;
    const file = new HotLogFile(`${this.#path}${HOT_LOG_MARK}${number}`);
    syncPath(dirname(this.#path));
    return file;
  }
}

/** Returns the newer of two ends of the log. The position file is not synced, so a power cut may leave an older one than the stamp. */
function newestPosition(
  position: LogPosition | undefined,
  stamped: LogPlace | undefined,
): LogPosition | undefined {
  if (stamped === undefined || (position?.durableId ?? -1) >= stamped.id) return position;
  return { durableId: stamped.id, values: stamped.values ?? 0, time: stamped.time ?? 0, files: [] };
}

/** Returns the end of the log, according to its newest file and its position. */
function endOf(file: HotLogFile | undefined, position: LogPosition | undefined, sealedId: number): Written {
  const head = file?.newest ?? { id: 0, valuesBefore: 0, values: 0, time: 0 };
  const { durableId, values, time } = position ?? { durableId: 0, values: 0, time: 0 };
  return {
    id: Math.max(head.id, durableId, sealedId),
    values: Math.max(head.valuesBefore + head.values, values),
    time: Math.max(head.time, time),
  };
}

/** Returns the paths of a database's files. */
function listFiles(path: string): string[] {
  const start = basename(path) + HOT_LOG_MARK;
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(start) && /^\d+$/.test(name.slice(start.length)))
    .map((name) => join(dirname(path), name));
}
