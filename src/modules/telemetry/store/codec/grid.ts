/**
 * Integers close to the lines of a grid: counts of a converter times its factor, printed with a few places (34055.6962 is 5605 × 480 / 79), or
 * waiting times in slots of 125 ms. Line numbers are short, and the remaining distance is usually 0.
 */

/** Rows that share a grid; line number `n` is at `round(base + n × step)`. */
export interface GridSegment {
  readonly rows: number;
  readonly base: number;
  readonly step: number;
}

export interface GridForm {
  readonly segments: readonly GridSegment[];
  readonly lines: Float64Array;
  /** Distance from the line. */
  readonly rests: Float64Array;
}

type Grid = Pick<GridSegment, "base" | "step">;

/** Number of rows in which a grid is searched. */
const SAMPLE_ROWS = 384;
/** Numbers of most frequent values that are searched for steps: slots appear in few values, converters in many. */
const FREQUENT_COUNTS = [6, 12, 24, 48];
/** Min. step; smaller steps save less than they cost. */
const STEP_MIN = 3;
const SEGMENTS_MAX = 8;
const SEGMENT_ROWS_MIN = 64;
/** Approximate bits per row that a grid must save. */
const SAVED_BITS_MIN = 0.5;
/** Max. rows far from all lines, beyond the expected number, before a segment ends. */
const FAR_MAX = 16;
/** Max. line number; more distant numbers are outliers that would distort the line of best fit. */
const LINES_MAX = 2 ** 20;

export const lineAt = ({ base, step }: Grid, line: number): number => Math.round(base + line * step);
const lineOf = ({ base, step }: Grid, int: number): number => Math.round((int - base) / step);
const toleranceOf = (step: number): number => Math.max(1, Math.floor(step / 32));

/** Returns `null` if the numbers have no grid. */
export function toGrid(ints: Float64Array): GridForm | null {
  const lines = new Float64Array(ints.length);
  const rests = new Float64Array(ints.length);
  const segments = segmentsOf(ints);
  let row = 0;
  for (const segment of segments)
    for (const stop = row + segment.rows; row < stop; row++) {
      const line = lineOf(segment, ints[row]!);
      lines[row] = line;
      rests[row] = ints[row]! - lineAt(segment, line);
    }
  return segments.length === 0 ? null : { segments, lines, rests };
}

/** Returns the segments; empty if the first rows have no grid. Rows without a grid continue the previous segment. */
function segmentsOf(ints: Float64Array): GridSegment[] {
  const segments: GridSegment[] = [];
  for (let start = 0; start < ints.length; ) {
    const isLast = segments.length === SEGMENTS_MAX - 1;
    const left = ints.subarray(start);
    const found = findGrid(left.subarray(0, SAMPLE_ROWS));
    const last = segments.at(-1);
    if (found === null && last === undefined) return [];
    const rows = isLast
      ? left.length
      : Math.min(left.length, found === null ? SAMPLE_ROWS : rowsOn(found, left));
    if (found !== null)
      segments.push({
        rows,
        ...closest([found, fitted(found, left.subarray(0, rows))], left.subarray(0, rows)),
      });
    else if (last !== undefined) segments[segments.length - 1] = { ...last, rows: last.rows + rows };
    start += rows;
  }
  return segments;
}

interface Found extends Grid {
  /** Share of the rows near a line. */
  readonly near: number;
}

function findGrid(sample: Float64Array): Found | null {
  const values = valuesByCount(sample);
  let best: Grid | null = null;
  let most = SAVED_BITS_MIN;
  for (const { step, base } of candidates(values)) {
    const refined = refinedStep(values, step);
    const whole = { base, step: Math.round(refined) };
    const grid = closest([whole, fitted({ base, step: refined }, sample)], sample);
    if (!(grid.step >= STEP_MIN)) continue;
    const saved = Math.log2(grid.step) - 1 - restBits(grid, sample);
    if (saved <= most) continue;
    best = grid;
    most = saved;
  }
  return best === null ? null : { ...best, near: nearOf(best, sample) / sample.length };
}

