import type { HotLogFile } from "./hot-log-file.ts";
import type { Gap, RecordHead } from "./hot-log-format.ts";
import type { LogPosition } from "./hot-log-position.ts";

/** Place in the log, after this row. */
interface Place {
  readonly id: number;
  /** Number of values up to the place; undefined if unknown. */
  readonly values: number | undefined;
  /** Epoch ms at which the row was written; undefined if unknown. */
  readonly time: number | undefined;
}

const UNKNOWN: Place = { id: 0, values: undefined, time: undefined };

const placeOf = ({ id, valuesBefore, values, time }: RecordHead): Place => ({
  id,
  values: valuesBefore + values,
  time,
});

/** Returns the place right before a record. */
const placeBefore = ({ id, valuesBefore, time }: RecordHead): Place => ({
  id: id - 1,
  values: valuesBefore,
  time,
});

const stamp = (time: number | undefined) =>
  time === undefined ? "an unknown time" : new Date(time).toISOString();

/** Describes the rows between two places in an English line; `null` if nothing is missing. */
function describeGap(from: Place, to: Place): string | null {
  if (to.id <= from.id) return null;
  const values = from.values === undefined || to.values === undefined ? undefined : to.values - from.values;
  // Ids without values were skipped because a reader was ahead of the log.
  if (values === 0) return null;
  const count =
    values === undefined || values < 0
      ? "an unknown number of values"
      : `${values} ${values === 1 ? "value" : "values"}`;
  const first = from.id + 1;
  const rows = first === to.id ? `hot row ${first}` : `hot rows ${first} to ${to.id}`;
  return `${rows} cannot be read: ${count} received between ${stamp(from.time)} and ${stamp(to.time)}`;
}

/** Returns the last place whose rows are in blocks, according to the log's position. */
function placeOfSealed(position: LogPosition | undefined, sealedId: number): Place | undefined {
  const files = position?.files ?? [];
  for (const [index, { firstId, valuesBefore }] of files.entries()) {
    const lastId = (files[index + 1]?.firstId ?? (position?.durableId ?? 0) + 1) - 1;
    if (lastId <= sealedId) continue;
    if (firstId > sealedId) return { id: firstId - 1, values: valuesBefore, time: undefined };
    return { id: sealedId, values: undefined, time: undefined };
  }
  return undefined;
}

interface FoundLog {
  /** Files with unsealed rows, oldest first. */
  readonly live: readonly HotLogFile[];
  readonly gaps: ReadonlyMap<HotLogFile, readonly Gap[]>;
  readonly position: LogPosition | undefined;
  readonly sealedId: number;
}

/** Describes the rows missing before and within a file that has records. */
function describeFile(
  { firstId, first, newest }: HotLogFile,
  gaps: readonly Gap[],
  before: Place,
): { readonly lines: (string | null)[]; readonly end: Place } {
  if (first === undefined || newest === undefined) return { lines: [], end: before };
  const within = gaps.flatMap(([left, right]) =>
    left === undefined ? [] : [describeGap(placeOf(left), placeBefore(right))],
  );
  // The header of the first remaining file contains the id of its first record.
  const from = before === UNKNOWN ? { ...UNKNOWN, id: firstId - 1 } : before;
  return { lines: [describeGap(from, placeBefore(first)), ...within], end: placeOf(newest) };
}

/** Describes the rows that were on the disk, are not in blocks and cannot be read, a line per range. */
export function describeLosses({ live, gaps, position, sealedId }: FoundLog): string[] {
  const lines: (string | null)[] = [];
  let place = placeOfSealed(position, sealedId) ?? UNKNOWN;
  for (const file of live) {
    const { lines: found, end } = describeFile(file, gaps.get(file) ?? [], place);
    lines.push(...found);
    place = end;
  }
  const end = position ?? { durableId: 0, values: 0, time: 0 };
  if (end.durableId > sealedId)
    lines.push(describeGap({ ...place, id: Math.max(place.id, sealedId) }, { ...end, id: end.durableId }));
  return lines.filter((line) => line !== null);
}
