import { setImmediate } from "node:timers/promises";
import type { DeviceId } from "../../../lib/ids.ts";
import type { LatestSnapshot, TelemetryValue } from "../telemetry.types.ts";
import type { Registry, SealedValue, SeriesState } from "./registry.ts";
import type { Steps } from "./slice-scheduler.ts";
import type { StoreCalls, WireLatest } from "./store.protocol.ts";
import { decodeValue, TAG_STRING } from "./value-kind.ts";

/** The newest value of a series, from wherever it lies now. */
const newestOf = (series: SeriesState): SealedValue | null =>
  series.hot === null ? series.sealed : series.hot.valueAt(series.address, series);

/** Series that are looked at without a pause. */
const SLICE_SERIES = 1_024;

/** The newest values of the asked devices, in order; a device without points has none. */
export function* latestTask(
  registry: Registry,
  { devices, keys }: StoreCalls["latest"]["args"],
): Steps<WireLatest> {
  const wanted = keys === null ? null : new Set(keys.map((key) => registry.keyNos.get(key) ?? -1));
  /** Key number → index of its name in the answer. */
  const indexes = new Map<number, number>();
  const counts = new Uint32Array(devices.length);
  const keyIndexes: number[] = [];
  const ts: number[] = [];
  const numbers: number[] = [];
  const tags: number[] = [];
  const texts: string[] = [];
  const add = (key: number, value: SealedValue) => {
    const index = indexes.get(key) ?? indexes.size;
    indexes.set(key, index);
    if (value.tag >= TAG_STRING) texts.push(value.text ?? "");
    tags.push(value.tag);
    keyIndexes.push(index);
    ts.push(value.ts);
    numbers.push(value.number);
  };
  let seen = 0;
  for (let position = 0; position < devices.length; position++) {
    const before = ts.length;
    for (const series of registry.devices.get(devices[position]!)?.series.values() ?? []) {
      if (++seen % SLICE_SERIES === 0) yield;
      if (wanted !== null && !wanted.has(series.key)) continue;
      const newest = newestOf(series);
      if (newest !== null) add(series.key, newest);
    }
    counts[position] = ts.length - before;
  }
  return {
    names: [...indexes.keys()].map((key) => registry.keyNames[key] ?? ""),
    counts,
    keys: Uint32Array.from(keyIndexes),
    ts: Float64Array.from(ts),
    numbers: Float64Array.from(numbers),
    tags: Uint8Array.from(tags),
    texts,
  };
}

/** Values that the main thread unpacks in one turn of the event loop, some 5 ms. */
const VALUES_PER_SLICE = 10_000;

/** Sets an own property whatever the key; plain assignment of `__proto__` would change the prototype. */
function setOwn<Value>(target: Record<string, Value>, key: string, value: Value): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}

/** Returns one snapshot for each requested device; without points it has no values and `ts` 0. Other work runs in between. */
export async function snapshotsOf(
  deviceIds: readonly DeviceId[],
  latest: WireLatest,
): Promise<LatestSnapshot[]> {
  let index = 0;
  let texts = 0;
  let pauseAt = VALUES_PER_SLICE;
  const snapshots: LatestSnapshot[] = [];
  for (const [position, deviceId] of deviceIds.entries()) {
    if (index >= pauseAt) {
      pauseAt = index + VALUES_PER_SLICE;
      await setImmediate();
    }
    const values: Record<string, TelemetryValue> = {};
    const timestamps: Record<string, number> = {};
    let newest = Number.NEGATIVE_INFINITY;
    for (const end = index + latest.counts[position]!; index < end; index++) {
      const name = latest.names[latest.keys[index]!]!;
      const ts = latest.ts[index]!;
      const tag = latest.tags[index]!;
      const text = tag >= TAG_STRING ? latest.texts[texts++] : undefined;
      setOwn(values, name, decodeValue(tag, latest.numbers[index]!, text));
      setOwn(timestamps, name, ts);
      if (ts > newest) newest = ts;
    }
    snapshots.push({ deviceId, values, timestamps, ts: Number.isFinite(newest) ? newest : 0 });
  }
  return snapshots;
}
