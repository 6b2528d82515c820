import type { Database } from "bun:sqlite";
import { MIB } from "../../lib/core/units.ts";
import { collectionTooLarge, tooMany } from "./codec-index.errors.ts";
import { indexLimits } from "./index-limits.ts";

const { filesMax, keptBytesMax, scriptBytesMax, descriptionBytesMax, pathCharactersMax } = indexLimits;

const SCRIPT = /\.js$/i;
const DESCRIPTION = /\.(ya?ml|toml|json)$|(^|\/)licen[cs]e(\.txt|\.md)?$/i;

/**
 * Returns a name within a collection as a relative path; undefined if it leads outside. Collected files are rows of a table and never get these
 * names on disk.
 */
export function collectionPath(name: string): string | undefined {
  if (name.length > pathCharactersMax || name.startsWith("/")) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\\\u0000-\u001f\u007f-\u009f]/.test(name)) return undefined;
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  return parts.length === 0 || parts.includes("..") ? undefined : parts.join("/");
}

/** Files of a collection relevant to codecs, stored in the index being built. */
export class CollectedFiles {
  readonly #insert;
  readonly #find;
  readonly #list;
  #files = 0;
  #bytes = 0;
  #skipped = 0;

  constructor(database: Database) {
    database.run("CREATE TABLE file (path TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID");
    this.#insert = database.prepare("INSERT OR REPLACE INTO file VALUES (?, ?)");
    this.#find = database.prepare<{ text: string }, [string]>("SELECT text FROM file WHERE path = ?");
    this.#list = database.prepare<{ path: string }, []>("SELECT path FROM file ORDER BY path");
  }

  /** Number of skipped files: too large, not text, or with a name that leads outside. */
  get skipped(): number {
    return this.#skipped;
  }

  /** Returns the max. bytes of a file with this name; 0 if it is not needed. */
  bytesMax(name: string): number {
    if (SCRIPT.test(name)) return scriptBytesMax;
    return DESCRIPTION.test(name) ? descriptionBytesMax : 0;
  }

  skip(): void {
    this.#skipped++;
  }

  /** @throws DomainError `codec_index.collection_too_large`, `codec_index.too_many` */
  add(name: string, bytes: Uint8Array): void {
    const path = collectionPath(name);
    if (path === undefined || bytes.length > this.bytesMax(name)) {
      this.skip();
      return;
    }
    if (++this.#files > filesMax) throw tooMany(filesMax);
    this.#bytes += bytes.length;
    if (this.#bytes > keptBytesMax) throw collectionTooLarge(keptBytesMax / MIB);
    try {
      this.#insert.run(path, new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.skip();
    }
  }

  text(path: string): string | undefined {
    return this.#find.get(path)?.text;
  }

  paths(): string[] {
    return this.#list.all().map(({ path }) => path);
  }
}
