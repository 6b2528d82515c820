import { randomUUID } from "node:crypto";
import type { SQL } from "bun";
import { DomainError, detail, unavailable } from "../../../../lib/core/domain-error.ts";
import { messageOf } from "../../../../lib/core/error-message.ts";
import { networkErrorText } from "../../../../lib/network/network-error.ts";
import { excerpt } from "../../../../lib/strings/excerpt.ts";
import { LimitedRelay } from "../../../../platform/network/limited-relay.ts";
import { type Reaction, TargetError } from "../../target.errors.ts";
import type {
  Batch,
  DeletionRecord,
  RowsRecord,
  Target,
  TargetContext,
  UplinkRecord,
} from "../../target.types.ts";
import { bareHost, type TlsOptions, tlsOptions } from "../tls-options.ts";
import { CopyWriter } from "./copy-writer.ts";
import type { PostgresqlSettings } from "./postgresql.schemas.ts";
import { PostgresqlEvents } from "./postgresql-events.ts";
import { quoteName } from "./postgresql-names.ts";
import { PostgresqlResponses } from "./postgresql-responses.ts";
import {
  ensureUuid,
  type Layout,
  narrowLayout,
  type RowGroup,
  WIDE_PREFIX,
  wideColumnsOf,
  wideLayout,
} from "./postgresql-rows.ts";
import { signIn } from "./postgresql-sign-in.ts";
import { PostgresqlTables, WARNINGS_ONLY } from "./postgresql-tables.ts";

const REASON_CHARACTERS_MAX = 300;

const UNIQUE_VIOLATION = "23505";
/** SQLSTATEs of a removed table or column. */
const MISSING: ReadonlySet<string> = new Set(["42P01", "42703"]);

/** Returns the SQLSTATE of an error that the server has reported. */
function stateOf(error: unknown): string | undefined {
  const state = error instanceof Error && "errno" in error ? error.errno : undefined;
  return typeof state === "string" && /^[\dA-Z]{5}$/.test(state) ? state : undefined;
}

function reactionTo(state: string): Reaction {
  if (MISSING.has(state)) return "retry";
  // Data that cannot be stored, or that a rule of the table refuses.
  if (/^(22|23|44)/.test(state)) return "refused";
  // Credentials, database, schema, privileges, a table of another form, limits such as the number of columns.
  if (/^(28|3D|3F|42|54|0A)/.test(state)) return "settings";
  return "retry";
}

const codes = {
  refused: "uplink.batch_refused",
  settings: "uplink.settings_refused",
  retry: "uplink.target_failed",
} as const;

