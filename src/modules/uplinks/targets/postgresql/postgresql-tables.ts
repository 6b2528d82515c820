import type { SQL } from "bun";
import { responseTooLong } from "../../../../platform/network/limited-relay.ts";
import { identifier, quoteName, quoteText } from "./postgresql-names.ts";
import type { TableColumn } from "./postgresql-rows.ts";

/** Lets the server report warnings and errors only, during a transaction. Other reports can be one for each column or row. */
export const WARNINGS_ONLY = "set_config('client_min_messages', 'warning', true)";
/** Lock under which gateways create missing tables one after the other. The number should not be used by other programs. */
const LOCK = `SELECT ${WARNINGS_ONLY}, pg_advisory_xact_lock(7311203412)`;

/** Columns per page, with names of at most 63 bytes. */
const PAGE_COLUMNS = 500;
/** Max. characters of the names of all columns. */
const COLUMNS_CHARACTERS_MAX = 2 * 1024 * 1024;
/** Characters that each column counts in addition to its names. */
const COLUMN_CHARACTERS = 15;

interface Table {
  readonly columns: string;
  readonly indexes?: readonly string[];
}

const eventTables: Readonly<Record<string, Table>> = {
  devices: {
    columns: `device uuid PRIMARY KEY, name text NOT NULL, type text NOT NULL, site text NOT NULL, tags jsonb NOT NULL,
      created_at timestamptz, deleted_at timestamptz`,
  },
  attributes: {
    columns: `device uuid NOT NULL, scope text NOT NULL, key text NOT NULL, value jsonb NOT NULL, ts timestamptz NOT NULL,
      PRIMARY KEY (device, scope, key)`,
  },
  alarms: {
    columns: `alarm_id text PRIMARY KEY, device uuid NOT NULL, type text NOT NULL, severity text NOT NULL, status text NOT NULL,
      message text NOT NULL, updated_at timestamptz NOT NULL`,
    indexes: ["device"],
  },
  alarm_events: {
    columns: `event_id text PRIMARY KEY, alarm_id text NOT NULL, device uuid NOT NULL, type text NOT NULL, severity text NOT NULL,
      status text NOT NULL, event text NOT NULL, message text NOT NULL, ts timestamptz NOT NULL`,
    indexes: ["device, ts"],
  },
};

/**
 * Tables of one schema. Existing ones are read once, and missing ones created, so that the privilege to create is only needed if something is
 * missing.
 */
export class PostgresqlTables {
  readonly #schema: string;
  /** Columns by table; undefined until read. */
  #columns: Map<string, Set<string>> | undefined;

  constructor(schema: string) {
    this.#schema = schema;
  }

  /** Returns the quoted name of a table with its schema. */
  qualified(table: string): string {
    return `${quoteName(this.#schema)}.${quoteName(table)}`;
  }

