import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isOverwritten } from "../database/wal-position.ts";
import { DATABASE_FILES } from "./inventory.ts";

/** Endings of the files that a database in use consists of. */
const ENDINGS = ["", "-wal", "-shm"];

/**
 * Notices databases and logs that are deleted, replaced or overwritten while the gateway has them open, for example by a restored copy. The gateway
 * keeps writing to a file that ends with the process, or into a file that the next start refuses.
 */
export class FilesInPlace {
  readonly #directory: string;
  readonly #names: readonly string[];
  /** Device and inode of each file at the first check. */
  readonly #files = new Map<string, string>();
  /** Database that seemed to be overwritten at the last check. A checkpoint in progress may look so, but not twice. */
  #suspect: string | undefined;

  constructor(directory: string, names: readonly string[] = DATABASE_FILES) {
    this.#directory = directory;
    this.#names = names;
  }

  /** Returns the name of the first file that is not the one of the first call. Must be called while all databases are open. */
  async findMoved(): Promise<string | undefined> {
    for (const name of this.#names.flatMap((file) => ENDINGS.map((ending) => file + ending))) {
      const first = this.#files.get(name);
      const id = await stat(join(this.#directory, name)).then(
        ({ dev, ino }) => `${dev} ${ino}`,
        (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? undefined : first),
      );
      if (first !== undefined && first !== id) return name;
      if (id !== undefined) this.#files.set(name, id);
    }
    return undefined;
  }

  /** Returns the name of the first file that is no longer in place, or of a database that was overwritten. */
  async findReplaced(): Promise<string | undefined> {
    const moved = await this.findMoved();
    if (moved !== undefined) return moved;
    const earlier = this.#suspect;
    this.#suspect = this.#names.find((name) => isOverwritten(join(this.#directory, name)));
    return this.#suspect === earlier ? earlier : undefined;
  }
}
