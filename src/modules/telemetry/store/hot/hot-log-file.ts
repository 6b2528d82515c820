import { closeSync, fdatasyncSync, fstatSync, ftruncateSync } from "node:fs";
import { isUnreadableFile, naming, openOwnFile } from "../../../../platform/files/data-file.ts";
import {
  decodeHeader,
  decodeRecordHead,
  encodeHeader,
  type Gap,
  HEADER_BYTES,
  isSoundRecord,
  RECORD_BYTES,
  type RecordHead,
  recordBytesOf,
  writeRecordHead,
} from "./hot-log-format.ts";
import { scanLog } from "./hot-log-scan.ts";
import { logDisk } from "./log-disk.ts";

/** A file grows by its own size in zeros, within these limits. Overwriting takes one sync, growing takes two. */
const GROWTH_BYTES_MIN = 64 * 1024;
const GROWTH_BYTES_MAX = 1024 * 1024;
const PAGE_BYTES = 4_096;
const ZEROS = new Uint8Array(PAGE_BYTES);
/** Bytes per read. */
const WINDOW_BYTES = 1024 * 1024;
const FIRST_OFFSETS = 1_024;
/** Part of a file name before the number. */
export const HOT_LOG_MARK = "-hot";
const NONCE_MAX = 2 ** 32 - 1;

/** Record of the log. */
export interface LogRecord {
  readonly id: number;
  readonly form: number;
  /** JSON in UTF-8; empty if the record has none. */
  readonly definitions: Uint8Array;
  readonly data: Uint8Array;
  /** False if the record became unreadable after the file was opened. */
  readonly isSound: boolean;
}

/** Record to write. */
export interface NewRecord {
  readonly form: number;
  readonly data: Uint8Array;
  /** JSON in UTF-8; may be empty. */
  readonly definitions: Uint8Array;
  /** Number of values; a deletion counts as one. */
  readonly values: number;
  readonly valuesBefore: number;
  /** Epoch ms. */
  readonly time: number;
}

/** Expected content of a file, from the position and the other files. */
export interface KnownUse {
  /** Nonce and first id of the file's current use, needed if its header is damaged. */
  readonly use: { readonly nonce: number; readonly firstId: number } | undefined;
  /** Id up to which the log is known to be on disk; infinite if unknown. */
  readonly durableId: number;
}

/** One file of the hot log. Records are appended, and are discarded together when the file is reused. */
export class HotLogFile {
  readonly path: string;
  /** Number at the end of the file name. */
  readonly number: number;
  readonly descriptor: number;
  /** 0 while the file has no header. */
  firstId = 0;
  lastId = -1;
  /** Id up to which the file's records are known to be on disk. */
  durableId = -1;
  /** True if unacknowledged records exist after the end that `scan` found. */
  hasStrays = false;
  /** Heads of the first and the newest record. */
  first: RecordHead | undefined;
  newest: RecordHead | undefined;
  nonce = 0;
  /** Number of values in the records of earlier files. */
  valuesBefore = 0;
  #hasSoundHeader = false;
  /** Offset after the newest record. */
  #end = HEADER_BYTES;
  #size: number;
  #previous = 0;
  /** Offset of each record, indexed by id minus `firstId`; 0 for damaged records. */
  #offsets = new Float64Array(FIRST_OFFSETS);
  #scratch = new Uint8Array(GROWTH_BYTES_MIN);
  /** Numbers of pages that the disk could not read when the file was opened. They count as zeros, which are damage and not read again. */
  readonly #unreadable = new Set<number>();
  /** True until all records are found. Afterwards, an unreadable page is an error, so that a passing failure loses nothing. */
  #isOpening = true;

