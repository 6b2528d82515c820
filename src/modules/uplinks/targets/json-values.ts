import type { TextWriter } from "../../../lib/data/text-writer.ts";
import { TAG_ABSENT, TAG_FALSE, TAG_NUMBER, TAG_STRING, TAG_TRUE } from "../../../lib/data/value-kind.ts";
import type { UplinkColumn } from "../target.types.ts";

const utf8 = new TextEncoder();
const TRUE = utf8.encode("true");
const FALSE = utf8.encode("false");
const NULL = utf8.encode("null");
const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Representation of NaN and infinities, which JSON does not have. */
export type NonFinite = "null" | "omitted";

/** Writes the values of columns as JSON bytes without intermediate objects. Every finite number is read back exactly. */
export class JsonValues {
  readonly #writer: TextWriter;
  readonly #columns: readonly UplinkColumn[];
  /** `"key":` per column. */
  readonly #keys: readonly Uint8Array[];
  readonly #nonFinite: NonFinite;
  readonly #keysMax: number;

  /** @param keysMax max. keys per object */
  constructor(
    writer: TextWriter,
    columns: readonly UplinkColumn[],
    { nonFinite, keysMax = Number.POSITIVE_INFINITY }: { nonFinite: NonFinite; keysMax?: number },
  ) {
    this.#writer = writer;
    this.#columns = columns;
    this.#keys = columns.map(({ key }) => utf8.encode(`${JSON.stringify(key)}:`));
    this.#nonFinite = nonFinite;
    this.#keysMax = keysMax;
  }

  /** Returns whether there is a value to write. */
  has(column: UplinkColumn, row: number): boolean {
    const tag = column.tags[row] ?? TAG_ABSENT;
    if (tag === TAG_ABSENT) return false;
    return tag !== TAG_NUMBER || this.#nonFinite === "null" || Number.isFinite(column.numbers[row]);
  }

  /** Writes one value; `has` must be true for it. */
  value(column: UplinkColumn, row: number): void {
    const writer = this.#writer;
    const tag = column.tags[row];
    if (tag === TAG_NUMBER) {
      const number = column.numbers[row] ?? 0;
      if (Number.isFinite(number)) writer.number(number);
      else writer.raw(NULL);
    } else if (tag === TAG_TRUE) writer.raw(TRUE);
    else if (tag === TAG_FALSE) writer.raw(FALSE);
    else {
      const text = column.texts?.[row] ?? "";
      writer.text(tag === TAG_STRING ? JSON.stringify(text) : text);
    }
  }

  /** Writes an object with the values of a row, like `RowSource.write`. */
  object(row: number, from: number, bytesMax: number): number {
    const writer = this.#writer;
    const start = writer.length;
    let keys = 0;
    let position = from;
    for (; position < this.#columns.length && keys < this.#keysMax; position++) {
      const column = this.#columns[position];
      const key = this.#keys[position];
      if (column === undefined || key === undefined || !this.has(column, row)) continue;
      const before = writer.length;
      writer.byte(keys === 0 ? OPEN : COMMA);
      writer.raw(key);
      this.value(column, row);
      if (keys > 0 && writer.length - start >= bytesMax) {
        writer.truncate(before);
        break;
      }
      keys++;
    }
    if (keys > 0) writer.byte(CLOSE);
    return position;
  }
}
