import { Decoder } from "cbor-x/decode";

/*
 * Names in the maps of CBOR (RFC 8949) that `checkCbor` has accepted. If a name is repeated, a decoder silently keeps its last value.
 */

const MAJOR = { bytes: 2, text: 3, array: 4, map: 5, tag: 6 } as const;
const INDEFINITE = 31;
const BREAK = 0xff;

/** Takes the start and end of a key, and an object that stands for its map. */
type OnKey = (from: number, to: number, map: object) => void;

/** Calls `onKey` for each key of each map. */
function eachKey(bytes: Uint8Array, onKey: OnKey): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let position = 0;

  function sizeOf(info: number): number {
    if (info < 24) return info;
    if (info === INDEFINITE) return Number.POSITIVE_INFINITY;
    const start = position;
    position += 1 << (info - 24);
    if (info === 24) return view.getUint8(start);
    if (info === 25) return view.getUint16(start);
    if (info === 26) return view.getUint32(start);
    return view.getUint32(start) * 2 ** 32 + view.getUint32(start + 4);
  }

  function each(count: number, pass: () => void): void {
    for (let done = 0; done < count; done++) {
      if (count === Number.POSITIVE_INFINITY && bytes[position] === BREAK) {
        position++;
        return;
      }
      pass();
    }
  }

  function passMap(size: number): void {
    const map = {};
    each(size, () => {
      const from = position;
      passItem();
      onKey(from, position, map);
      passItem();
    });
  }

  function passItem(): void {
    const head = view.getUint8(position++);
    const major = head >> 5;
    const size = sizeOf(head & INDEFINITE);
    const isString = major === MAJOR.bytes || major === MAJOR.text;
    if (major === MAJOR.map) passMap(size);
    else if (major === MAJOR.array || (isString && size === Number.POSITIVE_INFINITY)) each(size, passItem);
    else if (isString) position += size;
    else if (major === MAJOR.tag) passItem();
  }

  passItem();
}

/** Returns the number of names in all maps. */
export function countCborNames(bytes: Uint8Array): number {
  let count = 0;
  eachKey(bytes, () => count++);
  return count;
}

const decoder = new Decoder({ mapsAsObjects: true, useRecords: false, tagUint8Array: false });

/** Returns the names that a map has more than once. */
export function repeatedCborNames(bytes: Uint8Array): string[] {
  const repeated = new Set<string>();
  const namesBefore = new Map<object, Set<string>>();
  eachKey(bytes, (from, to, map) => {
    const name = String(decoder.decode(bytes.subarray(from, to)));
    const names = namesBefore.get(map) ?? new Set();
    if (names.has(name)) repeated.add(name);
    namesBefore.set(map, names.add(name));
  });
  return [...repeated];
}
