import type { ByteWriter, ColumnSource, ParquetWriter, SchemaElement } from "hyparquet-writer";
import {
  TAG_ABSENT,
  TAG_FALSE,
  TAG_JSON,
  TAG_NUMBER,
  TAG_STRING,
  TAG_TRUE,
} from "../../../../lib/data/value-kind.ts";
import type { UplinkColumn, UplinkDevice } from "../../target.types.ts";
import type { Staged, StagedRows } from "./staged-rows.ts";

/** Rows per group; larger groups are slightly smaller on disk and take much more memory to write. */
const ROWS_PER_GROUP = 10_000;
const ZSTD_LEVEL = 3;

interface Field {
  readonly name: string;
  readonly type: "STRING" | "DOUBLE" | "BOOLEAN" | "TIMESTAMP";
  readonly isOptional?: boolean;
}

const valueFields: readonly Field[] = [
  { name: "device", type: "STRING" },
  { name: "name", type: "STRING" },
  { name: "type", type: "STRING" },
  { name: "tags", type: "STRING" },
  { name: "key", type: "STRING" },
  { name: "ts", type: "TIMESTAMP" },
  { name: "number", type: "DOUBLE", isOptional: true },
  { name: "boolean", type: "BOOLEAN", isOptional: true },
  { name: "text", type: "STRING", isOptional: true },
  { name: "json", type: "STRING", isOptional: true },
];
const eventFields: readonly Field[] = [
  { name: "ts", type: "TIMESTAMP" },
  { name: "kind", type: "STRING" },
  { name: "device", type: "STRING" },
  { name: "name", type: "STRING" },
  { name: "type", type: "STRING" },
  { name: "data", type: "STRING" },
];

const physical = {
  STRING: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  DOUBLE: { type: "DOUBLE" },
  BOOLEAN: { type: "BOOLEAN" },
  TIMESTAMP: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
} as const;

const schemaOf = (fields: readonly Field[]): SchemaElement[] => [
  { name: "root", num_children: fields.length },
  ...fields.map(({ name, type, isOptional }) => ({
    name,
    ...physical[type],
    repetition_type: isOptional === true ? ("OPTIONAL" as const) : ("REQUIRED" as const),
  })),
];

type Cell = string | number | boolean | null;

/** File that is written row by row. Rows of a group are in memory until it is full. */
class RowWriter {
  readonly #fields: readonly Field[];
  readonly #writer: ParquetWriter;
  readonly #output: ByteWriter;
  #columns: Cell[][];

  constructor(library: typeof import("hyparquet-writer"), fields: readonly Field[]) {
    this.#fields = fields;
    this.#output = new library.ByteWriter();
    this.#writer = new library.ParquetWriter({
      writer: this.#output,
      schema: schemaOf(fields),
      codec: "ZSTD",
      compressors: { ZSTD: (input) => Bun.zstdCompressSync(Uint8Array.from(input), { level: ZSTD_LEVEL }) },
      createdBy: "Lineside",
    });
    this.#columns = fields.map(() => []);
  }

  /** Adds a row. The array may be reused for the next row. */
  row(cells: readonly Cell[]): void {
    for (let index = 0; index < cells.length; index++) this.#columns[index]?.push(cells[index] ?? null);
    if (this.#columns[0]?.length === ROWS_PER_GROUP) this.#group();
  }

  finish(): Uint8Array<ArrayBuffer> {
    if ((this.#columns[0]?.length ?? 0) > 0) this.#group();
    this.#writer.finish();
    return new Uint8Array(this.#output.getBuffer());
  }

  #group(): void {
    const columnData = this.#fields.map(({ name, type }, index): ColumnSource => {
      const data = this.#columns[index] ?? [];
      if (type === "TIMESTAMP")
        return {
          name,
          data: BigInt64Array.from(data, (ts) => BigInt(Number(ts))),
          encoding: "DELTA_BINARY_PACKED",
        };
      return { name, data };
    });
    this.#writer.write({ columnData, rowGroupSize: ROWS_PER_GROUP });
    this.#columns = this.#fields.map(() => []);
    // The columns of a group take several MB. Without this the garbage of many groups adds up.
    Bun.gc(true);
  }
}

