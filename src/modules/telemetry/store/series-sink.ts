import type { TelemetryValue } from "../telemetry.types.ts";
import type { ColumnSums } from "./codec/column-sums.ts";
import type { StateRuns } from "./codec/state-runs.ts";
import type { ColumnSummary } from "./column-summary.ts";
import type { Column } from "./rows.ts";
import type { StateValue } from "./state-table.ts";
import type { StateTimes } from "./state-times.ts";

/** Points of one series on their way out of the worker; numbers travel as typed arrays. */
export interface SinkResult {
  readonly ts: Float64Array;
  readonly numbers: Float64Array | null;
  /** Instead of `numbers` when some value is no number. */
  readonly values: TelemetryValue[] | null;
  /** The answer of `timeIn`, in place of both. */
  readonly times?: StateTimes;
  /** Values that are not numbers, which an aggregate of numbers skipped. */
  readonly skipped?: number;
  /** Points were left out, because there are more than the query asks for. */
  readonly thinned?: true;
}

/** A value from before the range, of a time that does not matter. */
export type EarlierValue = StateValue;

export interface ClosedRange {
  readonly from: number;
  readonly to: number;
}

/** Takes the points of one series in time order, as rows or, where it can use one, as the summary of a whole block. */
export interface SeriesSink {
  /** Takes the newest value from before the range, ahead of all others. */
  before?(value: EarlierValue): void;
  rows(ts: Float64Array, column: Column): void;
  /** Returns `false` if the sink needs the rows behind the summary. */
  summary(summary: ColumnSummary): boolean;
  /** Takes those rows of a column of numbers that lie within a closed range. */
  sums?(sums: ColumnSums, range: ClosedRange): void;
  /** Takes those rows of a column of states that lie within a closed range; `sums` is preferred. A sink with neither wants pieces. */
  readonly runs?: ((runs: StateRuns, range: ClosedRange) => void) | undefined;
  /** Returns `null` if nothing came. */
  finish(): SinkResult | null;
  /** True if all values that came are such that the aggregate does not apply to them. Known after `finish`. */
  readonly isUnfit: boolean;
}
