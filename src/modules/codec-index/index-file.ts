import { Database } from "bun:sqlite";
import { type CodecExample, type IndexEntry, type IndexSummary, SORT_FIELDS } from "./codec-index.types.ts";

/** Version of the file's tables. Indexes of other versions must be loaded again. */
export const INDEX_VERSION = 1;

const SEARCH_WORDS_MAX = 8;

export interface IndexPage {
  readonly limit: number;
  readonly offset: number;
  /** Field of `SORT_FIELDS`, with a leading `-` for descending order. */
  readonly sort?: string | undefined;
}

interface EntryRow {
  readonly entry_id: string;
  readonly vendor: string;
  readonly model: string;
  readonly description: string;
  readonly firmware: string;
  readonly file: string;
  readonly license: string | null;
  readonly f_ports: string;
  readonly examples: string;
}

const toEntry = (row: EntryRow): IndexEntry => ({
  entryId: row.entry_id,
  vendor: row.vendor,
  model: row.model,
  description: row.description,
  firmware: row.firmware,
  file: row.file,
  license: row.license,
  fPorts: JSON.parse(row.f_ports) as number[], // `index-build.ts` wrote both
  examples: JSON.parse(row.examples) as CodecExample[],
});

/** Returns the leading ORDER BY term; empty for the default order (vendor, model). */
function orderOf(sort: string | undefined): string {
  const field = SORT_FIELDS.find((name) => name === sort?.replace("-", ""));
  return field === undefined ? "" : `${field} COLLATE NOCASE ${sort?.startsWith("-") ? "DESC" : "ASC"}, `;
}

/** Complete index: a read-only SQLite file that is replaced as a whole. */
export class IndexFile {
  readonly summary: IndexSummary;
  readonly #database: Database;

  private constructor(database: Database, summary: IndexSummary) {
    this.#database = database;
    this.summary = summary;
  }

  /** Returns undefined for an index of another version. @throws SQLiteError for a damaged file */
  static open(path: string): IndexFile | undefined {
    const database = new Database(path, { readonly: true, strict: true });
    try {
      const version = database.query<{ user_version: number }, []>("PRAGMA user_version").get();
      const row =
        version?.user_version === INDEX_VERSION
          ? database.query<{ value: string }, []>("SELECT value FROM summary").get()
          : undefined;
      if (row) return new IndexFile(database, JSON.parse(row.value) as IndexSummary);
    } catch (error) {
      database.close();
      throw error;
    }
    database.close();
    return undefined;
  }

  /** Finds the devices whose vendor and model contain all words of the search string, sorted by vendor and model. */
  search(text: string, { limit, offset, sort }: IndexPage): { total: number; entries: IndexEntry[] } {
    const words = text
      .toLowerCase()
      .split(/\s+/, SEARCH_WORDS_MAX + 1)
      .filter(Boolean)
      .slice(0, SEARCH_WORDS_MAX);
    const where = ["1", ...words.map(() => "instr(words, ?) > 0")].join(" AND ");
    const count = this.#database
      .query<{ n: number }, string[]>(`SELECT count(*) AS n FROM entry WHERE ${where}`)
      .get(...words);
    const rows = this.#database
      .query<EntryRow, (string | number)[]>(
        `SELECT * FROM entry WHERE ${where} ORDER BY ${orderOf(sort)}words, firmware, entry_id LIMIT ? OFFSET ?`,
      )
      .all(...words, limit, offset);
    return { total: count?.n ?? 0, entries: rows.map(toEntry) };
  }

  find(entryId: string): (IndexEntry & { readonly source: string }) | undefined {
    const row = this.#database
      .query<EntryRow & { source: string }, [string]>(
        "SELECT entry.*, file.text AS source FROM entry JOIN file ON file.path = entry.file WHERE entry_id = ?",
      )
      .get(entryId);
    return row ? { ...toEntry(row), source: row.source } : undefined;
  }

  close(): void {
    this.#database.close();
  }
}
