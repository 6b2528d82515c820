/** Addresses of variables in a Siemens S7 controller, as the library nodes7 (`DB1,REAL4`) and as TIA Portal (`%DB1.DBD4:REAL`) write them. */

export const S7_AREAS = ["DB", "M", "I", "Q", "PI"] as const;
/** Data block, bit memory, inputs, outputs, peripheral inputs. Peripheral outputs cannot be read by the protocol. */
export type S7Area = (typeof S7_AREAS)[number];

export const S7_TYPES = [
  "BOOL",
  "BYTE",
  "CHAR",
  "SINT",
  "USINT",
  "WORD",
  "INT",
  "UINT",
  "DWORD",
  "DINT",
  "UDINT",
  "LWORD",
  "LINT",
  "ULINT",
  "REAL",
  "LREAL",
  "TIME",
  "STRING",
  "DT",
  "DTZ",
  "DTL",
  "DTLZ",
] as const;
export type S7Type = (typeof S7_TYPES)[number];

export interface S7Address {
  readonly area: S7Area;
  /** Number of the data block; 0 in other areas. */
  readonly db: number;
  readonly byte: number;
  /** Bit of a BOOL, 0 to 7. */
  readonly bit: number;
  readonly type: S7Type;
  /** Characters of a STRING; 0 for other types. */
  readonly length: number;
  /** Number of elements; 1 for a single value. */
  readonly count: number;
}

export const ADDRESS_CHARACTERS_MAX = 64;
const OFFSET_MAX = 0xffff;
const STRING_MAX = 254;
/** Max. bytes of an array or string. The library reserves 8,192 for each. */
const BYTES_MAX = 2_048;
export const ELEMENTS_MAX = 256;

const sizes: Readonly<Record<S7Type, number>> = {
  BOOL: 1,
  BYTE: 1,
  CHAR: 1,
  SINT: 1,
  USINT: 1,
  WORD: 2,
  INT: 2,
  UINT: 2,
  DWORD: 4,
  DINT: 4,
  UDINT: 4,
  TIME: 4,
  REAL: 4,
  LWORD: 8,
  LINT: 8,
  ULINT: 8,
  LREAL: 8,
  DT: 8,
  DTZ: 8,
  DTL: 12,
  DTLZ: 12,
  STRING: 2,
};

/** Short names of the library. */
const shortNames: Readonly<Record<string, S7Type>> = {
  X: "BOOL",
  B: "BYTE",
  C: "CHAR",
  W: "WORD",
  I: "INT",
  DW: "DWORD",
  D: "DWORD",
  DI: "DINT",
  LI: "LINT",
  R: "REAL",
  LR: "LREAL",
  S: "STRING",
  DATE_AND_TIME: "DT",
};
const germanAreas: Readonly<Record<string, S7Area>> = { E: "I", A: "Q", PE: "PI" };

const isType = (name: string): name is S7Type => Object.hasOwn(sizes, name);
const isArea = (name: string): name is S7Area => (S7_AREAS as readonly string[]).includes(name);
const typeOf = (name: string): S7Type | undefined =>
  isType(name) ? name : Object.hasOwn(shortNames, name) ? shortNames[name] : undefined;

/** Returns the number of bytes of one element. */
export const elementSize = ({ type, length }: Pick<S7Address, "type" | "length">): number =>
  sizes[type] + length;

/** Returns the number of bytes of an address. */
export const byteLength = (address: S7Address): number =>
  address.type === "BOOL"
    ? Math.ceil((address.bit + address.count) / 8)
    : elementSize(address) * address.count;

/** Returns the address of one element of an array. */
export function elementOf(address: S7Address, index: number): S7Address {
  const { type, byte, bit } = address;
  if (type === "BOOL")
    return { ...address, byte: byte + Math.floor((bit + index) / 8), bit: (bit + index) % 8, count: 1 };
  return { ...address, byte: byte + elementSize(address) * index, count: 1 };
}

interface Parts {
  readonly area: S7Area;
  readonly db?: string | undefined;
  readonly type: S7Type | undefined;
  readonly byte: string | undefined;
  /** Numbers after the byte: bit of a BOOL, characters of a STRING, then the number of elements. */
  readonly rest: readonly string[];
}

