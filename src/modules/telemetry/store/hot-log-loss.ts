import { iso } from "../../../lib/iso-time.ts";
import type { HotLogFile } from "./hot-log-file.ts";
import type { Gap, RecordHead } from "./hot-log-format.ts";
import type { LogPlace, LogPosition } from "./hot-log-position.ts";

const placeOf = ({ id, valuesBefore, values, time }: RecordHead): LogPlace => ({
  id,
  values: valuesBefore + values,
  time,
});

/** Returns the place right before a record. */
const placeBefore = ({ id, valuesBefore, time }: RecordHead): LogPlace => ({
  id: id - 1,
  values: valuesBefore,
  time,
});

const stamp = (time: number | undefined) => (time === undefined ? "an unknown time" : iso(time));

/** Describes the rows between two places in an English line; `null` if nothing is missing. */
function describeGap(from: LogPlace, to: LogPlace): string | null {
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

interface FoundLog {
  /** Files with unsealed rows, oldest first. */
  readonly live: readonly HotLogFile[];
  readonly gaps: ReadonlyMap<HotLogFile, readonly Gap[]>;
  readonly position: LogPosition | undefined;
  /** Last row whose values are in blocks. */
  readonly sealed: LogPlace;
}

/** Describes the rows missing before and within a file that has records. */
function describeFile(
  { first, newest }: HotLogFile,
  gaps: readonly Gap[],
  before: LogPlace,
): { readonly lines: (string | null)[]; readonly end: LogPlace } {
  if (first === undefined || newest === undefined) return { lines: [], end: before };
  const within = gaps.flatMap(([left, right]) =>
    left === undefined ? [] : [describeGap(placeOf(left), placeBefore(right))],
  );
  return { lines: [describeGap(before, placeBefore(first)), ...within], end: placeOf(newest) };
}

/** Describes the rows that were on the disk, are not in blocks and cannot be read, a line per range. */
export function describeLosses({ live, gaps, position, sealed }: FoundLog): string[] {
  const lines: (string | null)[] = [];
  let place = sealed;
  for (const file of live) {
    const { lines: found, end } = describeFile(file, gaps.get(file) ?? [], place);
    lines.push(...found);
    place = end;
  }
  const end = position ?? { durableId: 0, values: 0, time: 0 };
  lines.push(describeGap(place, { ...end, id: end.durableId }));
  return lines.filter((line) => line !== null);
}
