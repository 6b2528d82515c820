import { existsSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { conflict, invalid, unavailableDueTo } from "../../lib/core/domain-error.ts";
import { MB } from "../../lib/core/units.ts";
import type { DiskGuard } from "./disk-guard.ts";

export interface UploadPart {
  /** Position of the part within the file. */
  readonly offset: number;
  /** Bytes of the whole file. */
  readonly total: number;
}

/** Uploaded archive that arrives in parts, kept in the data directory until it is read. A part at offset 0 starts a new upload. */
export class ArchiveUpload {
  readonly path: string;
  readonly #disk: Pick<DiskGuard, "ensureRoom" | "roomBytes">;
  #uploadedBytes = 0;
  #totalBytes = 0;
  /** Serializes the writes of parts. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(path: string, disk: Pick<DiskGuard, "ensureRoom" | "roomBytes">) {
    this.path = path;
    this.#disk = disk;
  }

  get progress(): { readonly uploadedBytes: number; readonly totalBytes: number } {
    return { uploadedBytes: this.#uploadedBytes, totalBytes: this.#totalBytes };
  }

  get isComplete(): boolean {
    return this.#totalBytes > 0 && this.#uploadedBytes === this.#totalBytes;
  }

  /** Deletes the file, including the file of an earlier process. */
  remove(): void {
    this.#uploadedBytes = 0;
    this.#totalBytes = 0;
    if (existsSync(this.path)) rmSync(this.path, { force: true });
  }

  /** @throws DomainError `conflict` if the offset does not match the received bytes, or if the disk has no room */
  append(part: UploadPart, bytes: Uint8Array): Promise<void> {
    const mine = this.#turn.then(() => this.#append(part, bytes));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #append({ offset, total }: UploadPart, bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0 || offset + bytes.length > total) throw invalid("backup.upload_part_invalid");
    this.#disk.ensureRoom();
    if (offset === 0) this.#begin(total);
    else if (offset !== this.#uploadedBytes || total !== this.#totalBytes)
      throw conflict("backup.upload_offset", { offset: this.#uploadedBytes });
    await this.#write(offset, bytes);
    this.#uploadedBytes = offset + bytes.length;
  }

  #begin(total: number): void {
    const room = this.#disk.roomBytes;
    if (total > room)
      throw conflict("backup.no_room", {
        neededMb: Math.ceil(total / MB),
        freeMb: Math.max(0, Math.floor(room / MB)),
      });
    this.remove();
    this.#totalBytes = total;
  }

  async #write(offset: number, bytes: Uint8Array): Promise<void> {
    let file: FileHandle | undefined;
    try {
      file = await open(this.path, offset === 0 ? "w" : "r+", 0o600);
      await file.write(bytes, 0, bytes.length, offset);
    } catch (error) {
      throw unavailableDueTo(error, "backup.upload_failed");
    } finally {
      await file?.close();
    }
  }
}
