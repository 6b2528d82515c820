import type { ByteOrder } from "../../../lib/modbus/modbus-lists.ts";

/** A word in the ways in which a manual may mean it. */
export interface WordView {
  readonly hex: string;
  readonly unsigned: number;
  readonly signed: number;
  /** With the next word; undefined for the last one. */
  readonly float32: number | undefined;
  readonly int32: number | undefined;
}

const swapped = (word: number): number => ((word & 0xff) << 8) | (word >> 8);

/** Returns the two words as a number of 32 bits, its bytes in this order. */
function pairOf(first: number, second: number, order: ByteOrder): DataView {
  const isWordSwap = order === "CDAB" || order === "DCBA";
  const isByteSwap = order === "BADC" || order === "DCBA";
  const words = isWordSwap ? [second, first] : [first, second];
  const view = new DataView(new ArrayBuffer(4));
  for (const [index, word] of words.entries()) view.setUint16(index * 2, isByteSwap ? swapped(word) : word);
  return view;
}

/** Decimal digits that a 32-bit float has. */
const FLOAT_DIGITS = 7;

export function viewOf(words: readonly number[], index: number, order: ByteOrder): WordView {
  const word = words[index] ?? 0;
  const next = words[index + 1];
  const pair = next === undefined ? undefined : pairOf(word, next, order);
  const isByteSwap = order === "BADC" || order === "DCBA";
  const own = isByteSwap ? swapped(word) : word;
  return {
    hex: word.toString(16).toUpperCase().padStart(4, "0"),
    unsigned: own,
    signed: own > 0x7fff ? own - 0x1_0000 : own,
    float32: pair && Number(pair.getFloat32(0).toPrecision(FLOAT_DIGITS)),
    int32: pair?.getInt32(0),
  };
}
