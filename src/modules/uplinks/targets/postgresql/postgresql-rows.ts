import { detail } from "../../../../lib/core/domain-error.ts";
import {
  TAG_ABSENT,
  TAG_FALSE,
  TAG_JSON,
  TAG_NUMBER,
  TAG_STRING,
  TAG_TRUE,
} from "../../../../lib/data/value-kind.ts";
import { TargetError } from "../../target.errors.ts";
import type { RowsRecord, UplinkColumn, UplinkDevice } from "../../target.types.ts";
import { type FieldType, typedName } from "../field-names.ts";
import { CopyWriter, isUuid } from "./copy-writer.ts";
import { identifier, quoteName } from "./postgresql-names.ts";

export interface TableColumn {
  readonly name: string;
  readonly type: "uuid" | "text" | "timestamp with time zone" | "double precision" | "boolean" | "jsonb";
}

/** Rows for the same columns of one table. */
export interface RowGroup {
  readonly table: string;
  readonly columns: readonly TableColumn[];
  write(writer: CopyWriter): void;
}

/** Layout of values in tables. */
export interface Layout {
  readonly key: readonly string[];
  groups(records: readonly RowsRecord[]): RowGroup[];
  /** Returns the statement that writes staged rows over existing ones; the later of two staged rows takes precedence. */
  mergeSql(table: string, stage: string, columns: readonly TableColumn[]): string;
}

const DEVICE = { name: "device", type: "uuid" } as const;
const TIME = { name: "ts", type: "timestamp with time zone" } as const;

/** Columns of every table of values. */
export const keyColumns = {
  narrow: [DEVICE, { name: "key", type: "text" }, TIME],
  wide: [DEVICE, TIME],
} as const satisfies Record<string, readonly TableColumn[]>;

const namesOf = (columns: readonly TableColumn[]): string =>
  columns.map(({ name }) => quoteName(name)).join(", ");

export function ensureUuid({ deviceId }: UplinkDevice): string {
  if (isUuid(deviceId)) return deviceId;
  throw new TargetError("refused", detail("uplink.batch_refused", { reason: `${deviceId} is no UUID` }));
}

const narrowColumns: readonly TableColumn[] = [
  ...keyColumns.narrow,
  { name: "number", type: "double precision" },
  { name: "boolean", type: "boolean" },
  { name: "text", type: "text" },
  { name: "json", type: "jsonb" },
];
/** Position of a tag's value column, after the key. */
const narrowPosition: Readonly<Record<number, number>> = {
  [TAG_NUMBER]: 0,
  [TAG_FALSE]: 1,
  [TAG_TRUE]: 1,
  [TAG_STRING]: 2,
  [TAG_JSON]: 3,
};

function writeValue(writer: CopyWriter, column: UplinkColumn, row: number): void {
  const tag = column.tags[row];
  if (tag === TAG_NUMBER) writer.number(column.numbers[row] ?? 0);
  else if (tag === TAG_STRING) writer.text(column.texts?.[row] ?? "");
  else if (tag === TAG_JSON) writer.json(column.texts?.[row] ?? "null");
  else writer.boolean(tag === TAG_TRUE);
}

function writeNarrow(writer: CopyWriter, { device, ts, columns }: RowsRecord): void {
  const valueColumns = narrowColumns.length - keyColumns.narrow.length;
  const deviceId = ensureUuid(device);
  for (const column of columns) {
    const head = CopyWriter.fields((fields) => {
      fields.row(narrowColumns.length);
      fields.uuid(deviceId);
      fields.text(column.key);
    });
    for (let row = 0; row < ts.length; row++) {
      const tag = column.tags[row] ?? TAG_ABSENT;
      if (tag === TAG_ABSENT) continue;
      writer.raw(head);
      writer.time(ts[row] ?? 0);
      const position = narrowPosition[tag] ?? 0;
      for (let before = 0; before < position; before++) writer.null();
      writeValue(writer, column, row);
      for (let after = position + 1; after < valueColumns; after++) writer.null();
    }
  }
}

/** Layout with one table and a row per value: the column of its type is set, the others are null. */
export const narrowLayout: Layout = {
  key: keyColumns.narrow.map(({ name }) => name),
  groups(records) {
    const write = (writer: CopyWriter) => {
      for (const record of records) writeNarrow(writer, record);
    };
    return records.length === 0 ? [] : [{ table: "telemetry", columns: narrowColumns, write }];
  },
  mergeSql(table, stage, columns) {
    const key = namesOf(keyColumns.narrow);
    const names = columns.slice(keyColumns.narrow.length).map(({ name }) => quoteName(name));
    const staged = names.map((name) => `excluded.${name}`).join(", ");
    const stored = names.map((name) => `stored.${name}`).join(", ");
    return `INSERT INTO ${table} AS stored (${namesOf(columns)})
      SELECT DISTINCT ON (${key}) ${namesOf(columns)} FROM ${stage} ORDER BY ${key}, ordinal DESC
      ON CONFLICT (${key}) DO UPDATE SET (${names.join(", ")}) = (${staged}) WHERE (${stored}) IS DISTINCT FROM (${staged})`;
  },
};