/** Converts an error of the server or the client to a TargetError. */
function targetErrorOf(error: unknown): TargetError {
  if (error instanceof TargetError) return error;
  const state = stateOf(error);
  if (state !== undefined) {
    const reaction = reactionTo(state);
    const reason = excerpt(messageOf(error), REASON_CHARACTERS_MAX);
    const code = state.startsWith("28") ? "uplink.access_refused" : codes[reaction];
    return new TargetError(reaction, detail(code, { reason }), error);
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = error instanceof DomainError ? networkErrorText(error) : connectionReason(error, code);
  return new TargetError("retry", detail("uplink.unreachable", { reason }), error);
}

function connectionReason(error: unknown, code: string) {
  if (code === "ERR_POSTGRES_CONNECTION_REFUSED") return detail("network_error.refused");
  if (code === "ERR_POSTGRES_CONNECTION_CLOSED" || code === "ERR_POSTGRES_CONNECTION_FAILED")
    return detail("network_error.reset");
  if (code === "ERR_POSTGRES_CONNECTION_TIMEOUT") return detail("network_error.timed_out");
  return networkErrorText(error);
}

const ADDRESSES_MAX = 3;
/** Max. bytes of a response: a page of columns takes up to 70 kB. Values of JSON columns, decoded, take up to 40 times their bytes. */
const RESPONSE_BYTES_MAX = 128 * 1024;
const CHUNK_BYTES = 256 * 1024;
const STAGE = "lineside_stage";
/** Settings of a transaction: what it confirms must not be lost by a server that delays writing to its disk. */
const TRANSACTION = `SELECT ${WARNINGS_ONLY}, CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', true) END`;
/** Latest time of a Date, which PostgreSQL supports as well. */
const TIME_MAX_MS = 8.64e15;

const timeOf = (epochMs: number): string =>
  new Date(Math.min(Math.max(epochMs, 0), TIME_MAX_MS)).toISOString();

/** Rows of a batch that are written together, or another record, in order. */
type Step = readonly RowGroup[] | Exclude<UplinkRecord, RowsRecord>;
const isGroups = (step: Step): step is readonly RowGroup[] => Array.isArray(step);

class PostgresqlTarget implements Target {
  readonly inFlightMax = 1;
  readonly #settings: PostgresqlSettings;
  readonly #context: TargetContext;
  readonly #tls: TlsOptions | undefined;
  readonly #layout: Layout;
  readonly #tables: PostgresqlTables;
  readonly #events: PostgresqlEvents;
  readonly #writer = new CopyWriter();
  #client: SQL | undefined;
  #relay: LimitedRelay | undefined;
  #bytesSent = 0;
  /** Index of the address to try next. */
  #address = 0;

  constructor(settings: PostgresqlSettings, context: TargetContext) {
    this.#settings = settings;
    this.#context = context;
    this.#tls = settings.tls === null ? undefined : tlsOptions(settings.tls, settings.host, context);
    this.#layout = settings.layout === "WIDE" ? wideLayout : narrowLayout;
    this.#tables = new PostgresqlTables(settings.schema);
    this.#events = new PostgresqlEvents(this.#tables);
  }

  get bytesSent(): number {
    return this.#bytesSent;
  }

  async check(signal: AbortSignal): Promise<void> {
    // What was created before may have been removed.
    this.#tables.forget();
    await this.#run(signal, (sql) => this.#prepare(sql, []));
  }

  async send({ records }: Batch, signal: AbortSignal): Promise<void> {
    await this.#run(signal, async (sql) => {
      const steps = this.#stepsOf(records);
      await this.#prepare(sql, steps);
      try {
        await this.#transact(sql, records, steps, false);
      } catch (error) {
        if (stateOf(error) !== UNIQUE_VIOLATION) throw error;
        await this.#transact(sql, records, steps, true);
      }
    });
  }

  async close(): Promise<void> {
    await this.#disconnect();
  }

  /** Runs work on a connection, which is kept unless the work fails, is aborted or takes too long. */
  async #run(signal: AbortSignal, work: (sql: SQL) => Promise<void>): Promise<void> {
    signal.throwIfAborted();
    const { timeoutMs } = this.#settings;
    const controller = new AbortController();
    const interrupted = Promise.withResolvers<never>();
    const interrupt = (reason: unknown) => {
      controller.abort(reason);
      interrupted.reject(reason);
    };
    const abort = () => interrupt(signal.reason);
    signal.addEventListener("abort", abort);
    const timer = setTimeout(
      () => interrupt(unavailable("network_error.no_response_within", { ms: timeoutMs })),
      timeoutMs,
    );
    try {
      await Promise.race([this.#connect(controller.signal).then(work), interrupted.promise]);
    } catch (error) {
      const failure = stateOf(error) === undefined ? this.#relay?.failure : undefined;
      await this.#disconnect();
      signal.throwIfAborted();
      throw targetErrorOf(failure ?? error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  async #connect(signal: AbortSignal): Promise<SQL> {
    if (this.#client !== undefined) return this.#client;
    const { host, port, database, user, password, timeoutMs } = this.#settings;
    const addresses = (await this.#context.resolve(host, port)).slice(0, ADDRESSES_MAX);
    signal.throwIfAborted();
    const address = addresses[this.#address++ % addresses.length] ?? "";
    this.#tables.forget();
    this.#events.forget();
    const ticket = randomUUID();
    const credentials = { host: bareHost(host), database, user, password: password ?? "", tls: this.#tls };
    const responses = new PostgresqlResponses();
    // The client keeps a response of any length.
    const relay = await LimitedRelay.open({
      host: address,
      port,
      timeoutMs,
      signal,
      bytesPerSent: 0,
      responseBytesMax: RESPONSE_BYTES_MAX,
      endsResponse: (bytes) => responses.take(bytes),
      signIn: (socket) => signIn(socket, credentials, ticket),
    });
    this.#relay = relay;
    this.#client = new Bun.SQL({
      adapter: "postgres",
      hostname: relay.host,
      port: relay.port,
      username: ticket,
      tls: "disable",
      max: 1,
      connectionTimeout: Math.ceil(timeoutMs / 1_000),
    });
    return this.#client;
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.close({ timeout: 0 });
    this.#relay?.close();
    this.#relay = undefined;
  }

  #stepsOf(records: readonly UplinkRecord[]): Step[] {
    const steps: Step[] = [];
    let rows: RowsRecord[] = [];
    for (const record of records) {
      if (record.kind === "rows") {
        rows.push(record);
        continue;
      }
      steps.push(this.#layout.groups(rows), record);
      rows = [];
    }
    steps.push(this.#layout.groups(rows));
    return steps;
  }

  async #prepare(sql: SQL, steps: readonly Step[]): Promise<void> {
    await this.#tables.ensureEvents(sql);
    for (const step of steps.filter(isGroups))
      for (const { table, columns } of step)
        await this.#tables.ensureValues(sql, { table, columns, key: this.#layout.key });
  }

  async #transact(
    sql: SQL,
    records: readonly UplinkRecord[],
    steps: readonly Step[],
    mayExist: boolean,
  ): Promise<void> {
    const remember = await sql.begin(async (transaction) => {
      await transaction.unsafe(TRANSACTION);
      const written = await this.#events.devices(transaction, records);
      for (const step of steps)
        if (isGroups(step)) for (const group of step) await this.#copy(transaction, group, mayExist);
        else await this.#apply(transaction, step);
      return written;
    });
    remember();
  }

  async #apply(sql: SQL, record: Exclude<UplinkRecord, RowsRecord>): Promise<void> {
    switch (record.kind) {
      case "deletion":
        return this.#delete(sql, record);
      case "attributes":
        return this.#events.attributes(sql, record);
      case "alarm":
        return this.#events.alarm(sql, record);
      case "device":
        return this.#events.device(sql, record);
    }
  }

  async #copy(sql: SQL, group: RowGroup, mayExist: boolean): Promise<void> {
    const table = this.#tables.qualified(group.table);
    const names = group.columns.map(({ name }) => quoteName(name)).join(", ");
    if (mayExist) {
      const columns = group.columns.map(({ name, type }) => `${quoteName(name)} ${type}`).join(", ");
      const ordinal = "ordinal bigint GENERATED ALWAYS AS IDENTITY";
      await sql.unsafe(`CREATE TEMPORARY TABLE ${STAGE} (${ordinal}, ${columns}) ON COMMIT DROP`);
    }
    this.#writer.begin();
    group.write(this.#writer);
    const bytes = this.#writer.end();
    this.#bytesSent += bytes.length;
    const copy = `COPY ${mayExist ? `pg_temp.${STAGE}` : table} (${names}) FROM STDIN (FORMAT binary)`;
    const stream = sql.unsafe(copy).writable().getWriter();
    for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES)
      await stream.write(bytes.subarray(offset, offset + CHUNK_BYTES));
    await stream.close();
    if (!mayExist) return;
    await sql.unsafe(this.#layout.mergeSql(table, `pg_temp.${STAGE}`, group.columns));
    await sql.unsafe(`DROP TABLE pg_temp.${STAGE}`);
  }

  async #delete(sql: SQL, { device, keys, from, to }: DeletionRecord): Promise<void> {
    const isInRange = "device = $1::uuid AND ts >= $2::timestamptz AND ts <= $3::timestamptz";
    const range = [ensureUuid(device), timeOf(from), timeOf(to)];
    if (this.#settings.layout === "NARROW") {
      if (!this.#tables.has("telemetry", "ts")) return;
      const isOfKeys = "($4::text IS NULL OR key IN (SELECT jsonb_array_elements_text($4::text::jsonb)))";
      const parameters = [...range, keys === null ? null : JSON.stringify(keys)];
      await sql.unsafe(
        `DELETE FROM ${this.#tables.qualified("telemetry")} WHERE ${isInRange} AND ${isOfKeys}`,
        parameters,
      );
      return;
    }
    // The device may have had another type before.
    for (const table of this.#tables.withPrefix(WIDE_PREFIX)) {
      const name = this.#tables.qualified(table);
      if (keys === null) {
        await sql.unsafe(`DELETE FROM ${name} WHERE ${isInRange}`, range);
        continue;
      }
      const columns = keys.flatMap(wideColumnsOf).filter((column) => this.#tables.has(table, column));
      if (columns.length === 0) continue;
      const changes = columns.map((column) => `${quoteName(column)} = NULL`).join(", ");
      await sql.unsafe(`UPDATE ${name} SET ${changes} WHERE ${isInRange}`, range);
    }
  }
}

/**
 * Stores all records in a PostgreSQL database, with or without TimescaleDB. It creates missing tables in a separate schema, which the gateways
 * of many sites can share:
 *
 * - `telemetry` (layout NARROW): `device uuid, key text, ts timestamptz` are the primary key; `number double precision, boolean boolean, text
 *   text, json jsonb`; only the column of the value's type is set.
 * - `telemetry_<device type>` (layout WIDE): `device uuid, ts timestamptz` are the primary key; a column per key is added with its first value.
 *   Numbers are in the column `key`, other values in `key_bool`, `key_str` and `key_json`, so a key may have values of several types. PostgreSQL
 *   allows 1,600 columns. Names longer than 63 bytes are truncated and end with a hash.
 * - `devices`: `device` (primary key), `name`, `type`, `site`, `tags jsonb`, `created_at`, `deleted_at`, which is set when the device is deleted.
 *   Its values are kept until their deletion is sent.
 * - `attributes`: `device, scope, key` (primary key), `value jsonb`, `ts`; a deleted attribute is removed.
 * - `alarms`: the state of each alarm by `alarm_id`; `alarm_events`: events of alarms by `event_id`.
 *
 * If the function `create_hypertable` exists, tables of values become hypertables by `ts`, otherwise they have a BRIN index by `ts`.
 *
 * A batch is one transaction: binary COPY into the tables or, if a row already exists, COPY into a temporary table and then
 * `INSERT … ON CONFLICT`, so a repeated batch changes nothing and a value rewritten at the gateway replaces the earlier one. The commit confirms
 * it; `synchronous_commit = off` is overridden for it. Deletions are executed; in WIDE, single keys become null. NaN and infinities are stored.
 * U+0000, which PostgreSQL cannot store, becomes U+FFFD.
 */
export const createPostgresqlTarget = (settings: PostgresqlSettings, context: TargetContext): Target =>
  new PostgresqlTarget(settings, context);
