import type { TelemetryValue } from "../../telemetry.types.ts";
import type { ColumnSummary } from "../blocks/column-summary.ts";
import type { ColumnSums } from "../codec/column-sums.ts";
import type { StateRuns } from "../codec/state-runs.ts";
import type { Column } from "../rows.ts";
import type { StateValue } from "./state-table.ts";
import type { StateTimes } from "./state-times.ts";

/** Points of one series as sent by the worker; numbers are typed arrays. */
export interface SinkResult {
  readonly ts: Float64Array;
  readonly numbers: Float64Array | null;
  /** Set instead of `numbers` if some values are not numbers. */
  readonly values: TelemetryValue[] | null;
  /** Response of `timeIn`, in place of `numbers` and `values`. */
  readonly times?: StateTimes;
  /** Number of non-numeric values that an aggregate skipped. */
  readonly skipped?: number;
  /** Set if points were left out because there are more than requested. */
  readonly thinned?: true;
}

/** Value from before the range; its time is irrelevant. */
export type EarlierValue = StateValue;

export interface ClosedRange {
  readonly from: number;
  readonly to: number;
}

/** Receives the points of one series in time order, as rows or as the summary of a whole block. */
export interface SeriesSink {
  /** Receives the newest value from before the range, before all others. */
  before?(value: EarlierValue): void;
  rows(ts: Float64Array, column: Column): void;
  /** Returns `false` if the sink needs the rows of the summary. */
  summary(summary: ColumnSummary): boolean;
  /** Receives the rows of a number column within a closed range. */
  sums?(sums: ColumnSums, range: ClosedRange): void;
  /** Receives the rows of a state column within a closed range; `sums` is preferred. A sink without both receives pieces. */
  readonly runs?: ((runs: StateRuns, range: ClosedRange) => void) | undefined;
  /** Returns `null` if nothing was received. */
  finish(): SinkResult | null;
  /** True if the aggregate applies to none of the received values. Valid after `finish`. */
  readonly isUnfit: boolean;
}
