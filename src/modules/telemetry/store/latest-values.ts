import type { DeviceId } from "../../../lib/ids.ts";
import type { LatestSnapshot, TelemetryValue } from "../telemetry.types.ts";
import type { DeviceState, Registry, SealedValue, SeriesState } from "./registry.ts";
import { decodeValue } from "./value-kind.ts";

/** The newest value of a series, from wherever it lies now. */
export const newestOf = (series: SeriesState): SealedValue | null =>
  series.hot === null ? series.sealed : series.hot.valueAt(series.address, series);

/** Sets an own property whatever the key; plain assignment of `__proto__` would change the prototype. */
function setOwn<Value>(target: Record<string, Value>, key: string, value: Value): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}

/** One snapshot per asked device, in order; a device without points has none of anything and `ts` 0. */
export function latestSnapshots(
  registry: Registry,
  deviceIds: readonly string[],
  keys: readonly string[] | null,
): LatestSnapshot[] {
  const wanted = keys === null ? null : new Set(keys.map((key) => registry.keyNos.get(key) ?? -1));
  return deviceIds.map((deviceId) => snapshot(registry, deviceId, registry.byId.get(deviceId), wanted));
}

function snapshot(
  registry: Registry,
  deviceId: string,
  device: DeviceState | undefined,
  wanted: ReadonlySet<number> | null,
): LatestSnapshot {
  const values: Record<string, TelemetryValue> = {};
  const timestamps: Record<string, number> = {};
  let ts = Number.NEGATIVE_INFINITY;
  for (const series of device?.series.values() ?? []) {
    if (wanted !== null && !wanted.has(series.key)) continue;
    const newest = newestOf(series);
    if (newest === null) continue;
    const name = registry.keyNames[series.key] ?? "";
    setOwn(values, name, decodeValue(newest.tag, newest.number, newest.text));
    setOwn(timestamps, name, newest.ts);
    ts = Math.max(ts, newest.ts);
  }
  // The id comes back as the caller gave it: it was minted where the request was parsed.
  return { deviceId: deviceId as DeviceId, values, timestamps, ts: Number.isFinite(ts) ? ts : 0 };
}
