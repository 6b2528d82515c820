import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DomainError, notFound, unavailable, unavailableDueTo } from "../../../lib/domain-error.ts";
import { syncPath, UNFINISHED, writeDurably } from "../../../platform/durable-file.ts";
import { giveToFolderOwner } from "../../../platform/file-owner.ts";
import type { BackupTarget } from "../backup.types.ts";

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function failure(path: string, error: unknown): DomainError {
  return error instanceof DomainError
    ? error
    : unavailableDueTo(error, "backup.folder_failed", { path, reason: reasonOf(error) });
}

/**
 * A repository in a folder, such as a USB stick or a mounted share. The folder itself must exist: a stick that is not plugged in must not
 * fill the disk below its mount point.
 */
export class FolderTarget implements BackupTarget {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async list(prefix: string): Promise<string[]> {
    return this.#do(() => {
      const folder = prefix.includes("/") ? prefix.slice(0, prefix.lastIndexOf("/") + 1) : "";
      const path = join(this.#path, folder);
      this.#ensureFolder();
      if (!existsSync(path)) return [];
      return readdirSync(path)
        .map((name) => folder + name)
        .filter((name) => name.startsWith(prefix) && !name.endsWith(UNFINISHED))
        .sort();
    });
  }

  async read(name: string): Promise<Uint8Array> {
    return this.#do(() => {
      const path = join(this.#path, name);
      if (!existsSync(path)) throw notFound("backup.object_missing", { name });
      return readFileSync(path);
    });
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    this.#do(() => {
      this.#ensureFolder();
      const path = join(this.#path, name);
      const folder = dirname(path);
      if (!existsSync(folder)) {
        mkdirSync(folder, { recursive: true });
        giveToFolderOwner(folder);
        syncPath(dirname(folder));
      }
      writeDurably(path, bytes, { mode: 0o600, prepare: giveToFolderOwner });
    });
  }

  async remove(name: string): Promise<void> {
    this.#do(() => rmSync(join(this.#path, name), { force: true }));
  }

  #ensureFolder(): void {
    if (!existsSync(this.#path)) throw unavailable("backup.folder_missing", { path: this.#path });
  }

  #do<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw failure(this.#path, error);
    }
  }
}
