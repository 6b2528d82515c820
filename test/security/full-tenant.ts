import { Database } from "bun:sqlite";
import { join } from "node:path";
import { Glob } from "bun";
import { getTableName, is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { generators } from "../../src/modules/generators/generators.tables.ts";

export const KIB = 1024;
const GENERATORS = getTableName(generators);

/** JSON of the most parts for its length. */
export const tinyParts = (characters: number): string => {
  const count = Math.floor((characters - 2) / 3);
  return `[${Array.from({ length: count }, () => "{}").join(",")}]`;
};
const inObject = (characters: number): string => `{"parts":${tinyParts(characters - 10)}}`;
const listOf = (count: number, item: (index: number) => object | string): string =>
  JSON.stringify(Array.from({ length: count }, (_, index) => item(index)));

const rule = (index: number) => ({
  alarmType: `alarm ${index}`,
  createRules: [{ severity: "MAJOR", condition: { key: "k", op: "EQ", value: 1 } }],
});
const keys = listOf(200, (n) => `k${n}`);
const steps = listOf(30, () => ({ type: "filter_keys", mode: "keep", keys: JSON.parse(keys) }));
const generator = JSON.stringify({
  intervalSeconds: 60,
  metrics: Array.from({ length: 100 }, (_, n) => ({ key: `k${n}`, min: 0, max: 1 })),
  deviceIds: Array.from(
    { length: 1_000 },
    (_, n) => `01996d2e-5a3c-7b10-9c0e-${String(n).padStart(12, "0")}`,
  ),
});
const action = (parts: number): string =>
  `{"type":"command","deviceIds":["x"],"method":"m","params":${tinyParts(parts)}}`;
const error = JSON.stringify({ code: "network_error.refused", params: { reason: "r".repeat(300) } });
const entries = (count: number, of: (n: number) => object) =>
  listOf(count, (n) => ({ key: `k${n}`, ...of(n) }));
const topics = listOf(100, (n) => `${n}/${"t".repeat(20)}`);
const telemetry = `[{"ts":1,"values":[["k",${tinyParts(60 * KIB)}]]}]`;

interface Filled {
  /** Most rows of a tenant, or of one owner in the API's paths. */
  readonly most: number;
  /** Most bytes of all rows, if they are limited. */
  readonly bytes?: number;
  /** Columns that differ in each row, besides a number of the database's own. */
  readonly own: readonly string[];
  /** Largest JSON of a row by column. */
  readonly json: Readonly<Record<string, string>>;
  /** Row that is copied, if not any. */
  readonly where?: string;
  /** Creates the row that is copied, of the tenant. */
  readonly seed?: string;
}

const MIB = KIB * KIB;

/** Largest stored JSON by table, and how much of it there may be. */
export const filled: Readonly<Record<string, Filled>> = {
  alarm_commands: {
    most: 1_000,
    own: [],
    json: { params: tinyParts(63 * KIB) },
    seed: `INSERT INTO alarm_commands (alarm_id, request_id, device_id, method, params)
      SELECT alarm_id, 'own', device_id, 'own', '1' FROM alarms WHERE tenant_id = ? LIMIT 1`,
  },
  alarm_events: {
    most: 1_000,
    own: ["event_id"],
    json: { params: JSON.stringify({ comment: "c".repeat(1_000) }) },
  },
  attribute_changes: { most: 1_000, own: ["key"], json: { value: tinyParts(63 * KIB) } },
  attributes: { most: 1_000, bytes: 4 * MIB, own: ["key"], json: { value: tinyParts(63 * KIB) } },
  audit_entries: {
    most: 10_000,
    own: ["audit_id"],
    json: { before: inObject(8 * KIB - 100), after: inObject(8 * KIB - 100) },
  },
  bacnet_units: {
    most: 40,
    own: ["bacnet_unit_id", "device_id"],
    json: { objects: entries(500, (n) => ({ address: `analog-input:${n}` })) },
  },
  codecs: { most: 200, bytes: 8 * MIB, own: ["codec_id", "name"], json: { functions: `["decodeUplink"]` } },
  commands: {
    most: 1_000,
    bytes: 4 * MIB,
    own: ["command_id", "request_id"],
    json: { params: tinyParts(63 * KIB), response: tinyParts(63 * KIB) },
  },
  dashboard_versions: {
    most: 50,
    own: ["version"],
    json: { content: `{"name":"own","settings":${inObject(88 * KIB)}}` },
  },
  dashboards: { most: 500, bytes: 32 * MIB, own: ["id"], json: { settings: inObject(88 * KIB) } },
  data_pipeline_versions: { most: 50, own: ["version"], json: { steps } },
  data_pipelines: { most: 100, bytes: 8 * MIB, own: ["pipeline_id"], json: { steps } },
  device_profiles: {
    most: 500,
    bytes: 8 * MIB,
    own: ["profile_id", "name"],
    json: { alarm_rules: listOf(500, rule) },
    where: "is_default = 0",
  },
  devices: {
    most: 10_000,
    own: ["device_id", "token_hash", "name"],
    json: { tags: listOf(64, (n) => `tag ${n}`) },
    where: "name = 'kept apart'",
  },
  faults: {
    most: 50,
    own: ["fault_id"],
    json: { params: JSON.stringify({ reason: "r".repeat(300) }) },
  },
  held_readings: { most: 1_000, bytes: 4 * MIB, own: [], json: { readings: telemetry } },
  integration_downlinks: {
    most: 1_000,
    bytes: 8 * MIB,
    own: ["downlink_id"],
    seed: `INSERT INTO integration_downlinks (downlink_id, tenant_id, integration_id, device_key, confirmed, payload,
        state, attempts, created_by, created_at, expires_at, next_attempt_at, changed_at)
      SELECT 'own', tenant_id, integration_id, 'own', 0, '{}', 'SENT', 0, 'own', now, now, now, now
      FROM integrations, (SELECT unixepoch() * 1000 AS now) WHERE tenant_id = ? LIMIT 1`,
    json: { payload: `{"object":${inObject(16 * KIB - 20)}}` },
  },
  integration_events: {
    most: 2_000,
    bytes: 16 * MIB,
    own: ["event_id"],
    json: { result: inObject(64 * KIB), payload: inObject(8 * KIB) },
  },
  integrations: {
    most: 100,
    bytes: 8 * MIB,
    own: ["integration_id", "name"],
    json: { mapping_steps: steps },
    where: "type = 'HTTP'",
  },
  mails: { most: 1_000, own: ["mail_id"], json: { last_error: error } },
  modbus_units: {
    most: 40,
    own: ["modbus_unit_id", "device_id"],
    json: { registers: entries(500, (n) => ({ address: n, area: "HOLDING_REGISTER", type: "INT16" })) },
  },
  mqtt_clients: {
    most: 1_000,
    bytes: 8 * MIB,
    own: ["mqtt_client_id", "name", "username"],
    json: { publish: topics, subscribe: topics },
  },
  opcua_units: {
    most: 40,
    own: ["opcua_unit_id", "device_id"],
    json: { items: entries(500, (n) => ({ address: `ns=2;s=${n}` })) },
  },
  outbound_requests: { most: 10_000, own: [], json: { last_error: error } },
  profile_keys: {
    most: 500,
    own: ["profile_id"],
    json: { metadata: entries(1_000, () => ({ unit: "A" })) },
  },
  [GENERATORS]: { most: 100, bytes: 8 * MIB, own: ["id", "name"], json: { config: generator } },
  s7_units: {
    most: 40,
    own: ["s7_unit_id", "device_id"],
    json: { tags: entries(500, (n) => ({ address: `DB1,INT${n}` })) },
  },
  scheduler_jobs: {
    most: 1_000,
    bytes: 8 * MIB,
    own: ["job_id", "name"],
    json: { action: action(63 * KIB) },
  },
  scheduler_runs: { most: 1_000, own: ["run_id", "scheduled_for"], json: { error } },
  scheduler_targets: { most: 2_000, own: ["device_id"], json: { error } },
  tenant_attributes: { most: 1_000, bytes: 32 * MIB, own: ["key"], json: { value: inObject(250 * KIB) } },
  tenant_keys: { most: 1, own: [], json: { metadata: entries(1_000, () => ({ unit: "A" })) } },
  uplinks: { most: 20, own: ["uplink_id", "name"], json: {} },
};

/** Other columns with JSON, which are never read in large numbers. */
export const small = [
  // A text and few values.
  "backup_runs.error",
  "data_pipelines.last_error",
  "integration_downlinks.error",
  "integration_events.text",
  "integrations.last_error",
  "outbound_counts.last_error",
  `${GENERATORS}.last_error`,
  // Counted with the other columns of its table, one of which is filled.
  "dashboards.aliases",
  "dashboards.configuration",
  "dashboards.layout",
  "dashboards.states",
  "dashboards.tags",
  "dashboards.time_window",
  "dashboards.widgets",
  "data_pipeline_versions.scope",
  "data_pipelines.scope",
  "device_profiles.commands",
  "device_profiles.device_requests",
  "integrations.settings",
  "scheduler_jobs.schedule",
  // At most 20 of them.
  "dashboard_shares.rotation",
  "messengers.fields",
  "messengers.severities",
  "messengers.target",
  "messengers.triggers",
  "uplinks.cursor",
  "uplinks.options",
  "uplinks.target",
  // One per tenant.
  "demo_plants.parts",
  "notification_settings.messaging",
  // A few names.
  "alarms.message_parts",
  "integration_events.origin",
  "login_identities.value",
  "modbus_connections.serial",
  "users.notification_severities",
  "__inventory.keys",
  // A few rows per turn, each of a few texts.
  "notification_flows.gathered",
  "notification_notices.cause",
  "notification_notices.message_parts",
  // Read one at a time.
  "alarm_states.state",
  "outbound_targets.headers",
  // Read at the start, before anybody is served.
  "unfinished_imports.device_ids",
  // Sent as it is.
  "outbound_requests.body",
];

/** JSON columns of all schemas, as `table.column`. */
export async function jsonColumns(): Promise<string[]> {
  const folder = join(import.meta.dir, "../../src");
  const found: string[] = [];
  for (const path of new Glob("**/*.tables.ts").scanSync(folder)) {
    const tables = Object.values(await import(join(folder, path)));
    for (const table of tables)
      if (is(table, SQLiteTable)) {
        const { name, columns } = getTableConfig(table);
        found.push(
          ...columns.filter(({ dataType }) => dataType === "json").map((column) => `${name}.${column.name}`),
        );
      }
  }
  return found.sort();
}

/** Copies a row of each table many times, with the largest JSON: up to `bytesMax` per table. */
export function fillTenant(directory: string, tenantId: string, bytesMax: number): void {
  const database = new Database(join(directory, "lineside.db"));
  database.run("PRAGMA foreign_keys=OFF");
  database.run("PRAGMA synchronous=OFF");
  for (const [
    table,
    { most, bytes = Number.POSITIVE_INFINITY, own, json, where = "1", seed },
  ] of Object.entries(filled)) {
    const size = Object.values(json).reduce((sum, text) => sum + text.length, 0);
    const rows = Math.min(most, Math.floor(Math.min(bytes, bytesMax) / size));
    const columns = database
      .query<{ name: string; pk: number; type: string }, []>(`PRAGMA table_info("${table}")`)
      .all();
    if (seed !== undefined) database.query(seed).run(tenantId);
    const hasTenant = columns.some(({ name }) => name === "tenant_id");
    const scope = `${where} AND ${hasTenant ? `(tenant_id = '${tenantId}' OR tenant_id IS NULL)` : "1"}`;
    const count = database
      .query<{ n: number }, []>(`SELECT count(*) n FROM "${table}" WHERE ${scope}`)
      .get()?.n;
    if (!count) throw new Error(`${table} has no row to copy`);
    const names = Object.keys(json);
    const copied = `(SELECT rowid FROM "${table}" WHERE ${scope} ORDER BY rowid DESC LIMIT 1)`;
    if (names.length > 0)
      database
        .query(
          `UPDATE "${table}" SET ${names.map((name) => `"${name}" = ?`).join(", ")} WHERE rowid = ${copied}`,
        )
        .run(...Object.values(json));
    const numbered = columns.filter(
      ({ pk, type, name }) => !(pk > 0 && type.toUpperCase() === "INTEGER" && !own.includes(name)),
    );
    const into = numbered.map(({ name }) => `"${name}"`).join(", ");
    const from = numbered
      .map(({ name, type }) =>
        !own.includes(name)
          ? `"${name}"`
          : type.toUpperCase() === "INTEGER"
            ? `"${name}" + n`
            : `"${name}" || '-' || n`,
      )
      .join(", ");
    if (rows > 1)
      database.run(
        `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ${Math.max(rows - 1, 0)})
         INSERT INTO "${table}" (${into}) SELECT ${from} FROM numbers, "${table}" WHERE "${table}".rowid = ${copied}`,
      );
  }
  database.close();
}

/** Text columns of which a row begins like JSON, as `table.column`. */
export function textColumnsWithJson(directory: string): string[] {
  const database = new Database(join(directory, "lineside.db"), { readonly: true });
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all();
  const found = tables.flatMap(({ name: table }) =>
    database
      .query<{ name: string }, []>(`PRAGMA table_info("${table}")`)
      .all()
      .filter(({ name }) =>
        database.query(`SELECT 1 FROM "${table}" WHERE substr("${name}", 1, 1) IN ('{', '[') LIMIT 1`).get(),
      )
      .map(({ name }) => `${table}.${name}`),
  );
  database.close();
  return found;
}
