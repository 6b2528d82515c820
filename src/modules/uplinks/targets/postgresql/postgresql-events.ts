import type { SQL } from "bun";
import { iso } from "../../../../lib/time/iso-time.ts";
import type {
  AlarmRecord,
  AttributesRecord,
  DeviceRecord,
  UplinkDevice,
  UplinkRecord,
} from "../../target.types.ts";
import { storableJson } from "./copy-writer.ts";
import { ensureUuid } from "./postgresql-rows.ts";
import type { PostgresqlTables } from "./postgresql-tables.ts";

const DEVICES_MAX = 50_000;
const json = (value: unknown): string => storableJson(JSON.stringify(value));
const timeOf = (epochMs: number): string => iso(epochMs);

/** Writes devices, attributes and alarms. An older record never replaces a newer one. */
export class PostgresqlEvents {
  readonly #tables: PostgresqlTables;
  /** Content last written about each device, by its id. */
  #written = new Map<string, string>();

  constructor(tables: PostgresqlTables) {
    this.#tables = tables;
  }

  forget(): void {
    this.#written.clear();
  }

  /** Writes new and changed devices. Returns a function that remembers them, to be called after the commit. */
  async devices(sql: SQL, records: readonly UplinkRecord[]): Promise<() => void> {
    const changed = new Map<string, UplinkDevice>();
    for (const { device } of records)
      if (this.#written.get(device.deviceId) !== JSON.stringify(device)) changed.set(device.deviceId, device);
    if (changed.size === 0) return () => undefined;
    const rows = [...changed.values()].map((device) => ({ ...device, device: ensureUuid(device) }));
    await sql.unsafe(
      `INSERT INTO ${this.#tables.qualified("devices")} (device, name, type, site, tags)
        SELECT device, name, type, site, tags
        FROM jsonb_to_recordset($1::text::jsonb) AS r(device uuid, name text, type text, site text, tags jsonb)
        ON CONFLICT (device) DO UPDATE SET name = excluded.name, type = excluded.type, site = excluded.site, tags = excluded.tags`,
      [json(rows)],
    );
    return () => {
      if (this.#written.size + changed.size > DEVICES_MAX) this.#written.clear();
      for (const [deviceId, device] of changed) this.#written.set(deviceId, JSON.stringify(device));
    };
  }

  async device(sql: SQL, { device, change, ts }: DeviceRecord): Promise<void> {
    const changes: Record<DeviceRecord["change"], string> = {
      created: "created_at = $2::timestamptz, deleted_at = NULL",
      updated: "deleted_at = CASE WHEN deleted_at > $2::timestamptz THEN deleted_at END",
      deleted: "deleted_at = $2::timestamptz",
    };
    await sql.unsafe(
      `UPDATE ${this.#tables.qualified("devices")} SET ${changes[change]} WHERE device = $1::uuid`,
      [device.deviceId, timeOf(ts)],
    );
  }

  async attributes(sql: SQL, { device, scope, ts, values }: AttributesRecord): Promise<void> {
    const table = this.#tables.qualified("attributes");
    const kept = Object.entries(values).filter(([, value]) => value !== null);
    const deleted = Object.keys(values).filter((key) => values[key] === null);
    const place = [device.deviceId, scope, timeOf(ts)];
    if (kept.length > 0)
      await sql.unsafe(
        `INSERT INTO ${table} AS stored (device, scope, key, value, ts)
          SELECT $1::uuid, $2, r.key, r.value, $3::timestamptz FROM jsonb_each($4::text::jsonb) AS r
          ON CONFLICT (device, scope, key) DO UPDATE SET value = excluded.value, ts = excluded.ts WHERE stored.ts <= excluded.ts`,
        [...place, json(Object.fromEntries(kept))],
      );
    if (deleted.length > 0)
      await sql.unsafe(
        `DELETE FROM ${table} WHERE device = $1::uuid AND scope = $2 AND ts <= $3::timestamptz
          AND key IN (SELECT jsonb_array_elements_text($4::text::jsonb))`,
        [...place, json(deleted)],
      );
  }

  async alarm(sql: SQL, record: AlarmRecord): Promise<void> {
    const { device, alarmId, type, severity, status, event, eventId, message, ts } = record;
    const row = {
      alarmId,
      device: device.deviceId,
      type,
      severity,
      status,
      message,
      event,
      eventId,
      ts: timeOf(ts),
    };
    const source = `jsonb_to_record($1::text::jsonb) AS r("alarmId" text, device uuid, type text, severity text, status text,
      message text, event text, "eventId" text, ts timestamptz)`;
    await sql.unsafe(
      `INSERT INTO ${this.#tables.qualified("alarm_events")} (event_id, alarm_id, device, type, severity, status, event, message, ts)
        SELECT "eventId", "alarmId", device, type, severity, status, event, message, ts FROM ${source}
        ON CONFLICT (event_id) DO NOTHING`,
      [json(row)],
    );
    await sql.unsafe(
      `INSERT INTO ${this.#tables.qualified("alarms")} AS stored (alarm_id, device, type, severity, status, message, updated_at)
        SELECT "alarmId", device, type, severity, status, message, ts FROM ${source}
        ON CONFLICT (alarm_id) DO UPDATE SET severity = excluded.severity, status = excluded.status, message = excluded.message,
          updated_at = excluded.updated_at WHERE stored.updated_at <= excluded.updated_at`,
      [json(row)],
    );
  }
}
