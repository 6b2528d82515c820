import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { detail } from "../../../lib/domain-error.ts";
import { messageOf } from "../../../lib/network-error.ts";
import { syncPath, UNFINISHED, writeDurably } from "../../../platform/durable-file.ts";
import { TargetError } from "../uplink.errors.ts";
import type { ObjectStore } from "./object-store.ts";

/** Other programs read what is written. */
const FILE_MODE = 0o644;
const forbidden: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "ENAMETOOLONG"]);

/**
 * Objects as files. The folder itself must exist: a disk that is not mounted must not fill the one below its mount point. Folders within it are
 * created when they are needed.
 */
export class FolderStore implements ObjectStore {
  readonly #root: string;
  #bytesSent = 0;

  constructor(root: string) {
    if (!isAbsolute(root))
      throw new TargetError("settings", detail("uplink.folder_relative", { path: root }));
    this.#root = root;
  }

  get bytesSent(): number {
    return this.#bytesSent;
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
      this.#bytesSent += bytes.length;
    });
  }

  async remove(name: string): Promise<void> {
    await this.#do(() => {
      const path = join(this.#root, name);
      rmSync(path, { force: true });
      this.#removeEmptyFolders(dirname(path));
    });
  }

  close(): void {
    // Nothing is open between two calls.
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
      throw new TargetError(forbidden.has(code) ? "settings" : "retry", text, error);
    }
  }
}
