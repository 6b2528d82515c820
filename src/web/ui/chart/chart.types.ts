/** A limit: a line across the chart. */
export interface ChartLimit {
  readonly value: number;
  readonly color: string;
  /** Number of the value axis, as in `ChartSeries`. */
  readonly scale: number;
  /** True if the axis reaches to it; otherwise it is drawn where the values come near it. */
  readonly isInView?: boolean;
}

/** Something that happened: a line from top to bottom. */
export interface ChartEvent {
  readonly ts: number;
  readonly color: string;
}

/** A shaded range of values. An end that is infinite reaches to the end of the axis. */
export interface ChartBand {
  readonly from: number;
  readonly to: number;
  readonly color: string;
  /** Number of the value axis, as in `ChartSeries`. */
  readonly scale: number;
}
