const MAJOR = { bytes: 2, text: 3, array: 4, map: 5, tag: 6 } as const;
const INDEFINITE = 31;
const BREAK = 0xff;
/** Initial count of a map of indefinite length: decremented for each item, so that keys have odd counts. */
const NO_ITEM_YET = -1;
const DEPTH_MAX = 256;
/** Max. items of a message, including map keys and bytes of long numbers. Decoding takes up to 1 µs per item. */
export const CBOR_ITEMS_MAX = 100_000;
/** Max. names per map. Objects with very many names are slow to build, especially with integer names. */
export const CBOR_MAP_NAMES_MAX = 10_000;
/** Max. bytes of a bignum that is finite as a double. */
const BIGNUM_BYTES_MAX = 128;

/**
 * Tags without references: dates, numbers, hints on text and byte strings, typed arrays, sets, "this is CBOR". With other tags, a hundred bytes
 * could grow to gigabytes, or change the decoding of the next message.
 */
const isPlainTag = (tag: number) =>
  tag <= 5 ||
  (tag >= 16 && tag <= 24) ||
  (tag >= 32 && tag <= 37) ||
  (tag >= 64 && tag <= 87) ||
  tag === 258 ||
  tag === 1004 ||
  tag === 55799;

/** Returns the number of items in an item; undefined if it cannot contain any. */
function itemsOf(major: number, size: number): number | undefined {
  if (major === MAJOR.array) return size;
  if (major === MAJOR.map) return size === Number.POSITIVE_INFINITY ? NO_ITEM_YET : size * 2;
  if (major !== MAJOR.tag) return undefined;
  if (!isPlainTag(size)) throw new Error("there are tags that are not taken");
  return 1;
}

/** Message that would take too long to decode, with error code and limit. */
export class CborTooLarge extends Error {
  readonly code: "body.too_many_items" | "body.too_many_names";
  readonly max: number;

  constructor(code: CborTooLarge["code"], max: number) {
    super(code);
    this.code = code;
    this.max = max;
  }
}

/** Receives the start and end of a map key, and an object that identifies the map. */
type OnKey = (from: number, to: number, map: object) => void;

/**
 * Returns callbacks for the start of containers and items, which report map keys. Maps within keys are excluded: decoding the key at each level
 * would multiply the work by the number of levels.
 */
function keyReporter(onKey: OnKey) {
  /** Open maps by depth; undefined for other containers. */
  const maps: (object | undefined)[] = [];
  let keyStart = 0;
  let isInKey = false;
  return {
    opened: (depth: number, major: number): void => {
      maps[depth] = major === MAJOR.map && !isInKey ? {} : undefined;
    },
    started: (depth: number, left: number, position: number): void => {
      const map = maps[depth];
      if (map === undefined) return;
      isInKey = (left % 2 === 0) === left > 0;
      if (isInKey) keyStart = position;
      else onKey(keyStart, position, map);
    },
  };
}

/** Reads the heads of items in sequence. Reading past the end throws. */
class ItemHeads {
  readonly #view: DataView;
  position = 0;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  byte(): number {
    return this.#view.getUint8(this.position++);
  }

  /** Returns the number in or after the first byte of an item. */
  argument(info: number): number {
    if (info < 24) return info;
    if (info === INDEFINITE) return Number.POSITIVE_INFINITY;
    const start = this.position;
    this.position += 1 << (info - 24);
    if (info === 24) return this.#view.getUint8(start);
    if (info === 25) return this.#view.getUint16(start);
    if (info === 26) return this.#view.getUint32(start);
    if (info === 27) return this.#view.getUint32(start) * 2 ** 32 + this.#view.getUint32(start + 4);
    throw new Error("there is no such length");
  }

  /** @throws Error if fewer bytes follow. */
  ensure(size: number): void {
    if (size > this.#view.byteLength - this.position) throw new Error("it ends too early");
  }

  skip(size: number): void {
    this.ensure(size);
    this.position += size;
  }
}

/**
 * Returns the number of keys in all maps.
 * @throws CborTooLarge for more than `CBOR_ITEMS_MAX` items or `CBOR_MAP_NAMES_MAX` names in a map, and Error unless the bytes are CBOR
 * (RFC 8949) that takes no more time and memory to decode than its length suggests
 */
export function checkCbor(bytes: Uint8Array, onKey?: OnKey): number {
  const heads = new ItemHeads(bytes);
  const reporter = onKey === undefined ? undefined : keyReporter(onKey);
  /** Remaining items by depth. Until a break: infinite, or in a map the negative count of items so far. */
  const open: number[] = [1];
  let items = 0;
  let keys = 0;
  let isBignum = false;

  function countItems(added: number): void {
    items += added;
    if (items > CBOR_ITEMS_MAX) throw new CborTooLarge("body.too_many_items", CBOR_ITEMS_MAX);
  }

  /** Counts the names of a map. */
  function countKeys(added: number): void {
    keys += added;
    if (added > CBOR_MAP_NAMES_MAX) throw new CborTooLarge("body.too_many_names", CBOR_MAP_NAMES_MAX);
  }

  /** Processes the content of an item after its head. Skips strings; other types add items. */
  function enter(major: number, size: number): void {
    if (major === MAJOR.bytes || major === MAJOR.text) heads.skip(size);
    const inner = itemsOf(major, size);
    if (inner === undefined) return;
    if (major === MAJOR.map && size !== Number.POSITIVE_INFINITY) {
      heads.ensure(2 * size);
      countKeys(size);
    }
    reporter?.opened(open.length, major);
    if (open.push(inner) > DEPTH_MAX) throw new Error("it is nested too deeply");
  }

  function close(left: number): void {
    const isEndless = left < 0 || left === Number.POSITIVE_INFINITY;
    if (!isEndless || left % 2 === 0) throw new Error("nothing waits for this break");
    if (left < 0) countKeys((NO_ITEM_YET - left) / 2);
    open.pop();
  }

  /** Counts the bytes of a long number, which a decoder reads one by one. */
  function enterBignum(major: number, size: number): void {
    if (major !== MAJOR.bytes || size > BIGNUM_BYTES_MAX) throw new Error("a number is too long");
    countItems(size);
  }

  while (open.length > 0) {
    const left = open[open.length - 1] ?? 0;
    if (left === 0) {
      open.pop();
      continue;
    }
    const head = heads.byte();
    if (head === BREAK) {
      close(left);
      continue;
    }
    reporter?.started(open.length - 1, left, heads.position - 1);
    open[open.length - 1] = left - 1;
    const major = head >> 5;
    countItems(1);
    const size = heads.argument(head & INDEFINITE);
    if (isBignum) enterBignum(major, size);
    isBignum = major === MAJOR.tag && (size === 2 || size === 3);
    enter(major, size);
  }
  return keys;
}