/** Values of one key of a device. */
interface Series {
  device: UplinkDevice;
  readonly key: string;
  readonly parts: Array<{ readonly ts: Float64Array; readonly column: UplinkColumn }>;
}

function seriesOf(rows: readonly StagedRows[]): Series[] {
  const all = new Map<string, Series>();
  for (const { device, ts, columns } of rows)
    for (const column of columns) {
      const name = `${device.deviceId}\n${column.key}`;
      const series = all.get(name) ?? { device, key: column.key, parts: [] };
      all.set(name, series);
      series.device = device;
      series.parts.push({ ts, column });
    }
  return [...all.keys()].sort().flatMap((name) => all.get(name) ?? []);
}

/** Sequence of values of a series, each of which is a row of a part. */
interface Positions {
  readonly ts: Float64Array;
  readonly part: Uint32Array;
  readonly row: Uint32Array;
  /** Indexes of the values by time. */
  readonly order: Uint32Array;
}

function positionsIn({ parts }: Series): Positions {
  let length = 0;
  for (const { ts } of parts) length += ts.length;
  const [ts, part, row] = [new Float64Array(length), new Uint32Array(length), new Uint32Array(length)];
  let count = 0;
  for (const [index, { ts: times, column }] of parts.entries())
    for (let position = 0; position < times.length; position++) {
      if ((column.tags[position] ?? TAG_ABSENT) === TAG_ABSENT) continue;
      ts[count] = times[position] ?? 0;
      part[count] = index;
      row[count++] = position;
    }
  return { ts, part, row, order: orderOf(ts.subarray(0, count)) };
}

/** Returns the indexes by time; for equal timestamps, only the later value is kept. */
function orderOf(ts: Float64Array): Uint32Array {
  const order = Uint32Array.from(ts, (_, index) => index);
  if (ts.every((time, index) => index === 0 || time > (ts[index - 1] ?? 0))) return order;
  order.sort((a, b) => (ts[a] ?? 0) - (ts[b] ?? 0) || a - b);
  return order.filter((index, position) => ts[index] !== ts[order[position + 1] ?? -1]);
}

const FIRST_CELL = 6;

/** Sets the number, boolean, text and JSON cells; only the cell of the value's type is not null. */
function setValue(cells: Cell[], column: UplinkColumn, row: number): void {
  const tag = column.tags[row];
  const text = column.texts?.[row] ?? "";
  cells[FIRST_CELL] = tag === TAG_NUMBER ? (column.numbers[row] ?? 0) : null;
  cells[FIRST_CELL + 1] = tag === TAG_TRUE || tag === TAG_FALSE ? tag === TAG_TRUE : null;
  cells[FIRST_CELL + 2] = tag === TAG_STRING ? text : null;
  cells[FIRST_CELL + 3] = tag === TAG_JSON ? text : null;
}

/** Returns a Parquet file of the values, ordered by device, key and time. */
export async function encodeValues(staged: readonly Staged[]): Promise<Uint8Array<ArrayBuffer>> {
  const writer = new RowWriter(await import("hyparquet-writer"), valueFields);
  for (const series of seriesOf(staged.flatMap(({ rows }) => rows))) {
    const { deviceId, name, type, tags } = series.device;
    const cells: Cell[] = [deviceId, name, type, JSON.stringify(tags), series.key];
    const { ts, part, row, order } = positionsIn(series);
    for (const index of order) {
      const source = series.parts[part[index] ?? 0];
      if (source === undefined) continue;
      cells[FIRST_CELL - 1] = ts[index] ?? 0;
      setValue(cells, source.column, row[index] ?? 0);
      writer.row(cells);
    }
  }
  return writer.finish();
}

/** Returns a Parquet file of the events, ordered by time. */
export async function encodeEvents(staged: readonly Staged[]): Promise<Uint8Array<ArrayBuffer>> {
  const writer = new RowWriter(await import("hyparquet-writer"), eventFields);
  const events = staged.flatMap((part) => part.events).sort((a, b) => a.ts - b.ts);
  for (const { ts, kind, device, name, type, data } of events)
    writer.row([ts, kind, device, name, type, data]);
  return writer.finish();
}
