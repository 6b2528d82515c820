import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { conflict, invalid, notFound } from "../../../lib/core/domain-error.ts";
import { isUnreadableFile, writeWhole } from "../../../platform/files/data-file.ts";
import { syncPath } from "../../../platform/files/durable-file.ts";
import type { BackupTarget } from "../snapshot.types.ts";

/** Header of every archive, followed by entries. */
export const ARCHIVE_HEAD = Buffer.from("LINESIDE BACKUP 1\n");
const HEADER_BYTES = 10;
const NAME_BYTES_MAX = 1_024;

/** Returns the header of an object: u16 length of the name, u64 length of the bytes (little-endian), the name. */
export function archiveEntryHead(name: string, length: number): Uint8Array {
  const text = Buffer.from(name);
  const head = Buffer.alloc(HEADER_BYTES + text.length);
  head.writeUInt16LE(text.length, 0);
  head.writeBigUInt64LE(BigInt(length), 2);
  text.copy(head, HEADER_BYTES);
  return head;
}

interface Entry {
  readonly position: number;
  readonly length: number;
}

function readBytes(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
}

/** Reads objects of an archive by its known entries. */
abstract class Archive implements BackupTarget {
  protected readonly descriptor: number;
  protected readonly entries = new Map<string, Entry>();

  protected constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  async list(prefix: string): Promise<string[]> {
    return [...this.entries.keys()].filter((name) => name.startsWith(prefix)).sort();
  }

  async sizes(prefix: string): Promise<ReadonlyMap<string, number>> {
    return new Map(
      [...this.entries]
        .filter(([name]) => name.startsWith(prefix))
        .map(([name, { length }]) => [name, length]),
    );
  }

  async read(name: string): Promise<Uint8Array> {
    const entry = this.entries.get(name);
    if (entry === undefined) throw notFound("backup.object_missing", { name });
    try {
      return readBytes(this.descriptor, entry.position, entry.length);
    } catch (error) {
      throw isUnreadableFile(error) ? invalid("backup.object_damaged", { name }) : error;
    }
  }

  abstract write(name: string, bytes: Uint8Array): Promise<void>;

  async remove(): Promise<void> {
    throw conflict("backup.archive_read_only");
  }

  async removeUnfinished(): Promise<void> {
    // An unfinished archive has another name.
  }
}

/** Single file with a whole repository, written sequentially. `finish` gives it its name. */
export class ArchiveWriter extends Archive {
  readonly #path: string;
  #position = ARCHIVE_HEAD.length;

  constructor(path: string) {
    super(openSync(`${path}.new`, "w+", 0o600));
    this.#path = path;
    writeWhole(this.descriptor, ARCHIVE_HEAD, 0);
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const head = archiveEntryHead(name, bytes.length);
    writeWhole(this.descriptor, head, this.#position);
    writeWhole(this.descriptor, bytes, this.#position + head.length);
    this.entries.set(name, { position: this.#position + head.length, length: bytes.length });
    this.#position += head.length + bytes.length;
  }

  finish(): void {
    fsyncSync(this.descriptor);
    closeSync(this.descriptor);
    renameSync(`${this.#path}.new`, this.#path);
    syncPath(dirname(this.#path));
  }

  abandon(): void {
    closeSync(this.descriptor);
    rmSync(`${this.#path}.new`, { force: true });
  }
}

/** Reads an archive. */
export class ArchiveReader extends Archive {
  /** @throws DomainError `invalid` for an incomplete archive */
  constructor(path: string) {
    super(openSync(path, "r"));
    const { size } = statSync(path);
    if (!readBytes(this.descriptor, 0, ARCHIVE_HEAD.length).equals(ARCHIVE_HEAD))
      throw invalid("backup.not_an_archive");
    for (let position = ARCHIVE_HEAD.length; position < size; ) position = this.#readEntry(position, size);
  }

  async write(): Promise<void> {
    throw conflict("backup.archive_read_only");
  }

  close(): void {
    closeSync(this.descriptor);
  }

  /** Returns the position after the entry. */
  #readEntry(position: number, size: number): number {
    const head = readBytes(this.descriptor, position, HEADER_BYTES);
    if (head.length < HEADER_BYTES) throw invalid("backup.not_an_archive");
    const nameLength = head.readUInt16LE(0);
    const length = Number(head.readBigUInt64LE(2));
    const start = position + HEADER_BYTES + nameLength;
    if (nameLength > NAME_BYTES_MAX || start + length > size) throw invalid("backup.not_an_archive");
    const name = readBytes(this.descriptor, start - nameLength, nameLength).toString();
    this.entries.set(name, { position: start, length });
    return start + length;
  }
}