  /** Opens the file, or creates it. `scan` finds its records. */
  constructor(path: string, { isReadOnly = false } = {}) {
    this.path = path;
    this.number = Number(path.slice(path.lastIndexOf(HOT_LOG_MARK) + HOT_LOG_MARK.length));
    this.descriptor = openOwnFile(path, isReadOnly ? "read" : "create");
    this.#size = fstatSync(this.descriptor).size;
    const header = decodeHeader(this.#read(0, HEADER_BYTES));
    if (header !== null) {
      this.#use(header);
      this.#hasSoundHeader = true;
      this.#previous = header.checksum;
    }
    if (!isReadOnly) this.#fillPage();
  }

  get bytes(): number {
    return this.#size;
  }

  /** Number of bytes that the disk could not read. */
  get unreadableBytes(): number {
    return this.#unreadable.size * PAGE_BYTES;
  }

  /** True if the file was deleted while it is open: its contents are lost when the process exits. */
  get isDeleted(): boolean {
    return fstatSync(this.descriptor).nlink === 0;
  }

  get hasRecords(): boolean {
    return this.lastId >= this.firstId;
  }

  /** Ends the tolerance for pages that the disk cannot read. */
  endOpening(): void {
    this.#isOpening = false;
  }

  /** Finds the records. Returns the damaged ranges. */
  scan({ use, durableId }: KnownUse): Gap[] {
    if (!this.#hasSoundHeader && use !== undefined) this.#use(use);
    if (this.firstId === 0) return [];
    const source = { size: this.#size, read: (offset: number, length: number) => this.#read(offset, length) };
    const { records, hasStrays } = scanLog(source, {
      nonce: this.nonce,
      firstId: this.firstId,
      headerChecksum: this.#hasSoundHeader ? this.#previous : undefined,
      durableId,
    });
    const gaps: Gap[] = [];
    for (const { offset, head } of records) {
      if (head.id !== (this.newest?.id ?? this.firstId - 1) + 1) gaps.push([this.newest, head]);
      this.#note(offset, head);
    }
    this.hasStrays = hasStrays;
    this.durableId = this.lastId;
    this.valuesBefore = this.first?.valuesBefore ?? 0;
    return gaps;
  }

  /** Discards all records. The next one has the id `firstId`. */
  begin(firstId: number, valuesBefore: number): void {
    this.endOpening();
    const nonce = 1 + Math.floor(Math.random() * NONCE_MAX);
    const header = encodeHeader(nonce, firstId);
    this.#grow(HEADER_BYTES);
    writeFully(this.descriptor, header, 0);
    this.#use({ nonce, firstId });
    this.#hasSoundHeader = true;
    this.hasStrays = false;
    this.first = undefined;
    this.newest = undefined;
    this.valuesBefore = valuesBefore;
    this.#end = HEADER_BYTES;
    this.#previous = decodeHeader(header)?.checksum ?? 0;
  }

  /** Appends a record; `sync` writes it to disk. If it throws, for example on a full disk, the record is removed. */
  append({ form, data, definitions, values, valuesBefore, time }: NewRecord): void {
    const bytes = RECORD_BYTES + definitions.length + data.length;
    if (this.#scratch.length < bytes) this.#scratch = new Uint8Array(2 * bytes);
    const record = this.#scratch.subarray(0, bytes);
    record.set(definitions, RECORD_BYTES);
    record.set(data, RECORD_BYTES + definitions.length);
    const head = {
      previous: this.#previous,
      nonce: this.nonce,
      form,
      id: this.lastId + 1,
      durableId: this.durableId,
      valuesBefore,
      time,
      values,
      definitionBytes: definitions.length,
      dataBytes: data.length,
    };
    const checksum = writeRecordHead(record, head);
    this.#grow(this.#end + bytes);
    writeFully(this.descriptor, record, this.#end);
    this.#note(this.#end, { ...head, checksum });
  }

  sync(): void {
    fdatasyncSync(this.descriptor);
    this.durableId = this.lastId;
  }

  /** Returns whether the file contains anything but zeros. */
  hasContent(): boolean {
    for (let offset = 0; offset < this.#size; offset += WINDOW_BYTES)
      if (this.#read(offset, WINDOW_BYTES).some((byte) => byte !== 0)) return true;
    return false;
  }

  /** Truncates a file with only released records to `bytesMax` bytes. */
  shrink(bytesMax: number): void {
    if (this.#size <= bytesMax) return;
    ftruncateSync(this.descriptor, bytesMax);
    this.#size = bytesMax;
  }

  /** Closes the file and ends all generators that read its records. */
  close(): void {
    this.nonce = 0;
    closeSync(this.descriptor);
  }

  /** Yields the records from `firstId` to `lastId`, inclusive, until the file is reused. */
  *records(firstId: number, lastId: number): Generator<LogRecord> {
    let window: Uint8Array = new Uint8Array(0);
    let start = 0;
    const last = Math.min(lastId, this.lastId);
    const nonce = this.nonce;
    for (let id = Math.max(firstId, this.firstId); id <= last && nonce === this.nonce; id++) {
      const offset = this.#offsets[id - this.firstId]!;
      if (offset === 0) continue;
      const end = this.#endOf(id);
      if (offset < start || end > start + window.length) {
        start = offset;
        const wanted = Math.max(end - offset, Math.min(WINDOW_BYTES, this.#end - offset));
        window = this.#read(offset, wanted);
      }
      const record = recordOf(id, window.subarray(offset - start, end - start));
      if (!record.isSound && this.#wasBegunAnew()) return;
      yield record;
    }
  }

  /** Returns whether the gateway has reused the file since this reader opened it. */
  #wasBegunAnew(): boolean {
    const nonce = decodeHeader(this.#read(0, HEADER_BYTES))?.nonce;
    return this.#hasSoundHeader && nonce !== this.nonce;
  }

  /** Returns the offset after a record: the next record's offset or, because damage may follow, the length in its own head. */
  #endOf(id: number): number {
    if (id === this.lastId) return this.#end;
    const offset = this.#offsets[id - this.firstId]!;
    const next = this.#offsets[id + 1 - this.firstId]!;
    return next !== 0 ? next : offset + recordBytesOf(decodeRecordHead(this.#read(offset, RECORD_BYTES)));
  }

  #use({ nonce, firstId }: { readonly nonce: number; readonly firstId: number }): void {
    this.nonce = nonce;
    this.firstId = firstId;
    this.lastId = firstId - 1;
    this.durableId = firstId - 1;
  }

  #note(offset: number, head: RecordHead): void {
    const index = head.id - this.firstId;
    if (index >= this.#offsets.length) {
      const larger = new Float64Array(2 * (index + 1));
      larger.set(this.#offsets);
      this.#offsets = larger;
    }
    this.#offsets.fill(0, this.lastId + 1 - this.firstId, index);
    this.#offsets[index] = offset;
    this.lastId = head.id;
    this.#previous = head.checksum;
    this.#end = offset + recordBytesOf(head);
    this.first ??= head;
    this.newest = head;
  }

  #grow(bytes: number): void {
    if (bytes <= this.#size) return;
    const step = Math.min(GROWTH_BYTES_MAX, Math.max(GROWTH_BYTES_MIN, this.#size));
    const size = Math.ceil(bytes / step) * step;
    // Page by page: the kernel would keep one large write as one large page, and write all of it back for each change.
    while (this.#size < size) {
      writeFully(this.descriptor, ZEROS, this.#size);
      this.#size += PAGE_BYTES;
    }
  }

  /** Pads the file to whole pages, which files have unless one was truncated. */
  #fillPage(): void {
    const rest = this.#size % PAGE_BYTES;
    if (rest === 0) return;
    writeFully(this.descriptor, ZEROS.subarray(rest), this.#size);
    this.#size += PAGE_BYTES - rest;
  }

  #read(offset: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      const count = this.#readPart(bytes, done, offset + done);
      if (count === 0) break;
      done += count;
    }
    return done === length ? bytes : bytes.subarray(0, done);
  }

  /** Reads until the end of `bytes`, or less. Returns the number of bytes. */
  #readPart(bytes: Uint8Array, start: number, position: number): number {
    const read = (length: number) =>
      naming(this.path, () => logDisk.read(this.descriptor, bytes, start, length, position));
    const length = bytes.length - start;
    const page = Math.floor(position / PAGE_BYTES);
    const pageLength = Math.min(length, (page + 1) * PAGE_BYTES - position);
    if (this.#unreadable.has(page)) return pageLength;
    try {
      return read(length);
    } catch (error) {
      if (!isUnreadableFile(error)) throw error;
    }
    try {
      return read(pageLength);
    } catch (error) {
      if (!this.#isOpening || !isUnreadableFile(error)) throw error;
      this.#unreadable.add(page);
      return pageLength;
    }
  }
}

function writeFully(descriptor: number, bytes: Uint8Array, offset: number): void {
  for (let done = 0; done < bytes.length; )
    done += logDisk.write(descriptor, bytes, done, bytes.length - done, offset + done);
}

/** @param found bytes that begin with the record and may be longer */
function recordOf(id: number, found: Uint8Array): LogRecord {
  if (found.length < RECORD_BYTES) return { id, form: 0, definitions: found, data: found, isSound: false };
  const head = decodeRecordHead(found);
  const bytes = found.subarray(0, recordBytesOf(head));
  const dataStart = RECORD_BYTES + head.definitionBytes;
  return {
    id,
    form: head.form,
    definitions: bytes.subarray(RECORD_BYTES, dataStart),
    data: bytes.subarray(dataStart),
    isSound: head.id === id && isSoundRecord(bytes, head),
  };
}
