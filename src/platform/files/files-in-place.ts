import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DATABASE_FILES } from "./inventory.ts";

/**
 * Notices databases that are deleted or replaced while the gateway has them open, for example by a restored copy. The gateway keeps writing to the
 * old file, which ends with the process.
 */
export class FilesInPlace {
  readonly #directory: string;
  /** Device and inode of each file at the first check. */
  readonly #files = new Map<string, string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns the name of the first file that is no longer in place. Must be called while all databases are open. */
  async findReplaced(): Promise<string | undefined> {
    for (const name of DATABASE_FILES) {
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
}
