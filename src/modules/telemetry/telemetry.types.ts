import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { JsonObject, JsonValue } from "../../lib/json/json.ts";
import { ReadList } from "../../lib/json/json-pieces.ts";
import type { CalendarInterval } from "../../lib/time/calendar-interval.ts";

/** Value of a telemetry key; type and bits are preserved. */
export type TelemetryValue = number | boolean | string | JsonObject | JsonValue[];

/** Values with a common timestamp (`ts`, epoch ms) from one device message, already validated. */
export interface Reading {
  readonly ts: number;
  readonly values: Readonly<Record<string, TelemetryValue>>;
}

export interface Point {
  readonly ts: number;
  readonly value: TelemetryValue;
}

/** Points in columns: a million objects would occupy the garbage collector for hundreds of ms. */
export class PackedPoints extends ReadList<Point> {
  readonly ts: Float64Array;
  readonly values: ArrayLike<Point["value"]>;

  constructor(ts: Float64Array, values: ArrayLike<Point["value"]>) {
    super();
    this.ts = ts;
    this.values = values;
  }

  get length(): number {
    return this.ts.length;
  }

  *[Symbol.iterator](): Iterator<Point> {
    for (let row = 0; row < this.ts.length; row++) yield { ts: this.ts[row]!, value: this.values[row]! };
  }
}

/** Points of one key, oldest first. */
export interface Series {
  readonly key: string;
  readonly points: PackedPoints;
  /** Number of non-numeric values that an aggregate skipped. */
  readonly skipped?: number;
  /** Set if points were left out because there are more than requested. */
  readonly thinned?: true;
}

export interface DeviceSeries {
  readonly deviceId: DeviceId;
  readonly series: Series[];
}

export interface LatestSnapshot {
  readonly deviceId: DeviceId;
  readonly values: Record<string, TelemetryValue>;
  /** Epoch ms of each key's value. */
  readonly timestamps: Record<string, number>;
  /** Epoch ms of the newest value; 0 if the device has none. */
  readonly ts: number;
}

/** Newest values of a device as JSON: two objects with a member for each key. */
export interface LatestJson {
  readonly values: string;
  readonly timestamps: string;
  /** Epoch ms of the newest value; 0 if the device has none. */
  readonly ts: number;
}

/** Returns the members of a `LatestSnapshot` as JSON, without the device. */
export const latestMembers = ({ values, timestamps, ts }: LatestJson): string =>
  `"values":${values},"timestamps":${timestamps},"ts":${ts}`;

export const AGGREGATIONS = [
  "none",
  "min",
  "max",
  "avg",
  "sum",
  "count",
  "first",
  "last",
  "delta",
  "timeIn",
] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

/** Default number of points per series in a response. */
export const DATA_POINTS_DEFAULT = 500;
export const DATA_POINTS_MAX = 100_000;
/** Max. points with `timeIn`, each a list of up to about 30 values. */
export const STATE_POINTS_MAX = 2_000;
/** Returns the max. points per series in a response, by aggregation. */
export const pointsMaxOf = (aggregation: string): number =>
  aggregation === "timeIn" ? STATE_POINTS_MAX : DATA_POINTS_MAX;

/** Time for which a series held a value or, without `value`, all other values. A point of `timeIn` is a list of these. */
export type StateDuration = { value?: number | boolean | string; ms: number };

export interface TelemetryResponse {
  readonly data: DeviceSeries[];
  readonly from: number;
  readonly to: number;
  readonly aggregation: Aggregation;
}

/** Closed range `[from, to]` in epoch ms. */
export interface RangeQuery {
  readonly deviceIds: readonly DeviceId[];
  /** Empty means all keys. */
  readonly keys: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly aggregation: Aggregation;
  /** Max. points per series: intervals for aggregates, thinning that keeps peaks for `none`. */
  readonly maxDataPoints: number;
  /** Calendar or fixed intervals instead of `maxDataPoints` equal ones (aggregates only). */
  readonly interval?:
    | { readonly kind: "ms"; readonly ms: number }
    | ({ readonly kind: "calendar" } & CalendarInterval);
}

/** Small handle of a device in the store; obtained once and kept by callers on the hot path. */
export interface StoreDevice {
  readonly tenantId: TenantId;
  readonly deviceId: DeviceId;
  /** Dense number of the device inside the telemetry file. */
  readonly no: number;
}
