/** A limit: a line across the chart. */
export interface ChartLimit {
  readonly value: number;
  readonly color: string;
  /** Number of the value axis, as in `ChartSeries`. */
  readonly scale: number;
  /** True if the axis extends to it; otherwise it is drawn when the values come near it. */
  readonly isInView?: boolean;
}

/** An event: a line from top to bottom. */
export interface ChartEvent {
  readonly ts: number;
  readonly color: string;
}

/** A shaded range of values. An infinite end extends to the end of the axis. */
export interface ChartBand {
  readonly from: number;
  readonly to: number;
  readonly color: string;
  /** Number of the value axis, as in `ChartSeries`. */
  readonly scale: number;
}
