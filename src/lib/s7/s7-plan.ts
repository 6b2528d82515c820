import { byteLength, S7_AREAS, type S7Address, type S7Area } from "./s7-address.ts";

/** Bytes of one area that are read together. */
export interface S7Range {
  readonly area: S7Area;
  readonly db: number;
  readonly byte: number;
  readonly count: number;
}

/** Range with the entries in its bytes. */
interface RangeOf<Entry> {
  range: S7Range;
  readonly entries: Entry[];
}

/** Max. unused bytes between two values of one range: a range takes twelve bytes of a request. */
const GAP_MAX = 12;
/** Max. bytes of a range, so that it fits into a response of the smallest controllers, whose packets have 240 bytes. */
const RANGE_BYTES_MAX = 200;
/** Max. ranges per request. The library divides them into packets. */
const RANGES_MAX = 16;

export const rangeOf = (address: S7Address): S7Range => ({
  area: address.area,
  db: address.db,
  byte: address.byte,
  count: byteLength(address),
});

/** Returns as few requests as possible for the entries, each as a list of ranges. */
export function planS7<Entry>(
  entries: readonly Entry[],
  addressOf: (entry: Entry) => S7Address,
): RangeOf<Entry>[][] {
  const order = ({ area, db, byte }: S7Address) => (S7_AREAS.indexOf(area) * 0x1_0000 + db) * 0x1_0000 + byte;
  const sorted = entries
    .map((entry) => ({ entry, address: addressOf(entry) }))
    .toSorted((a, b) => order(a.address) - order(b.address));
  const ranges: RangeOf<Entry>[] = [];
  for (const { entry, address } of sorted) {
    const own = rangeOf(address);
    const last = ranges.at(-1);
    if (last !== undefined && last.range.area === own.area && last.range.db === own.db) {
      const { byte, count } = last.range;
      const joined = Math.max(byte + count, own.byte + own.count) - byte;
      if (own.byte - (byte + count) <= GAP_MAX && joined <= RANGE_BYTES_MAX) {
        last.range = { ...last.range, count: joined };
        last.entries.push(entry);
        continue;
      }
    }
    ranges.push({ range: own, entries: [entry] });
  }
  return Array.from({ length: Math.ceil(ranges.length / RANGES_MAX) }, (_, index) =>
    ranges.slice(index * RANGES_MAX, (index + 1) * RANGES_MAX),
  );
}
