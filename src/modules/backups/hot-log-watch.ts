import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { listHotLogs } from "../../platform/hot-log-names.ts";
import type { FrozenDatabase } from "./frozen-databases.ts";

/** The first bytes of a file of the log change whenever the gateway writes it from its start. */
const HEADER_BYTES = 32;
const PAGE_BYTES = 4_096;

/**
 * Watch that tells whether the gateway has reused a file of the hot log, which it does only once the rows of a file are in the database. If no file is
 * reused between the freeze and the end of the copy, the copied files belong to the frozen database.
 */
export class HotLogWatch {
  readonly #dataPath: string;
  readonly #states: ReadonlyMap<string, FileState>;

  constructor(dataPath: string) {
    this.#dataPath = dataPath;
    this.#states = new Map(listHotLogs(dataPath).map((name) => [name, stateOf(join(dataPath, name))]));
  }

  /** Files that are there now, in pages. Call it when the databases are frozen. */
  files(): (FrozenDatabase & { readonly name: string })[] {
    return listHotLogs(this.#dataPath).flatMap((name) => {
      const path = join(this.#dataPath, name);
      const pages = Math.floor((statSync(path, { throwIfNoEntry: false })?.size ?? 0) / PAGE_BYTES);
      return pages === 0 ? [] : [{ name, path, pageBytes: PAGE_BYTES, pages }];
    });
  }

  /** A file may have grown, but neither been cut nor begun anew. */
  isUnchanged(): boolean {
    return [...this.#states].every(([name, before]) => {
      const { header, bytes } = stateOf(join(this.#dataPath, name));
      return header === before.header && bytes >= before.bytes;
    });
  }
}

interface FileState {
  /** In hexadecimal. */
  readonly header: string;
  readonly bytes: number;
}

function stateOf(path: string): FileState {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(path, "r");
  try {
    const count = readSync(descriptor, bytes, 0, HEADER_BYTES, 0);
    return { header: bytes.toString("hex", 0, count), bytes: fstatSync(descriptor).size };
  } finally {
    closeSync(descriptor);
  }
}
