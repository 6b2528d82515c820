import {
  decodeRecordHead,
  HEADER_BYTES,
  isSoundRecord,
  RECORD_BYTES,
  RECORD_NONCE,
  type RecordHead,
  recordBytesOf,
} from "./hot-log-format.ts";

/** Bytes per read. */
const WINDOW_BYTES = 1024 * 1024;
/** Bytes searched after the end of the log even if no more records are known to follow. */
const SEARCHED_BYTES_MIN = 1024 * 1024;

/** Bytes of a file. */
export interface LogSource {
  readonly size: number;
  read(offset: number, length: number): Uint8Array;
}

export interface KnownLog {
  readonly nonce: number;
  readonly firstId: number;
  /** Checksum of the header, which the first record contains; undefined if the header is damaged. */
  readonly headerChecksum: number | undefined;
  /** Id up to which records are known to be on disk; infinite if unknown. */
  readonly durableId: number;
}

export interface FoundRecord {
  readonly offset: number;
  readonly head: RecordHead;
}

export interface LogScan {
  /** Intact records by id, including records after damage. Ids of damaged records are missing. */
  readonly records: readonly FoundRecord[];
  /** True if intact records follow the end. They were never acknowledged, and must not be found by later scans. */
  readonly hasStrays: boolean;
}

/**
 * Finds the intact records of a file. Invalid bytes end the log unless the durable position or a later record proves that a record was stored there;
 * then they are damage, and the search continues after them.
 */
export function scanLog(source: LogSource, log: KnownLog): LogScan {
  const window = new Window(source);
  const accepted = new AcceptedRecords(log);
  for (let offset: number | undefined = HEADER_BYTES; offset !== undefined; ) {
    const head = window.soundAt(offset, log.nonce);
    if (head !== undefined && head.id > accepted.newestId) {
      accepted.add({ offset, head });
      offset += recordBytesOf(head);
    } else {
      accepted.isLinked = false;
      const searched = accepted.newestId < log.durableId ? source.size : SEARCHED_BYTES_MIN;
      offset = window.findBehind(offset, log.nonce, searched);
    }
  }
  return { records: accepted.records, hasStrays: accepted.pending.length > 0 };
}

/** Decides which found records are accepted. */
class AcceptedRecords {
  readonly records: FoundRecord[] = [];
  /** Records after a possible end. */
  pending: FoundRecord[] = [];
  newestId: number;
  /** Whether all records so far followed each other without damage. */
  isLinked = true;
  #acceptedId: number;
  #provenId: number;
  #previous: number | undefined;

  constructor({ firstId, durableId, headerChecksum }: KnownLog) {
    this.newestId = firstId - 1;
    this.#acceptedId = firstId - 1;
    this.#provenId = Number.isFinite(durableId) ? durableId : 0;
    this.#previous = headerChecksum;
  }

  add(found: FoundRecord): void {
    const { id, previous, durableId, checksum } = found.head;
    this.isLinked &&= id === this.newestId + 1 && previous === (this.#previous ?? previous);
    this.#provenId = Math.max(this.#provenId, durableId);
    this.newestId = id;
    this.#previous = checksum;
    this.pending.push(found);
    if (!this.isLinked && this.#provenId <= this.#acceptedId) return;
    this.records.push(...this.pending);
    this.pending = [];
    this.#acceptedId = id;
    this.isLinked = true;
  }
}

/** Part of the file in memory. */
class Window {
  readonly #source: LogSource;
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(source: LogSource) {
    this.#source = source;
  }

  /** Returns the head of a complete record with the nonce and a valid checksum. */
  soundAt(offset: number, nonce: number): RecordHead | undefined {
    const { size } = this.#source;
    if (offset + RECORD_BYTES > size) return undefined;
    const start = this.#at(offset, RECORD_BYTES);
    if (start.length < RECORD_BYTES) return undefined; // the file was cut meanwhile
    const head = decodeRecordHead(start);
    const bytes = recordBytesOf(head);
    if (head.nonce !== nonce || head.dataBytes === 0 || offset + bytes > size) return undefined;
    return isSoundRecord(this.#at(offset, bytes), head) ? head : undefined;
  }

  /** Returns the offset of the next intact record after `offset`, within `bytesMax` bytes. */
  findBehind(offset: number, nonce: number, bytesMax: number): number | undefined {
    const mark = Buffer.alloc(4);
    mark.writeUInt32LE(nonce);
    const end = Math.min(this.#source.size, offset + bytesMax);
    for (let from = offset + 1 + RECORD_NONCE; from + mark.length <= end; ) {
      const part = this.#at(from, Math.min(WINDOW_BYTES, end - from));
      const index = part.indexOf(mark);
      if (part.length < mark.length) return undefined;
      if (index < 0) {
        from += part.length - mark.length + 1;
        continue;
      }
      const candidate = from + index - RECORD_NONCE;
      if (this.soundAt(candidate, nonce) !== undefined) return candidate;
      from += index + 1;
    }
    return undefined;
  }

  #at(offset: number, length: number): Buffer {
    if (offset < this.#start || offset + length > this.#start + this.#bytes.length) {
      const wanted = Math.min(this.#source.size - offset, Math.max(length, WINDOW_BYTES));
      const read = this.#source.read(offset, wanted);
      this.#bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
      this.#start = offset;
    }
    return this.#bytes.subarray(offset - this.#start, offset - this.#start + length);
  }
}
