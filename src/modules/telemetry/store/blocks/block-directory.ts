import type { Statement } from "bun:sqlite";
import type { TelemetryFile } from "../telemetry-file.ts";

/** Entry of the block directory. */
export interface BlockRef {
  readonly device: number;
  readonly family: number;
  readonly minTs: number;
  readonly maxTs: number;
  readonly rows: number;
  readonly points: number;
  readonly bytes: number;
  readonly body: number;
  readonly head: Uint8Array;
}

export interface BlockRow {
  min_ts: number;
  max_ts: number;
  rows: number;
  points: number;
  bytes: number;
  head: Uint8Array;
  body: number;
}

export interface FamilyKey {
  readonly device: number;
  readonly family: number;
}

export const BLOCK_COLUMNS = "min_ts, max_ts, rows, points, bytes, head, body";

/** Block directory in the file, by family. */
export class BlockDirectory {
  readonly #start: Statement<{ ts: number | null }, [number, number, number]>;
  readonly #page: Statement<BlockRow, [number, number, number, number, number]>;
  readonly #before: Statement<BlockRow, [number, number, number]>;

  constructor(file: TelemetryFile) {
    this.#start = file.prepare(
      "SELECT max(min_ts) AS ts FROM block WHERE device = ? AND family = ? AND min_ts <= ?",
    );
    this.#page = file.prepare(
      `SELECT ${BLOCK_COLUMNS} FROM block WHERE device = ? AND family = ? AND min_ts >= ? AND min_ts <= ? ORDER BY min_ts LIMIT ?`,
    );
    this.#before = file.prepare(
      `SELECT ${BLOCK_COLUMNS} FROM block WHERE device = ? AND family = ? AND min_ts < ? ORDER BY min_ts DESC LIMIT 1`,
    );
  }

  /** Returns blocks that overlap the closed range, oldest first, at most `limit`. */
  overlapping(of: FamilyKey, range: { from: number; to: number }, limit: number): BlockRef[] {
    const start = this.#start.get(of.device, of.family, range.from)?.ts ?? range.from;
    const rows = this.#page.all(of.device, of.family, start, range.to, limit + 1);
    ensureOrder(rows);
    // Only the first can end before the range: blocks of a family do not overlap.
    const refs = rows.filter((row) => row.max_ts >= range.from).map((row) => refOf(of, row));
    return refs.slice(0, limit);
  }

  /** Returns the newest block that starts before `ts`. */
  newestBefore(of: FamilyKey, ts: number): BlockRef | null {
    const row = this.#before.get(of.device, of.family, ts);
    if (row !== null && row.min_ts >= ts) throw outOfOrder();
    return row === null ? null : refOf(of, row);
  }
}

export const refOf = ({ device, family }: FamilyKey, row: BlockRow): BlockRef => ({
  device,
  family,
  minTs: row.min_ts,
  maxTs: row.max_ts,
  rows: row.rows,
  points: row.points,
  bytes: row.bytes,
  head: row.head,
  body: row.body,
});

/** Checks the order of rows: a damaged file may return them in any order, so that reading on after the last row would never end. */
function ensureOrder(rows: readonly BlockRow[]): void {
  let end = Number.NEGATIVE_INFINITY;
  for (const { min_ts, max_ts } of rows) {
    if (min_ts <= end || max_ts < min_ts) throw outOfOrder();
    end = max_ts;
  }
}

export const outOfOrder = (): Error => new Error("the directory of blocks is out of order");
