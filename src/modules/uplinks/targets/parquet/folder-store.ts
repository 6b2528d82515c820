import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { detail } from "../../../../lib/core/domain-error.ts";
import { messageOf } from "../../../../lib/core/error-message.ts";
import { syncPath, UNFINISHED, writeDurably } from "../../../../platform/files/durable-file.ts";
import { TargetError } from "../../target.errors.ts";

/** Readable for other programs. */
const FILE_MODE = 0o644;
const FORBIDDEN: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "ENAMETOOLONG"]);

/**
 * Objects as files. The folder must exist, so that a missing disk does not fill the one below its mount point. Folders within it are created as
 * needed.
 */
export class FolderStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async list(prefix: string): Promise<string[]> {
    return this.#do(() => {
      const folder = join(this.#root, prefix);
      if (!existsSync(folder)) return [];
      return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.endsWith(UNFINISHED))
        .map((entry) => relative(this.#root, join(entry.parentPath, entry.name)));
    });
  }

  async has(name: string): Promise<boolean> {
    return this.#do(() => existsSync(join(this.#root, name)));
  }

  async read(name: string): Promise<Uint8Array> {
    return this.#do(() => readFile(join(this.#root, name)));
  }

  async write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#do(() => {
      const path = join(this.#root, name);
      this.#createFolder(dirname(path));
      writeDurably(path, bytes, { mode: FILE_MODE });
    });
  }

  async remove(name: string): Promise<void> {
    await this.#do(() => {
      const path = join(this.#root, name);
      rmSync(path, { force: true });
      this.#removeEmptyFolders(dirname(path));
    });
  }

  #createFolder(folder: string): void {
    if (existsSync(folder)) return;
    this.#createFolder(dirname(folder));
    mkdirSync(folder);
    syncPath(dirname(folder));
  }

  #removeEmptyFolders(folder: string): void {
    for (let current = folder; current.startsWith(`${this.#root}/`); current = dirname(current)) {
      if (!existsSync(current)) continue;
      if (readdirSync(current).length > 0) return;
      rmdirSync(current);
    }
  }

  async #do<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    try {
      if (!existsSync(this.#root))
        throw new TargetError("retry", detail("backup.folder_missing", { path: this.#root }));
      return await work();
    } catch (error) {
      if (error instanceof TargetError) throw error;
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      const text = detail("backup.folder_failed", { path: this.#root, reason: messageOf(error) });
      throw new TargetError(FORBIDDEN.has(code) ? "settings" : "retry", text, error);
    }
  }
}
