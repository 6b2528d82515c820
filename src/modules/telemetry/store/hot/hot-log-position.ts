import { closeSync, fdatasyncSync } from "node:fs";
import { openOwnFile, readExpendableFile } from "../../../../platform/files/data-file.ts";
import { logDisk } from "./log-disk.ts";

/** "LHP1" in ASCII. */
const MAGIC = 0x3150_484c;
/** Size of one sector, which disks write atomically. */
const FILE_BYTES = 512;
/**
 * Layout, little-endian: CRC-32 of all following bytes u32, magic u32, number of files u32, 4 bytes reserved, durable id f64, values up to it f64,
 * time f64; then for each file: number u32, nonce u32, id of its first record f64, values in all earlier records f64.
 */
const HEAD_BYTES = 40;
const ENTRY_BYTES = 24;
const ENTRIES_MAX = Math.floor((FILE_BYTES - HEAD_BYTES) / ENTRY_BYTES);

/** Log file with unsealed records. */
export interface PositionedFile {
  /** Number at the end of the file name. */
  readonly number: number;
  readonly nonce: number;
  readonly firstId: number;
  /** Number of values in all earlier records of the log. */
  readonly valuesBefore: number;
}

/** Place in the log, after a record. */
export interface LogPlace {
  /** Id of the record. */
  readonly id: number;
  /** Number of values up to the place; undefined if unknown. */
  readonly values: number | undefined;
  /** Epoch ms at which the record was written; undefined if unknown. */
  readonly time: number | undefined;
}

/** End of the log. */
export interface LogPosition {
  /** Id up to which all records are on disk. */
  readonly durableId: number;
  /** Number of values in all records up to the durable id. */
  readonly values: number;
  /** Time at which the record with the durable id was written, in epoch ms. */
  readonly time: number;
  /** Oldest first. */
  readonly files: readonly PositionedFile[];
}

export const positionPathOf = (databasePath: string): string => `${databasePath}-position`;

/**
 * Separate record of the hot log's end, so that a missing, truncated or zeroed log file is not mistaken for the end. It is overwritten after each
 * sync of the log, but synced itself only before rows are declared sealed. It survives a kill; after a power cut, it may be some seconds old (the
 * kernel's write-back), but never newer than the log.
 */
export class HotLogPosition {
  readonly #descriptor: number;
  readonly #bytes = new Uint8Array(FILE_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  /** Error that prevents writing the position, once it has occurred. */
  failure: string | undefined;

  constructor(databasePath: string) {
    this.#descriptor = openOwnFile(positionPathOf(databasePath), "create");
  }

  write({ durableId, values, time, files }: LogPosition): void {
    const entries = files.slice(-ENTRIES_MAX);
    const view = this.#view;
    view.setUint32(4, MAGIC, true);
    view.setUint32(8, entries.length, true);
    view.setFloat64(16, durableId, true);
    view.setFloat64(24, values, true);
    view.setFloat64(32, time, true);
    let offset = HEAD_BYTES;
    for (const { number, nonce, firstId, valuesBefore } of entries) {
      view.setUint32(offset, number, true);
      view.setUint32(offset + 4, nonce, true);
      view.setFloat64(offset + 8, firstId, true);
      view.setFloat64(offset + 16, valuesBefore, true);
      offset += ENTRY_BYTES;
    }
    this.#bytes.fill(0, offset);
    view.setUint32(0, Bun.hash.crc32(this.#bytes.subarray(4)), true);
    try {
      logDisk.write(this.#descriptor, this.#bytes, 0, FILE_BYTES, 0);
    } catch (error) {
      // Acknowledged rows are in the log, but its end can no longer be verified.
      this.failure ??= error instanceof Error ? error.message : String(error);
    }
  }

  sync(): void {
    try {
      fdatasyncSync(this.#descriptor);
    } catch (error) {
      // It matters only if the log is damaged later.
      this.failure ??= error instanceof Error ? error.message : String(error);
    }
  }

  close(): void {
    this.sync();
    closeSync(this.#descriptor);
  }
}

/** Returns the last written position; `null` if the file is damaged, `undefined` if there is none. */
export function readPosition(databasePath: string): LogPosition | null | undefined {
  const bytes = readExpendableFile(positionPathOf(databasePath));
  if (bytes == null) return bytes;
  if (bytes.length !== FILE_BYTES || bytes.readUInt32LE(4) !== MAGIC) return null;
  if (Bun.hash.crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) return null;
  const files = Array.from({ length: Math.min(ENTRIES_MAX, bytes.readUInt32LE(8)) }, (_, index) => {
    const offset = HEAD_BYTES + index * ENTRY_BYTES;
    return {
      number: bytes.readUInt32LE(offset),
      nonce: bytes.readUInt32LE(offset + 4),
      firstId: bytes.readDoubleLE(offset + 8),
      valuesBefore: bytes.readDoubleLE(offset + 16),
    };
  });
  return {
    durableId: bytes.readDoubleLE(16),
    values: bytes.readDoubleLE(24),
    time: bytes.readDoubleLE(32),
    files,
  };
}
