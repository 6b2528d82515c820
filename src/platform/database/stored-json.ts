import type { Database } from "bun:sqlite";
import { getTableName } from "drizzle-orm";
import { SQLiteTextJson } from "drizzle-orm/sqlite-core";
import { StartupError } from "../process/startup-error.ts";

/** Columns with JSON in each row that is not null. */
export const JSON_COLUMNS: ReadonlyMap<string, readonly string[]> = new Map([
  ["__inventory", ["keys"]],
  ["alarm_commands", ["params"]],
  ["alarm_events", ["params"]],
  ["alarm_states", ["state"]],
  ["alarms", ["message_parts"]],
  ["attribute_changes", ["value"]],
  ["attributes", ["value"]],
  ["audit_entries", ["after", "before"]],
  ["backup_runs", ["error"]],
  ["bacnet_units", ["objects"]],
  ["codecs", ["functions"]],
  ["commands", ["error", "params", "response"]],
  ["dashboard_shares", ["rotation"]],
  ["dashboard_versions", ["content"]],
  [
    "dashboards",
    ["aliases", "configuration", "layout", "settings", "states", "tags", "time_window", "widgets"],
  ],
  ["data_pipeline_versions", ["scope", "steps"]],
  ["data_pipelines", ["last_error", "scope", "steps"]],
  ["demo_plants", ["parts"]],
  ["device_profiles", ["alarm_rules", "commands", "device_requests"]],
  ["devices", ["tags"]],
  ["faults", ["params"]],
  ["held_readings", ["readings"]],
  ["integration_downlinks", ["error", "payload"]],
  ["integration_events", ["origin", "result", "text"]],
  ["integrations", ["last_error", "mapping_steps", "settings"]],
  ["mails", ["last_error"]],
  ["messengers", ["fields", "severities", "target", "triggers"]],
  ["modbus_connections", ["serial"]],
  ["modbus_units", ["registers"]],
  ["mqtt_clients", ["publish", "subscribe"]],
  ["notification_flows", ["gathered"]],
  ["notification_notices", ["cause", "message_parts"]],
  ["notification_settings", ["messaging"]],
  ["opcua_units", ["items"]],
  ["outbound_counts", ["last_error"]],
  ["outbound_requests", ["last_error"]],
  ["outbound_targets", ["headers"]],
  ["profile_keys", ["metadata"]],
  ["rule_chains", ["config", "last_error"]],
  ["s7_units", ["tags"]],
  ["scheduler_jobs", ["action", "schedule"]],
  ["scheduler_runs", ["error"]],
  ["scheduler_targets", ["error"]],
  ["tenant_attributes", ["value"]],
  ["tenant_keys", ["metadata"]],
  ["unfinished_imports", ["device_ids"]],
  ["uplinks", ["cursor", "options", "target"]],
  ["users", ["notification_severities"]],
]);

/**
 * Value that is not JSON any more. SQLite has no checksums, so damage within a value leaves the structure of the database intact. It is an error of a
 * start as well, because some values are read then.
 */
export class DamagedValueError extends StartupError {
  constructor(table: string, column: string, cause: unknown) {
    super(
      `A value of lineside.db in the table ${table} (column ${column}) is damaged. Nothing was changed. lineside check lists all such values. lineside backup list --to <place> shows which backups are good, and lineside restore <backup> --replace --only lineside --from <place> puts back the configuration of one.`,
      { cause },
    );
  }
}

/** Parses a value of a column. @throws DamagedValueError for a value that is not JSON */
export function parseStored(text: string, table: string, column: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DamagedValueError(table, column, cause);
  }
}

/** Makes Drizzle name the table and column of a value that is not JSON. */
export function nameDamagedValues(): void {
  SQLiteTextJson.prototype.mapFromDriverValue = function (this: SQLiteTextJson<never>, text: string) {
    return parseStored(text, getTableName(this.table), this.name);
  };
}

/** Returns the columns of a database with values that are not JSON, one line each. */
export function damagedValues(database: Database): string[] {
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all();
  return tables.flatMap(({ name: table }) =>
    (JSON_COLUMNS.get(table) ?? []).flatMap((column) => {
      const count = database
        .query<{ count: number }, []>(
          `SELECT count(*) AS count FROM "${table}" WHERE NOT json_valid("${column}")`,
        )
        .get()?.count;
      return count ? [`${table}.${column} is damaged in ${count === 1 ? "one row" : `${count} rows`}`] : [];
    }),
  );
}
