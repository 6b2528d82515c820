import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";
import {
  decodeHeader,
  decodeRecordHead,
  encodeHeader,
  HEADER_BYTES,
  isSoundRecord,
  RECORD_BYTES,
  type RecordHead,
  recordBytesOf,
  writeRecordHead,
} from "./hot-log-format.ts";
import { logDisk } from "./log-disk.ts";

/** A file grows by its own size in zeros, within these limits. Overwriting takes one sync, growing takes two. */
const GROWTH_BYTES_MIN = 64 * 1024;
const GROWTH_BYTES_MAX = 1024 * 1024;
const PAGE_BYTES = 4_096;
const ZEROS = new Uint8Array(PAGE_BYTES);
/** Bytes that are read at once. */
const WINDOW_BYTES = 1024 * 1024;
const FIRST_OFFSETS = 1_024;
const NONCE_MAX = 2 ** 32 - 1;

/** A record as it lies in the log. */
export interface LogRecord {
  readonly id: number;
  readonly form: number;
  /** JSON in UTF-8; empty where the record brings none. */
  readonly definitions: Uint8Array;
  readonly data: Uint8Array;
  /** False for a record that was on the disk once and is damaged now. */
  readonly isSound: boolean;
}

/** One file of the hot log. Records are appended, and are discarded together when the file is reused. */
export class HotLogFile {
  readonly path: string;
  readonly descriptor: number;
  /** 0 while the file has no header. */
  firstId = 0;
  /** Number of records, and of those that are on the disk for sure. */
  count = 0;
  durable = 0;
  /** Offset behind the newest record. */
  #end = HEADER_BYTES;
  #size: number;
  #nonce = 0;
  #previous = 0;
  /** Offset of each record. */
  #offsets = new Float64Array(FIRST_OFFSETS);
  #scratch = new Uint8Array(GROWTH_BYTES_MIN);