/** Returns the approximate average bits of the distances from the lines. */
function restBits(grid: Grid, ints: Float64Array): number {
  let bits = 0;
  // A loop over the array's iterator takes several times as long.
  for (let row = 0; row < ints.length; row++) {
    const int = ints[row]!;
    const rest = int - lineAt(grid, lineOf(grid, int));
    bits += 32 - Math.clz32(rest < 0 ? -2 * rest - 1 : 2 * rest);
  }
  return bits / ints.length;
}

/** Returns the grid with the closer lines. */
function closest(grids: readonly [Grid, Grid], ints: Float64Array): Grid {
  return restBits(grids[1], ints) < restBits(grids[0], ints) ? grids[1] : grids[0];
}

/** Returns up to 48 distinct values, most frequent first. */
function valuesByCount(sample: Float64Array): number[] {
  const counts = new Map<number, number>();
  for (const int of sample) counts.set(int, (counts.get(int) ?? 0) + 1);
  const byCount = [...counts].sort((a, b) => b[1] - a[1]);
  return byCount.slice(0, FREQUENT_COUNTS.at(-1)).map(([value]) => value);
}

/** Yields grids whose step is the smallest or second smallest distance between frequent values. */
function* candidates(values: readonly number[]): Generator<Grid> {
  const steps = new Set<number>();
  for (const count of FREQUENT_COUNTS) {
    const sorted = values.slice(0, count).sort((a, b) => a - b);
    const gaps = sorted
      .slice(1)
      .map((value, index) => value - sorted[index]!)
      .filter((gap) => gap >= STEP_MIN)
      .sort((a, b) => a - b);
    for (const gap of [gaps[0], gaps.find((next) => next > gaps[0]! * 1.2)])
      if (gap !== undefined) steps.add(gap);
  }
  for (const step of steps) yield { base: values[0]!, step };
}

/** Refines a step by distances in ascending order: short distances determine how many steps the longer ones contain. */
function refinedStep(values: readonly number[], step: number): number {
  const distances = values.map((value) => Math.abs(value - values[0]!)).sort((a, b) => a - b);
  let products = 0;
  let squares = 0;
  let refined = step;
  for (const distance of distances) {
    const steps = Math.round(distance / refined);
    if (steps === 0 || steps > LINES_MAX || Math.abs(distance - steps * refined) > Math.max(2, refined / 8))
      continue;
    products += distance * steps;
    squares += steps * steps;
    refined = products / squares;
  }
  return refined;
}

/** Returns the line of best fit through the numbers near the grid. */
function fitted(grid: Grid, ints: Float64Array): Grid {
  const tolerance = Math.max(2, grid.step / 8);
  let count = 0;
  let sumLines = 0;
  let sumInts = 0;
  let squares = 0;
  let products = 0;
  for (let row = 0; row < ints.length; row++) {
    const int = ints[row]!;
    const line = lineOf(grid, int);
    const offset = int - grid.base;
    if (Math.abs(offset - line * grid.step) > tolerance || Math.abs(line) > LINES_MAX) continue;
    count++;
    sumLines += line;
    sumInts += offset;
    squares += line * line;
    products += line * offset;
  }
  const spread = count * squares - sumLines * sumLines;
  if (!(spread > 0)) return grid;
  const step = (count * products - sumLines * sumInts) / spread;
  return { base: grid.base + (sumInts - step * sumLines) / count, step };
}

function nearOf(grid: Grid, sample: Float64Array): number {
  let near = 0;
  for (let row = 0; row < sample.length; row++) if (isNear(grid, sample[row]!)) near++;
  return near;
}

const isNear = (grid: Grid, int: number): boolean =>
  Math.abs(int - lineAt(grid, lineOf(grid, int))) <= toleranceOf(grid.step);

/** Returns the number of rows until the numbers leave the grid. */
function rowsOn(grid: Found, ints: Float64Array): number {
  const expected = Math.max(0.25, (2 * (1 - grid.near)) / grid.near);
  let far = 0;
  let firstFar = 0;
  for (let row = 0; row < ints.length; row++) {
    if (isNear(grid, ints[row]!)) far = Math.max(0, far - expected);
    else {
      if (far === 0) firstFar = row;
      if (++far > FAR_MAX) return Math.max(SEGMENT_ROWS_MIN, firstFar);
    }
  }
  return ints.length;
}
