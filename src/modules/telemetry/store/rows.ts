import { TAG_ABSENT, TAG_NUMBER } from "../../../lib/data/value-kind.ts";

/** Values of one key, aligned with the timestamps of their `Rows`. */
export interface Column {
  readonly tags: Uint8Array;
  readonly numbers: Float64Array;
  /** Strings, and JSON values as text; null if the key has neither. */
  texts: (string | undefined)[] | null;
  /** True if every row is known to contain a number. */
  readonly dense: boolean;
}

/** Points of keys with common timestamps: strictly ascending `ts`, one column per key. */
export interface Rows {
  readonly ts: Float64Array;
  /** Key number → column. */
  readonly columns: ReadonlyMap<number, Column>;
}

export const emptyRows: Rows = { ts: new Float64Array(0), columns: new Map() };

export const newColumn = (rows: number): Column => ({
  tags: new Uint8Array(rows),
  numbers: new Float64Array(rows),
  texts: null,
  dense: false,
});

/** Largest array so far; older arrays stay in use by their columns. */
let allNumbers = new Uint8Array(16_384).fill(TAG_NUMBER);

/** Returns tags of a column with a number in every row. Shared, because tags are never modified. */
export function numberTags(rows: number): Uint8Array {
  if (rows > allNumbers.length) allNumbers = new Uint8Array(rows * 2).fill(TAG_NUMBER);
  return allNumbers.subarray(0, rows);
}

/** Returns the index of the first timestamp at or after `ts`. */
export function lowerBound(stamps: Float64Array, ts: number): number {
  let low = 0;
  let high = stamps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (stamps[middle]! < ts) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the index after the last timestamp at or before `ts`. */
export function upperBound(stamps: Float64Array, ts: number): number {
  let low = 0;
  let high = stamps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (stamps[middle]! <= ts) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function sliceRows(rows: Rows, start: number, end: number): Rows {
  if (start === 0 && end === rows.ts.length) return rows;
  const columns = new Map<number, Column>();
  for (const [key, column] of rows.columns) columns.set(key, sliceColumn(column, start, end));
  return { ts: rows.ts.subarray(start, end), columns };
}

export const sliceColumn = (column: Column, start: number, end: number): Column => ({
  tags: column.tags.subarray(start, end),
  numbers: column.numbers.subarray(start, end),
  texts: column.texts?.slice(start, end) ?? null,
  dense: column.dense,
});

function copyCell(from: Column, index: number, to: Column, row: number): void {
  const tag = from.tags[index]!;
  if (tag === TAG_ABSENT) return;
  to.tags[row] = tag;
  to.numbers[row] = from.numbers[index]!;
  if (from.texts === null) return;
  to.texts ??= new Array<string | undefined>(to.tags.length);
  to.texts[row] = from.texts[index];
}

/** Row in `base` and in `over` per merged row; -1 if there is none. */
interface MergePlan {
  readonly ts: Float64Array;
  readonly base: Int32Array;
  readonly over: Int32Array;
}

function planMerge(base: Float64Array, over: Float64Array): MergePlan {
  const most = base.length + over.length;
  const ts = new Float64Array(most);
  const fromBase = new Int32Array(most).fill(-1);
  const fromOver = new Int32Array(most).fill(-1);
  let b = 0;
  let o = 0;
  let row = 0;
  while (b < base.length || o < over.length) {
    const baseTs = b < base.length ? base[b]! : Number.POSITIVE_INFINITY;
    const overTs = o < over.length ? over[o]! : Number.POSITIVE_INFINITY;
    const next = Math.min(baseTs, overTs);
    ts[row] = next;
    if (baseTs === next) fromBase[row] = b++;
    if (overTs === next) fromOver[row] = o++;
    row++;
  }
  return { ts: ts.subarray(0, row), base: fromBase.subarray(0, row), over: fromOver.subarray(0, row) };
}

/** Merges rows by time; for the same key and timestamp, `over` takes precedence. */
export function overlay(base: Rows, over: Rows): Rows {
  if (over.ts.length === 0) return base;
  if (base.ts.length === 0) return over;
  const plan = planMerge(base.ts, over.ts);
  const columns = new Map<number, Column>();
  for (const key of new Set([...base.columns.keys(), ...over.columns.keys()])) {
    const merged = newColumn(plan.ts.length);
    fill(merged, base.columns.get(key), plan.base);
    fill(merged, over.columns.get(key), plan.over);
    columns.set(key, merged);
  }
  return { ts: plan.ts, columns };
}

function fill(target: Column, source: Column | undefined, rows: Int32Array): void {
  if (source === undefined) return;
  for (let row = 0; row < rows.length; row++) {
    const offset = rows[row]!;
    if (offset >= 0) copyCell(source, offset, target, row);
  }
}

/** Concatenates rows; each part starts after the previous one ends. */
export function concat(parts: readonly Rows[]): Rows {
  if (parts.length === 1) return parts[0] ?? emptyRows;
  const total = parts.reduce((sum, part) => sum + part.ts.length, 0);
  const ts = new Float64Array(total);
  const columns = new Map<number, Column>();
  let index = 0;
  for (const part of parts) {
    ts.set(part.ts, index);
    for (const [key, column] of part.columns) {
      let target = columns.get(key);
      if (target === undefined) {
        target = newColumn(total);
        columns.set(key, target);
      }
      target.tags.set(column.tags, index);
      target.numbers.set(column.numbers, index);
      if (column.texts !== null) appendTexts(target, column.texts, index);
    }
    index += part.ts.length;
  }
  return { ts, columns };
}

function appendTexts(target: Column, texts: readonly (string | undefined)[], offset: number): void {
  target.texts ??= new Array<string | undefined>(target.tags.length);
  for (let i = 0; i < texts.length; i++) target.texts[offset + i] = texts[i];
}

/** Removes the values of `keys` (null: all) within the closed range, and rows left without values. */
export function withoutRange(
  rows: Rows,
  range: { keys: ReadonlySet<number> | null; from: number; to: number },
): Rows {
  const start = lowerBound(rows.ts, range.from);
  const end = upperBound(rows.ts, range.to);
  if (start >= end) return rows;
  const cleared = new Map<number, Column>();
  for (const [key, column] of rows.columns) {
    const hit = range.keys === null || range.keys.has(key);
    const tags = hit ? column.tags.slice().fill(TAG_ABSENT, start, end) : column.tags;
    cleared.set(key, { ...column, tags, dense: column.dense && !hit });
  }
  return compactRows({ ts: rows.ts, columns: cleared });
}

/** Removes rows and columns without values. */
export function compactRows(rows: Rows): Rows {
  const kept: number[] = [];
  const columns = [...rows.columns].filter(([, column]) => column.tags.some((tag) => tag !== TAG_ABSENT));
  for (let row = 0; row < rows.ts.length; row++) {
    if (columns.some(([, column]) => column.tags[row] !== TAG_ABSENT)) kept.push(row);
  }
  if (kept.length === rows.ts.length) return { ts: rows.ts, columns: new Map(columns) };
  const picks = Int32Array.from(kept);
  const picked = new Map<number, Column>();
  for (const [key, column] of columns) {
    const target = newColumn(kept.length);
    fill(target, column, picks);
    picked.set(key, target);
  }
  return { ts: Float64Array.from(kept, (row) => rows.ts[row]!), columns: picked };
}

export function countPoints(rows: Rows): number {
  let points = 0;
  for (const column of rows.columns.values()) {
    for (let row = 0; row < column.tags.length; row++) if (column.tags[row] !== TAG_ABSENT) points++;
  }
  return points;
}
