import {
  checkGroup,
  decodeText,
  HEADER_RECORD_END,
  HEADER_WORDS,
  RECORD_HEAD_WORDS,
} from "./group-format.ts";

/** Reads the records of a group from its hot row. Positions are in words of 8 bytes. */
export class GroupReader {
  readonly #u32: Uint32Array;
  readonly #f64: Float64Array;
  readonly #bytes: Buffer;
  readonly #end: number;

  /** `group`: unpacked. @throws Error if its checksum does not match */
  constructor(group: Uint8Array) {
    checkGroup(group);
    // Views need the alignment of their words, which the bytes of a row need not have.
    const words = new Float64Array(Math.ceil(group.byteLength / 8));
    this.#bytes = Buffer.from(words.buffer);
    this.#bytes.set(group);
    this.#f64 = words;
    this.#u32 = new Uint32Array(words.buffer);
    this.#end = this.#u32[HEADER_RECORD_END]!;
  }

  /** Calls `onRecord` for each record in order of arrival. `columnsOf` returns the columns of a pattern. */
  visit(
    columnsOf: (pattern: number) => readonly number[] | undefined,
    onRecord: (record: GroupRecord) => void,
  ): void {
    const record = new GroupRecord(this.#u32, this.#f64, this.#bytes, this.#end * 8);
    let position = HEADER_WORDS;
    while (position < this.#end) {
      const columns = columnsOf(this.#u32[position * 2 + 1]!);
      if (columns === undefined) throw new Error("a pattern of the group is unknown");
      record.move(position, columns);
      onRecord(record);
      position += RECORD_HEAD_WORDS + columns.length;
    }
  }
}

/** Cursor over the records of a group; one object is reused for all records. */
export class GroupRecord {
  readonly #u32: Uint32Array;
  readonly #f64: Float64Array;
  readonly #bytes: Buffer;
  readonly #sideStart: number;
  #position = 0;
  /** `key number * 4 + kind`. */
  columns: readonly number[] = [];

  constructor(u32: Uint32Array, f64: Float64Array, bytes: Buffer, sideStart: number) {
    this.#u32 = u32;
    this.#f64 = f64;
    this.#bytes = bytes;
    this.#sideStart = sideStart;
  }

  move(position: number, columns: readonly number[]): void {
    this.#position = position;
    this.columns = columns;
  }

  get device(): number {
    return this.#u32[this.#position * 2]!;
  }

  get ts(): number {
    return this.#f64[this.#position + 1]!;
  }

  /** Returns the slot of a column as a number; booleans are 0 and 1. */
  numberAt(column: number): number {
    return this.#f64[this.#position + RECORD_HEAD_WORDS + column]!;
  }

  /** Returns the text of a column: a string, or a JSON literal. */
  textAt(column: number): string {
    const slot = (this.#position + RECORD_HEAD_WORDS + column) * 2;
    const start = this.#sideStart + this.#u32[slot]!;
    const length = this.#u32[slot + 1]!;
    return decodeText(this.#bytes, start, length);
  }
}
