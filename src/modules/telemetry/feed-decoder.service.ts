import { unpackTexts } from "../../lib/data/packed-texts.ts";
import {
  KIND_BOOLEAN,
  KIND_JSON,
  KIND_NUMBER,
  TAG_ABSENT,
  TAG_FALSE,
  TAG_JSON,
  TAG_NUMBER,
  TAG_STRING,
  TAG_TRUE,
} from "../../lib/data/value-kind.ts";
import type { FeedColumn, FeedDeviceRows, FeedRows, FeedStep, KnownDefinitions } from "./feeds.types.ts";
import type { Definitions } from "./store/hot/group-format.ts";
import { GroupReader, type GroupRecord } from "./store/hot/group-reader.ts";
import { FORM_DELETION } from "./store/hot/hot-log.ts";
import { unpackGroup } from "./store/hot/hot-packing.ts";
import type { WireChunk } from "./store/query/wire-chunk.types.ts";
import type { Deletion } from "./store/upkeep/deletion.types.ts";

const ROWS_FIRST = 16;

class ColumnBuilder {
  tags: Uint8Array;
  numbers: Float64Array;
  texts: (string | undefined)[] | null = null;

  constructor(rows: number) {
    this.tags = new Uint8Array(rows);
    this.numbers = new Float64Array(rows);
  }

  grow(rows: number): void {
    const tags = new Uint8Array(rows);
    tags.set(this.tags);
    this.tags = tags;
    const numbers = new Float64Array(rows);
    numbers.set(this.numbers);
    this.numbers = numbers;
  }

  set(row: number, tag: number, number: number): void {
    this.tags[row] = tag;
    this.numbers[row] = number;
  }

  setText(row: number, tag: number, text: string): void {
    this.tags[row] = tag;
    this.texts ??= [];
    this.texts[row] = text;
  }
}

/** Collects the records of one device into columns, one row per timestamp in ascending order; a later arrival overwrites the same timestamp. */
class RowBuilder {
  readonly deviceId: string;
  /** Columns by key number. */
  readonly #columns = new Map<number, ColumnBuilder>();
  /** Rows by timestamp; created once a record is not the newest. */
  #rowOf: Map<number, number> | null = null;
  #ts = new Float64Array(ROWS_FIRST);
  #rows = 0;
  #newest = Number.NEGATIVE_INFINITY;

  constructor(deviceId: string) {
    this.deviceId = deviceId;
  }

  /** Adds a record's values. Returns their number. */
  add(record: GroupRecord): number {
    const row = this.#rowFor(record.ts);
    const { columns } = record;
    for (let index = 0; index < columns.length; index++) {
      const column = this.#column(columns[index]! >> 2);
      const kind = columns[index]! & 3;
      if (kind === KIND_NUMBER) column.set(row, TAG_NUMBER, record.numberAt(index));
      else if (kind === KIND_BOOLEAN) column.set(row, record.numberAt(index) === 1 ? TAG_TRUE : TAG_FALSE, 0);
      else column.setText(row, kind === KIND_JSON ? TAG_JSON : TAG_STRING, record.textAt(index));
    }
    return columns.length;
  }

  build(keyNames: readonly string[]): FeedDeviceRows {
    const order = this.#rowOf === null ? null : this.#order();
    const ts = this.#ts.subarray(0, this.#rows);
    const columns = [...this.#columns].map(([key, { tags, numbers, texts }]): FeedColumn => {
      const name = keyNames[key] ?? "";
      if (order === null)
        return {
          key: name,
          tags: tags.subarray(0, this.#rows),
          numbers: numbers.subarray(0, this.#rows),
          texts,
        };
      return {
        key: name,
        tags: Uint8Array.from(order, (row) => tags[row] ?? TAG_ABSENT),
        numbers: Float64Array.from(order, (row) => numbers[row] ?? 0),
        texts: texts === null ? null : Array.from(order, (row) => texts[row]),
      };
    });
    return {
      deviceId: this.deviceId,
      ts: order === null ? ts : Float64Array.from(order, (row) => ts[row]!),
      columns,
    };
  }

  #order(): Uint32Array {
    return Uint32Array.from({ length: this.#rows }, (_, row) => row).sort(
      (a, b) => this.#ts[a]! - this.#ts[b]!,
    );
  }

  #rowFor(ts: number): number {
    if (ts > this.#newest) {
      this.#newest = ts;
      return this.#newRow(ts);
    }
    this.#rowOf ??= new Map(Array.from(this.#ts.subarray(0, this.#rows), (stamp, row) => [stamp, row]));
    return this.#rowOf.get(ts) ?? this.#newRow(ts);
  }

