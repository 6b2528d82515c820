import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import {
  DomainError,
  invalid,
  notFound,
  unavailable,
  unavailableDueTo,
} from "../../../lib/core/domain-error.ts";
import { messageOf } from "../../../lib/core/error-message.ts";
import { isUnreadableFile } from "../../../platform/files/data-file.ts";
import { syncPath, UNFINISHED, writeDurably } from "../../../platform/files/durable-file.ts";
import { giveToFolderOwner } from "../../../platform/files/file-owner.ts";
import { storageFaultOf } from "../../../platform/files/storage-fault.ts";
import { unmountedPointOf } from "../../../platform/files/unmounted-disk.ts";
import { bytesMaxOf } from "../object-limits.ts";
import type { BackupTarget } from "../snapshot.types.ts";

/** Folders with backup objects; other folders at the location are ignored. */
const OBJECT_FOLDERS = ["", "packs", "maps", "snapshots"];

function failure(path: string, error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  return storageFaultOf(error) === "full"
    ? unavailableDueTo(error, "backup.place_full", { path })
    : unavailableDueTo(error, "backup.folder_failed", { path, reason: messageOf(error) });
}

/** Returns the size of a file; undefined if it is missing or damaged. */
function sizeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size;
  } catch (error) {
    if (isUnreadableFile(error)) return undefined;
    throw error;
  }
}

/**
 * Repository in a folder, such as a USB stick or a mounted share. The folder must exist, so that a missing stick does not fill the disk below its
 * mount point.
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

  async sizes(prefix: string): Promise<ReadonlyMap<string, number>> {
    const names = await this.list(prefix);
    return this.#do(
      () =>
        new Map(
          names.flatMap((name) => {
            const bytes = sizeOf(join(this.#path, name));
            return bytes === undefined ? [] : [[name, bytes] as const];
          }),
        ),
    );
  }

  async read(name: string): Promise<Uint8Array> {
    return this.#do(() => {
      const path = join(this.#path, name);
      try {
        const state = statSync(path, { throwIfNoEntry: false });
        if (state === undefined) throw notFound("backup.object_missing", { name });
        // Reading a pipe would block forever.
        if (!state.isFile() || state.size > bytesMaxOf(name))
          throw invalid("backup.object_damaged", { name });
        return readFileSync(path);
      } catch (error) {
        throw isUnreadableFile(error) ? invalid("backup.object_damaged", { name }) : error;
      }
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

  async removeUnfinished(): Promise<void> {
    this.#do(() => {
      for (const { name, parentPath } of readdirSync(this.#path, { recursive: true, withFileTypes: true }))
        if (OBJECT_FOLDERS.includes(relative(this.#path, parentPath)) && name.endsWith(UNFINISHED))
          rmSync(join(parentPath, name), { force: true });
    });
  }

  #ensureFolder(): void {
    if (!existsSync(this.#path)) throw unavailable("backup.folder_missing", { path: this.#path });
    const isEmpty = readdirSync(this.#path).length === 0;
    const point = isEmpty ? unmountedPointOf(realpathSync(this.#path)) : undefined;
    if (point !== undefined) throw unavailable("backup.folder_unmounted", { path: this.#path, point });
  }

  #do<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw failure(this.#path, error);
    }
  }
}
