const MAJOR = { bytes: 2, text: 3, array: 4, map: 5, tag: 6 } as const;
const INDEFINITE = 31;
const BREAK = 0xff;
const DEPTH_MAX = 256;
/** Max. items of a message, map keys included: decoding takes up to 1 µs per item. */
export const CBOR_ITEMS_MAX = 100_000;
/** Most bytes of a number that is finite as a double. */
const BIGNUM_BYTES_MAX = 128;

/**
 * Tags whose value stands for itself: dates, numbers, hints on text and byte strings, typed arrays, sets, "this is CBOR". Others make
 * one part of a message stand for another: a hundred bytes could grow to gigabytes, or change how the next message is read.
 */
const isPlainTag = (tag: number) =>
  tag <= 5 ||
  (tag >= 16 && tag <= 24) ||
  (tag >= 32 && tag <= 37) ||
  (tag >= 64 && tag <= 87) ||
  tag === 258 ||
  tag === 1004 ||
  tag === 55799;

/** Returns how many items an item holds; undefined for one that holds none. */
function itemsOf(major: number, size: number): number | undefined {
  if (major === MAJOR.array) return size;
  if (major === MAJOR.map) return size * 2;
  if (major !== MAJOR.tag) return undefined;
  if (!isPlainTag(size)) throw new Error("there are tags that are not taken");
  return 1;
}

/** A message that takes too long to be decoded. */
export class CborTooLarge extends Error {}

/**
 * @throws CborTooLarge for more than `CBOR_ITEMS_MAX` items, and Error unless the bytes are CBOR (RFC 8949) that takes no more time and memory to decode
 * than its length says
 */
export function checkCbor(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** Items that are still to come, by depth; infinite until a break. */
  const open: number[] = [1];
  let position = 0;
  let items = 0;
  let isBignum = false;

  /** The number in or after the first byte of the next item. Reading past the end throws. */
  function argument(info: number): number {
    if (++items > CBOR_ITEMS_MAX) throw new CborTooLarge();
    if (info < 24) return info;
    if (info === INDEFINITE) return Number.POSITIVE_INFINITY;
    const size = 1 << (info - 24);
    const start = position;
    position += size;
    if (info === 24) return view.getUint8(start);
    if (info === 25) return view.getUint16(start);
    if (info === 26) return view.getUint32(start);
    if (info === 27) return view.getUint32(start) * 2 ** 32 + view.getUint32(start + 4);
    throw new Error("there is no such length");
  }

  function skip(size: number): void {
    if (size > bytes.byteLength - position) throw new Error("it ends too early");
    position += size;
  }

  /** Reads what follows the head of an item. Strings are skipped; other types add items of their own. */
  function enter(major: number, size: number): void {
    if (major === MAJOR.bytes || major === MAJOR.text) skip(size);
    const inner = itemsOf(major, size);
    if (inner !== undefined && open.push(inner) > DEPTH_MAX) throw new Error("it is nested too deeply");
  }

  while (open.length > 0) {
    const left = open[open.length - 1] ?? 0;
    if (left === 0) {
      open.pop();
      continue;
    }
    const head = view.getUint8(position++);
    if (head === BREAK) {
      if (left !== Number.POSITIVE_INFINITY) throw new Error("nothing waits for this break");
      open.pop();
      continue;
    }
    open[open.length - 1] = left - 1;
    const major = head >> 5;
    const size = argument(head & INDEFINITE);
    if (isBignum && (major !== MAJOR.bytes || size > BIGNUM_BYTES_MAX))
      throw new Error("a number is too long");
    isBignum = major === MAJOR.tag && (size === 2 || size === 3);
    enter(major, size);
  }
}