  #newRow(ts: number): number {
    if (this.#rows === this.#ts.length) {
      const longer = new Float64Array(this.#rows * 2);
      longer.set(this.#ts);
      this.#ts = longer;
      for (const column of this.#columns.values()) column.grow(longer.length);
    }
    const row = this.#rows++;
    this.#ts[row] = ts;
    this.#rowOf?.set(ts, row);
    return row;
  }

  #column(key: number): ColumnBuilder {
    const column = this.#columns.get(key);
    if (column !== undefined) return column;
    const created = new ColumnBuilder(this.#ts.length);
    this.#columns.set(key, created);
    return created;
  }
}

/** Approximate values per step; a group is never split. */
const STEP_POINTS = 20_000;

/** Returns the rows of a chunk in the form of a feed. */
export const feedRowsOf = (deviceId: string, { ts, columns }: WireChunk): FeedDeviceRows => ({
  deviceId,
  ts,
  columns: columns.map(({ texts, ...column }) => ({
    ...column,
    texts: texts === null ? null : unpackTexts(texts),
  })),
});

/** Decodes the rows of a feed for a reader on another thread. Keeps the definitions it has received. */
export class FeedDecoder {
  readonly #tenantId: string;
  /** Returns whether the reader wants data of a device. */
  readonly #isWanted: (deviceId: string) => boolean;
  /** Device number → id, of the devices of the tenant. */
  readonly #devices = new Map<number, string>();
  readonly #keyNames: string[] = [];
  readonly #patterns: (readonly number[])[] = [];
  #deviceEnd = 0;

  constructor(tenantId: string, isWanted: (deviceId: string) => boolean) {
    this.#tenantId = tenantId;
    this.#isWanted = isWanted;
  }

  get known(): KnownDefinitions {
    return { devices: this.#deviceEnd, keys: this.#keyNames.length, patterns: this.#patterns.length };
  }

  define({ devices, keys, patterns }: Definitions): void {
    for (const { no, tenantId, deviceId } of devices) {
      this.#deviceEnd = Math.max(this.#deviceEnd, no + 1);
      if (tenantId === this.#tenantId) this.#devices.set(no, deviceId);
    }
    for (const { no, name } of keys) this.#keyNames[no] = name;
    for (const { no, columns } of patterns) this.#patterns[no] = columns;
  }

  /** Yields the tenant's content of the rows, in order. The last step has the position `end`, even if it is empty. */
  *decode({ rows, end }: Pick<FeedRows, "rows" | "end">): Generator<FeedStep> {
    /** Builders by device number. */
    let builders = new Map<number, RowBuilder>();
    let points = 0;
    const flush = (position: number): FeedStep => {
      const devices = [...builders.values()].map((builder) => builder.build(this.#keyNames));
      const step = { kind: "rows", devices, points, position } as const;
      builders = new Map();
      points = 0;
      return step;
    };
    for (const { id, form, data } of rows) {
      if (form === FORM_DELETION) {
        const deletion = this.#deletion(data);
        if (deletion === undefined) continue;
        if (points > 0) yield flush(id - 1);
        yield { ...deletion, position: id };
        continue;
      }
      points += this.#add(builders, form, data);
      if (points >= STEP_POINTS) yield flush(id);
    }
    yield flush(end);
  }

  #add(builders: Map<number, RowBuilder>, form: number, data: Uint8Array): number {
    let points = 0;
    let reader: GroupReader;
    try {
      reader = new GroupReader(unpackGroup(form, data));
    } catch {
      return 0; // damaged on the disk: the store names it
    }
    reader.visit(
      (pattern) => this.#patterns[pattern],
      (record) => {
        let builder = builders.get(record.device);
        if (builder === undefined) {
          const deviceId = this.#devices.get(record.device);
          if (deviceId === undefined || !this.#isWanted(deviceId)) return;
          builder = new RowBuilder(deviceId);
          builders.set(record.device, builder);
        }
        points += builder.add(record);
      },
    );
    return points;
  }

  #deletion(data: Uint8Array) {
    const { tenantId, deviceId, keys, from, to, drop, isRetention }: Deletion = JSON.parse(
      new TextDecoder().decode(data),
    );
    if (tenantId !== this.#tenantId || isRetention) return undefined;
    const names = keys?.map((key) => this.#keyNames[key] ?? "") ?? null;
    return { kind: "deletion", deviceId, keys: names, from, to, drop } as const;
  }
}
