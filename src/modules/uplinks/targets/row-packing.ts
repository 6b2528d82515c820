import type { TextWriter } from "../../../lib/data/text-writer.ts";

/** Rows in one format. */
export interface RowSource {
  readonly rowCount: number;
  readonly columnCount: number;
  /** Bytes before the first row of a message, between rows and after the last. */
  readonly head: Uint8Array;
  readonly separator: Uint8Array;
  readonly tail: Uint8Array;
  /**
   * Writes the values of a row from a column on, at most `bytesMax` bytes unless a single value is larger. Writes nothing if there are none. Returns
   * the next column.
   */
  write(row: number, column: number, bytesMax: number): number;
}

export interface MessageLimits {
  /** Max. bytes of a message; only a single value may exceed it. */
  readonly bytesMax: number;
  readonly rowsMax: number;
}

class Packing {
  readonly #writer: TextWriter;
  readonly #source: RowSource;
  readonly #limits: MessageLimits;
  readonly #rowBytesMax: number;
  #rows = 0;

  constructor(writer: TextWriter, source: RowSource, limits: MessageLimits) {
    this.#writer = writer;
    this.#source = source;
    this.#limits = limits;
    this.#rowBytesMax = limits.bytesMax - source.head.length - source.tail.length;
    this.#begin();
  }

  /** Adds a row from a column on. Returns the next column and the full message, if the row did not fit. */
  add(row: number, column: number): { next: number; full: Uint8Array | undefined } {
    const writer = this.#writer;
    const { separator, tail } = this.#source;
    const before = writer.length;
    if (this.#rows > 0) writer.raw(separator);
    const start = writer.length;
    const next = this.#source.write(row, column, this.#rowBytesMax);
    if (writer.length === start) {
      writer.truncate(before);
      return { next, full: undefined };
    }
    let full: Uint8Array | undefined;
    if (this.#rows > 0 && writer.length + tail.length > this.#limits.bytesMax) {
      const carried = writer.bytes().slice(start);
      writer.truncate(before);
      full = this.finish();
      writer.raw(carried);
    }
    this.#rows++;
    return { next, full };
  }

  get isEmpty(): boolean {
    return this.#rows === 0;
  }

  get isFull(): boolean {
    return this.#rows === this.#limits.rowsMax;
  }

  finish(): Uint8Array {
    this.#writer.raw(this.#source.tail);
    const message = this.#writer.bytes().slice();
    this.#begin();
    return message;
  }

  #begin(): void {
    this.#rows = 0;
    this.#writer.truncate();
    this.#writer.raw(this.#source.head);
  }
}

/** Packs rows into as few messages as the limits allow, in order. A row that is too large is split into several with the same timestamp. */
export function* packRows(
  writer: TextWriter,
  source: RowSource,
  limits: MessageLimits,
): Generator<Uint8Array> {
  const packing = new Packing(writer, source, limits);
  for (let row = 0; row < source.rowCount; row++) {
    for (let column = 0; column < source.columnCount; ) {
      const { next, full } = packing.add(row, column);
      column = next;
      if (full !== undefined) yield full;
      if (packing.isFull) yield packing.finish();
    }
  }
  if (!packing.isEmpty) yield packing.finish();
}
