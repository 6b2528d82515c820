import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { listHotLogs } from "../../platform/hot-log-names.ts";
import type { FrozenDatabase } from "./frozen-databases.ts";

/** The first bytes of a file of the log change whenever the gateway writes it from its start. */
const HEADER_BYTES = 32;
const PAGE_BYTES = 4_096;

/**
 * Tells whether the gateway has begun a file of the telemetry's log anew. It does so only with files whose content is in the database by then; so
 * files that a backup has copied belong to the database that was frozen if none was begun anew from before the freeze until after the copy.
 */
export class HotLogWatch {
  readonly #dataPath: string;
  /** Name of the file → its header, in hexadecimal. */
  readonly #headers: ReadonlyMap<string, string>;

  constructor(dataPath: string) {
    this.#dataPath = dataPath;
    this.#headers = new Map(listHotLogs(dataPath).map((name) => [name, headerOf(join(dataPath, name))]));
  }

  /** Files that are there now, in pages. Call it when the databases are frozen. */
  files(): (FrozenDatabase & { readonly name: string })[] {
    return listHotLogs(this.#dataPath).flatMap((name) => {
      const path = join(this.#dataPath, name);
      const pages = Math.floor((statSync(path, { throwIfNoEntry: false })?.size ?? 0) / PAGE_BYTES);
      return pages === 0 ? [] : [{ name, path, pageBytes: PAGE_BYTES, pages }];
    });
  }

  isUnchanged(): boolean {
    return [...this.#headers].every(([name, header]) => headerOf(join(this.#dataPath, name)) === header);
  }
}

/** Empty for a file that is not there. */
function headerOf(path: string): string {
  const bytes = Buffer.alloc(HEADER_BYTES);
  try {
    const descriptor = openSync(path, "r");
    try {
      return bytes.toString("hex", 0, readSync(descriptor, bytes, 0, HEADER_BYTES, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return "";
  }
}