function addressOf({ area, db = "0", type, byte, rest }: Parts): S7Address | undefined {
  if (type === undefined) return undefined;
  const numbers = rest.map(Number);
  const hasFirst = type === "BOOL" || type === "STRING";
  if (hasFirst && numbers.length === 0) return undefined;
  const first = hasFirst ? (numbers.shift() ?? 0) : 0;
  const [count = 1, ...more] = numbers;
  const address: S7Address = {
    area,
    db: Number(db),
    byte: Number(byte),
    bit: type === "BOOL" ? first : 0,
    type,
    length: type === "STRING" ? first : 0,
    count,
  };
  return more.length === 0 && isPossible(address) ? address : undefined;
}

function isPossible(address: S7Address): boolean {
  const { area, db, byte, bit, type, length, count } = address;
  const hasDb = area === "DB" ? db >= 1 && db <= OFFSET_MAX : type !== "STRING";
  return (
    hasDb &&
    bit <= 7 &&
    !(area === "PI" && type === "BOOL") &&
    (type !== "STRING" || (length >= 1 && length <= STRING_MAX)) &&
    count >= 1 &&
    count <= ELEMENTS_MAX &&
    byteLength(address) <= BYTES_MAX &&
    byte + byteLength(address) - 1 <= OFFSET_MAX
  );
}

const LIBRARY_BLOCK = /^DB(\d{1,5}),([A-Z_]+)(\d{1,5})((?:\.\d{1,5}){0,2})$/;
const TIA_BLOCK = /^DB(\d{1,5})\.DB([XBWD])(\d{1,5})(?:\.([0-7]))?(?::([A-Z_]+)(?:\[(\d{1,3})\])?)?$/;
const OTHER_AREA = /^(P[IE]|[IEQAM])(X|B|C|W|DI|D|I|LR|LI|R)?(\d{1,5})((?:\.\d{1,5}){0,2})(?::([A-Z_]+))?$/;

const numbersIn = (text = ""): string[] => text.split(".").slice(1);

/** Returns the type for a width, such as D in `DBD4`, and a type name, which must have the same size. */
function typeOfWidth(width: string, name: string | undefined): S7Type | undefined {
  const byWidth = typeOf(width);
  if (name === undefined || byWidth === undefined) return byWidth;
  const type = typeOf(name);
  if (type === undefined) return undefined;
  // Values that are longer than a double word begin at a byte.
  const isLong = sizes[type] > 4 || type === "STRING";
  const isGood = isLong
    ? byWidth === "BYTE"
    : (type === "BOOL") === (byWidth === "BOOL") && sizes[type] === sizes[byWidth];
  return isGood ? type : undefined;
}

function parseTiaBlock(match: RegExpExecArray): S7Address | undefined {
  const [, db, width = "", byte, bit, name, length] = match;
  const type = typeOfWidth(width, name);
  if ((bit !== undefined) !== (type === "BOOL") || (length !== undefined) !== (type === "STRING"))
    return undefined;
  const rest = [bit, length].filter((part) => part !== undefined);
  return addressOf({ area: "DB", db, type, byte, rest });
}

/** Parses an address; undefined for any other text. Timers and counters are not supported, because the library addresses them incorrectly. */
export function parseS7Address(text: string): S7Address | undefined {
  if (text.length > ADDRESS_CHARACTERS_MAX) return undefined;
  const address = text.trim().toUpperCase().replace(/^%/, "");
  const block = LIBRARY_BLOCK.exec(address);
  if (block !== null) {
    const [, db, name = "", byte, rest] = block;
    return addressOf({ area: "DB", db, type: typeOf(name), byte, rest: numbersIn(rest) });
  }
  const tia = TIA_BLOCK.exec(address);
  if (tia !== null) return parseTiaBlock(tia);
  const match = OTHER_AREA.exec(address);
  if (match === null) return undefined;
  const [, areaName = "", width = "X", byte, rest, name] = match;
  const area = germanAreas[areaName] ?? areaName;
  if (!isArea(area)) return undefined;
  return addressOf({ area, type: typeOfWidth(width, name), byte, rest: numbersIn(rest) });
}