  /** Returns the names of existing tables that begin with the prefix. */
  withPrefix(prefix: string): string[] {
    return [...(this.#columns?.keys() ?? [])].filter((table) => table.startsWith(prefix));
  }

  has(table: string, column: string): boolean {
    return this.#columns?.get(table)?.has(column) ?? false;
  }

  /** Forgets the existing tables, which are read again when needed. */
  forget(): void {
    this.#columns = undefined;
  }

  async ensureEvents(sql: SQL): Promise<void> {
    const tables = await this.#read(sql);
    for (const [table, { columns, indexes = [] }] of Object.entries(eventTables)) {
      if (tables.has(table)) continue;
      const statements = [`CREATE TABLE IF NOT EXISTS ${this.qualified(table)} (${columns})`];
      for (const index of indexes)
        statements.push(
          `CREATE INDEX IF NOT EXISTS ${table}_by_device ON ${this.qualified(table)} (${index})`,
        );
      await this.#create(sql, statements);
      tables.set(table, new Set());
    }
  }

  /** Creates the table of values, or adds missing columns. */
  async ensureValues(
    sql: SQL,
    { table, columns, key }: { table: string; columns: readonly TableColumn[]; key: readonly string[] },
  ): Promise<void> {
    const present = (await this.#read(sql)).get(table);
    const name = this.qualified(table);
    if (present === undefined) {
      const definitions = columns.map((column) => `${quoteName(column.name)} ${column.type}`);
      await this.#create(sql, [
        `CREATE TABLE IF NOT EXISTS ${name} (${definitions.join(", ")}, PRIMARY KEY (${key.map(quoteName).join(", ")}))`,
      ]);
      await this.#createHypertable(sql, table);
    }
    // Another gateway may have created the table meanwhile, with other columns.
    const lacking = columns.filter((column) => !present?.has(column.name));
    if (lacking.length > 0) {
      const additions = lacking.map(
        (column) => `ADD COLUMN IF NOT EXISTS ${quoteName(column.name)} ${column.type}`,
      );
      await this.#create(sql, [`ALTER TABLE ${name} ${additions.join(", ")}`]);
    }
    const all = present ?? new Set();
    for (const column of columns) all.add(column.name);
    this.#columns?.set(table, all);
  }

  async #createHypertable(sql: SQL, table: string): Promise<void> {
    const name = this.qualified(table);
    const index = quoteName(identifier(`${table}_by_time`));
    const [extension] = await sql.unsafe(
      "SELECT nspname FROM pg_proc JOIN pg_namespace AS n ON n.oid = pronamespace WHERE proname = 'create_hypertable' LIMIT 1",
    );
    const create = `${quoteName(extension?.nspname ?? "")}.create_hypertable`;
    // Without TimescaleDB, a small index by time lets a retention find what is old.
    const statement =
      extension === undefined
        ? `CREATE INDEX IF NOT EXISTS ${index} ON ${name} USING brin (ts)`
        : `SELECT ${create}(${quoteText(name)}::regclass, 'ts'::name, if_not_exists => true)`;
    await this.#create(sql, [statement]);
  }

  async #read(sql: SQL): Promise<Map<string, Set<string>>> {
    if (this.#columns !== undefined) return this.#columns;
    const [found] = await sql.unsafe("SELECT 1 FROM pg_namespace WHERE nspname = $1", [this.#schema]);
    if (found === undefined)
      await this.#create(sql, [`CREATE SCHEMA IF NOT EXISTS ${quoteName(this.#schema)}`]);
    const tables = new Map<string, Set<string>>();
    for await (const { relname, attname } of this.#readColumns(sql)) {
      const columns = tables.get(relname) ?? new Set<string>();
      tables.set(relname, columns.add(attname));
    }
    this.#columns = tables;
    return tables;
  }

  /**
   * Reads all columns in pages, because a decoded response takes a multiple of its bytes.
   * @throws DomainError for more than a schema has, or values other than names
   */
  async *#readColumns(sql: SQL): AsyncGenerator<{ relname: string; attname: string }> {
    let characters = 0;
    let page: readonly { relname: string; attname: string }[];
    let last = { relname: "", attname: "" };
    do {
      page = await sql.unsafe(
        `SELECT relname, attname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace JOIN pg_attribute ON attrelid = c.oid
          WHERE nspname = $1 AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped AND (relname, attname) > ($2::name, $3::name)
          ORDER BY relname, attname LIMIT ${PAGE_COLUMNS}`,
        [this.#schema, last.relname, last.attname],
      );
      for (const { relname, attname } of page) {
        if (typeof relname !== "string" || typeof attname !== "string") throw responseTooLong();
        characters += COLUMN_CHARACTERS + relname.length + attname.length;
      }
      if (characters > COLUMNS_CHARACTERS_MAX) throw responseTooLong();
      last = page.at(-1) ?? last;
      yield* page;
    } while (page.length === PAGE_COLUMNS);
  }

  async #create(sql: SQL, statements: readonly string[]): Promise<void> {
    await sql.begin(async (transaction) => {
      await transaction.unsafe(LOCK);
      for (const statement of statements) await transaction.unsafe(statement);
    });
  }
}
