import type { Reading, TelemetryValue } from "../../../../src/modules/telemetry/telemetry.types.ts";

/** What the store must behave like: a map per device and key from time stamp to the value written last. */
export class StoreModel {
  /** Device → key → time stamp → value. */
  readonly devices = new Map<string, Map<string, Map<number, TelemetryValue>>>();

  append(device: string, readings: readonly Reading[]): void {
    const keys = this.devices.get(device) ?? new Map<string, Map<number, TelemetryValue>>();
    this.devices.set(device, keys);
    for (const { ts, values } of readings) {
      for (const [key, value] of Object.entries(values)) {
        const points = keys.get(key) ?? new Map<number, TelemetryValue>();
        keys.set(key, points.set(ts, value));
      }
    }
  }

  deleteRange(device: string, keys: readonly string[], from: number, to: number): void {
    for (const [key, points] of this.devices.get(device) ?? []) {
      if (keys.length > 0 && !keys.includes(key)) continue;
      for (const ts of [...points.keys()]) if (ts >= from && ts <= to) points.delete(ts);
      if (points.size === 0) this.devices.get(device)?.delete(key);
    }
  }

  points(device: string, key: string, from: number, to: number): [number, TelemetryValue][] {
    const points = this.devices.get(device)?.get(key) ?? new Map<number, TelemetryValue>();
    return [...points].filter(([ts]) => ts >= from && ts <= to).sort(([a], [b]) => a - b);
  }

  keys(device: string): string[] {
    return [...(this.devices.get(device)?.keys() ?? [])].sort();
  }

  latest(
    device: string,
    key: string,
    until = Number.POSITIVE_INFINITY,
  ): [number, TelemetryValue] | undefined {
    return this.points(device, key, Number.NEGATIVE_INFINITY, until).at(-1);
  }
}

export type AggregateName = "min" | "max" | "avg" | "sum" | "count";

/** An aggregate over values, the naive way. */
export function aggregate(name: AggregateName, values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  switch (name) {
    case "count":
      return values.length;
    case "min":
      return Math.min(...values);
    case "max":
      return Math.max(...values);
    case "avg":
      return sum / values.length;
    case "sum":
      return sum;
  }
}