const sqlTypes = {
  num: "double precision",
  bool: "boolean",
  str: "text",
  json: "jsonb",
} as const satisfies Record<FieldType, TableColumn["type"]>;
const FIELD_TYPES: readonly FieldType[] = ["num", "bool", "str", "json"];
const typeOfTag: Readonly<Record<number, FieldType>> = {
  [TAG_NUMBER]: "num",
  [TAG_FALSE]: "bool",
  [TAG_TRUE]: "bool",
  [TAG_STRING]: "str",
  [TAG_JSON]: "json",
};
/** Columns of the key, and system columns of every PostgreSQL table. */
const reserved: ReadonlySet<string> = new Set([
  ...["device", "ts", "ordinal"],
  ...["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"],
]);

/** Values of one type of a key, and their column. */
interface WideField {
  readonly source: UplinkColumn;
  readonly type: FieldType;
  readonly column: TableColumn;
}

function wideFieldsOf({ columns }: RowsRecord): WideField[] {
  const fields: WideField[] = [];
  for (const source of columns) {
    const present = new Set<FieldType | undefined>();
    for (const tag of source.tags) if (tag !== TAG_ABSENT) present.add(typeOfTag[tag]);
    for (const type of FIELD_TYPES) {
      if (!present.has(type)) continue;
      const name = identifier(typedName(source.key, type, reserved.has(source.key)));
      fields.push({ source, type, column: { name, type: sqlTypes[type] } });
    }
  }
  return fields;
}

function writeWide(writer: CopyWriter, { device, ts }: RowsRecord, fields: readonly WideField[]): void {
  const head = CopyWriter.fields((row) => {
    row.row(keyColumns.wide.length + fields.length);
    row.uuid(ensureUuid(device));
  });
  for (let row = 0; row < ts.length; row++) {
    if (fields.every(({ source }) => (source.tags[row] ?? TAG_ABSENT) === TAG_ABSENT)) continue;
    writer.raw(head);
    writer.time(ts[row] ?? 0);
    for (const { source, type } of fields)
      if (typeOfTag[source.tags[row] ?? TAG_ABSENT] === type) writeValue(writer, source, row);
      else writer.null();
  }
}

export const WIDE_PREFIX = "telemetry_";

/** Layout with a table per device type and a row per timestamp: a key has a column per type of its values. */
export const wideLayout: Layout = {
  key: keyColumns.wide.map(({ name }) => name),
  groups(records) {
    const groups = new Map<
      string,
      { group: Omit<RowGroup, "write">; rows: Array<[RowsRecord, WideField[]]> }
    >();
    for (const record of records) {
      const fields = wideFieldsOf(record);
      if (fields.length === 0) continue;
      const table = identifier(WIDE_PREFIX + record.device.type);
      const columns = [...keyColumns.wide, ...fields.map(({ column }) => column)];
      const name = JSON.stringify([table, columns.map((column) => column.name)]);
      const entry = groups.get(name) ?? { group: { table, columns }, rows: [] };
      groups.set(name, entry);
      entry.rows.push([record, fields]);
    }
    return [...groups.values()].map(({ group, rows }) => ({
      ...group,
      write(writer) {
        for (const [record, fields] of rows) writeWide(writer, record, fields);
      },
    }));
  },
  mergeSql(table, stage, columns) {
    const key = namesOf(keyColumns.wide);
    const values = columns.slice(keyColumns.wide.length).map(({ name }) => quoteName(name));
    const newest = values.map(
      (name) => `(array_agg(${name} ORDER BY ordinal DESC) FILTER (WHERE ${name} IS NOT NULL))[1]`,
    );
    const changes = values.map((name) => `${name} = coalesce(excluded.${name}, stored.${name})`);
    return `INSERT INTO ${table} AS stored (${namesOf(columns)})
      SELECT ${key}, ${newest.join(", ")} FROM ${stage} GROUP BY ${key}
      ON CONFLICT (${key}) DO UPDATE SET ${changes.join(", ")}`;
  },
};

/** Returns the columns of a wide table for values of the key. */
export const wideColumnsOf = (key: string): string[] =>
  FIELD_TYPES.map((type) => identifier(typedName(key, type, reserved.has(key))));