  /** Opens the file, or creates it. `scan` finds its records. */
  constructor(path: string, { isReadOnly = false } = {}) {
    this.path = path;
    this.descriptor = openSync(path, isReadOnly ? "r" : openFlags(path), 0o600);
    this.#size = fstatSync(this.descriptor).size;
    const header = decodeHeader(this.#read(0, HEADER_BYTES));
    if (header !== null) {
      this.firstId = header.firstId;
      this.#nonce = header.nonce;
      this.#previous = header.checksum;
    }
    if (!isReadOnly) this.#fillPage();
  }

  get lastId(): number {
    return this.firstId + this.count - 1;
  }

  get bytes(): number {
    return this.#size;
  }

  /**
   * Finds the records. One whose checksum is wrong ends them: it was never synced, and nobody was told that it was kept. If a later record
   * says that it was on the disk, it is damaged instead.
   */
  scan(): void {
    if (this.firstId === 0) return;
    let soundEnd = { count: 0, offset: HEADER_BYTES, previous: this.#previous };
    let offset = HEADER_BYTES;
    let isWhole = true;
    for (const [head, isSound] of this.#heads()) {
      this.#note(offset, head.checksum);
      offset += recordBytesOf(head);
      isWhole &&= isSound;
      if (isSound && head.durable > soundEnd.count) isWhole = true;
      if (isWhole) soundEnd = { count: this.count, offset, previous: head.checksum };
    }
    this.count = soundEnd.count;
    this.durable = soundEnd.count;
    this.#end = soundEnd.offset;
    this.#previous = soundEnd.previous;
  }

  /** Forgets all records. The next one has the id `firstId`. */
  begin(firstId: number): void {
    const nonce = 1 + Math.floor(Math.random() * NONCE_MAX);
    const header = encodeHeader(nonce, firstId);
    this.#grow(HEADER_BYTES);
    writeFully(this.descriptor, header, 0);
    this.firstId = firstId;
    this.count = 0;
    this.durable = 0;
    this.#end = HEADER_BYTES;
    this.#nonce = nonce;
    this.#previous = decodeHeader(header)?.checksum ?? 0;
  }

  /** Appends a record; `sync` puts it on the disk. When it throws, for instance on a full disk, nothing of it stays. */
  append(form: number, data: Uint8Array, definitions: Uint8Array): void {
    const bytes = RECORD_BYTES + definitions.length + data.length;
    if (this.#scratch.length < bytes) this.#scratch = new Uint8Array(2 * bytes);
    const record = this.#scratch.subarray(0, bytes);
    record.set(definitions, RECORD_BYTES);
    record.set(data, RECORD_BYTES + definitions.length);
    const checksum = writeRecordHead(record, {
      previous: this.#previous,
      nonce: this.#nonce,
      durable: this.durable,
      form,
      definitionBytes: definitions.length,
      dataBytes: data.length,
    });
    this.#grow(this.#end + bytes);
    writeFully(this.descriptor, record, this.#end);
    this.#note(this.#end, checksum);
    this.#end += bytes;
  }

  sync(): void {
    fdatasyncSync(this.descriptor);
    this.durable = this.count;
  }

  /** Cuts a file whose records are no longer needed to `bytesMax` bytes. */
  shrink(bytesMax: number): void {
    if (this.#size <= bytesMax) return;
    ftruncateSync(this.descriptor, bytesMax);
    this.#size = bytesMax;
  }

  /** Closes the file and ends all generators that read its records. */
  close(): void {
    this.#nonce = 0;
    closeSync(this.descriptor);
  }

  /** Yields the records from `firstId` to `lastId`, both included, until the file is begun anew. */
  *records(firstId: number, lastId: number): Generator<LogRecord> {
    let window: Uint8Array = new Uint8Array(0);
    let start = 0;
    const last = Math.min(lastId, this.lastId);
    const nonce = this.#nonce;
    for (let id = Math.max(firstId, this.firstId); id <= last && nonce === this.#nonce; id++) {
      const index = id - this.firstId;
      const offset = this.#offsets[index]!;
      const end = index + 1 < this.count ? this.#offsets[index + 1]! : this.#end;
      if (offset < start || end > start + window.length) {
        start = offset;
        window = this.#read(
          offset,
          Math.max(end - offset, Math.min(WINDOW_BYTES, this.#spanTo(last) - offset)),
        );
      }
      const record = recordOf(id, window.subarray(offset - start, end - start));
      if (!record.isSound && this.#wasBegunAnew()) return;
      yield record;
    }
  }

  /** Returns whether the gateway has reused the file since this reader opened it. */
  #wasBegunAnew(): boolean {
    return decodeHeader(this.#read(0, HEADER_BYTES))?.nonce !== this.#nonce;
  }

  #spanTo(lastId: number): number {
    return lastId < this.lastId ? this.#offsets[lastId + 1 - this.firstId]! : this.#end;
  }

  #note(offset: number, checksum: number): void {
    if (this.count === this.#offsets.length) {
      const larger = new Float64Array(2 * this.count);
      larger.set(this.#offsets);
      this.#offsets = larger;
    }
    this.#offsets[this.count++] = offset;
    this.#previous = checksum;
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

  /** Files consist of whole pages, unless one was cut off. */
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
      const count = readSync(this.descriptor, bytes, done, length - done, offset + done);
      if (count === 0) break;
      done += count;
    }
    return done === length ? bytes : bytes.subarray(0, done);
  }

  /** Yields the heads of what follows the header and may be records. */
  *#heads(): Generator<[RecordHead, isSound: boolean]> {
    let window: Uint8Array = new Uint8Array(0);
    let start = 0;
    const bytesAt = (offset: number, length: number): Uint8Array => {
      if (offset + length > start + window.length) {
        start = offset;
        window = this.#read(offset, Math.min(this.#size - offset, Math.max(length, WINDOW_BYTES)));
      }
      return window.subarray(offset - start, offset - start + length);
    };
    let previous = this.#previous;
    for (let offset = HEADER_BYTES; offset + RECORD_BYTES <= this.#size; ) {
      const head = decodeRecordHead(bytesAt(offset, RECORD_BYTES));
      const bytes = recordBytesOf(head);
      if (head.dataBytes === 0 || offset + bytes > this.#size) return;
      const isLinked = head.nonce === this.#nonce && head.previous === previous;
      yield [head, isLinked && isSoundRecord(bytesAt(offset, bytes), head)];
      previous = head.checksum;
      offset += bytes;
    }
  }
}

/** Creates the file if it is missing, and keeps what is there. */
const openFlags = (path: string): string | number => {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  return "r+";
};

function writeFully(descriptor: number, bytes: Uint8Array, offset: number): void {
  for (let done = 0; done < bytes.length; )
    done += logDisk.write(descriptor, bytes, done, bytes.length - done, offset + done);
}

function recordOf(id: number, bytes: Uint8Array): LogRecord {
  const head = decodeRecordHead(bytes);
  const dataStart = RECORD_BYTES + head.definitionBytes;
  return {
    id,
    form: head.form,
    definitions: bytes.subarray(RECORD_BYTES, dataStart),
    data: bytes.subarray(dataStart),
    isSound: isSoundRecord(bytes, head),
  };
}
