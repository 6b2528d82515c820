import { setImmediate } from "node:timers/promises";
import type { DeviceId } from "../../../lib/core/ids.ts";
import { decodeValue, TAG_STRING } from "../../../lib/data/value-kind.ts";
import type { LatestSnapshot, TelemetryValue } from "../telemetry.types.ts";
import { newestUntil } from "./newest-value.ts";
import type { DeviceState, Registry, SealedValue, SeriesState } from "./registry.ts";
import type { Steps } from "./slice-scheduler.ts";
import type { StoreCalls, WireLatest } from "./store.protocol.ts";
import type { StoreEngine } from "./store-engine.ts";

/** Returns the newest value of a series up to `until`, from memory or disk. */
function newestOf(
  engine: StoreEngine,
  { device, series }: { device: DeviceState; series: SeriesState },
  until: number,
): SealedValue | null {
  if (series.ts > until) return newestUntil(engine, { device, series }, until);
  return series.hot === null ? series.sealed : series.hot.valueAt(series.address, series);
}

/** Initial capacity, in values. */
const VALUES_FIRST = 256;

/** Series processed without a pause. */
const SLICE_SERIES = 1_024;

/** Collects values in columns for the transfer to the main thread. */
class Columns {
  readonly #counts: Uint32Array<ArrayBuffer>;
  /** Key number → index of its name in the response. */
  readonly #indexes: number[] = [];
  /** Numbers of the keys that have an index. */
  readonly #found: number[] = [];
  readonly #texts: string[] = [];
  #keys = new Uint32Array(VALUES_FIRST);
  #ts = new Float64Array(VALUES_FIRST);
  #numbers = new Float64Array(VALUES_FIRST);
  #tags = new Uint8Array(VALUES_FIRST);
  #length = 0;

  constructor(devices: number) {
    this.#counts = new Uint32Array(devices);
  }

  /** Adds a device's value at a position; positions must ascend. */
  add(position: number, key: number, { ts, tag, number, text }: SealedValue): void {
    if (this.#length === this.#keys.length) this.#grow();
    const index = this.#length++;
    this.#keys[index] = this.#indexes[key] ??= this.#found.push(key) - 1;
    this.#ts[index] = ts;
    this.#numbers[index] = number;
    this.#tags[index] = tag;
    if (tag >= TAG_STRING) this.#texts.push(text ?? "");
    this.#counts[position]!++;
  }

  #grow(): void {
    const length = this.#length * 2;
    const [keys, ts, numbers, tags] = [this.#keys, this.#ts, this.#numbers, this.#tags];
    this.#keys = new Uint32Array(length);
    this.#ts = new Float64Array(length);
    this.#numbers = new Float64Array(length);
    this.#tags = new Uint8Array(length);
    this.#keys.set(keys);
    this.#ts.set(ts);
    this.#numbers.set(numbers);
    this.#tags.set(tags);
  }

  toWire({ keyNames }: Registry): WireLatest {
    return {
      names: this.#found.map((key) => keyNames[key] ?? ""),
      counts: this.#counts,
      keys: this.#keys.slice(0, this.#length),
      ts: this.#ts.slice(0, this.#length),
      numbers: this.#numbers.slice(0, this.#length),
      tags: this.#tags.slice(0, this.#length),
      texts: this.#texts,
    };
  }
}

function createKeyFilter({ keyNos }: Registry, keys: readonly string[] | null): (key: number) => boolean {
  if (keys === null) return () => true;
  const wanted = new Set(keys.map((key) => keyNos.get(key) ?? -1));
  return (key) => wanted.has(key);
}

/** Returns the newest values of the requested devices up to a time stamp, in order; none for a device without points. */
export function* latestTask(
  engine: StoreEngine,
  { devices, keys, until }: StoreCalls["latest"]["args"],
): Steps<WireLatest> {
  const { registry } = engine;
  const isWanted = createKeyFilter(registry, keys);
  const columns = new Columns(devices.length);
  let seen = 0;
  for (let position = 0; position < devices.length; position++) {
    const device = registry.devices.get(devices[position]!);
    if (device === undefined) continue;
    for (const series of device.series.values()) {
      // Beside the pauses between slices: a series whose newest value lies behind `until` costs the reading of blocks.
      if (++seen % SLICE_SERIES === 0 || series.ts > until) yield;
      if (!isWanted(series.key)) continue;
      const newest = newestOf(engine, { device, series }, until);
      if (newest !== null) columns.add(position, series.key, newest);
    }
  }
  return columns.toWire(registry);
}

/** Values unpacked by the main thread per turn of the event loop, about 5 ms. */
const VALUES_PER_SLICE = 10_000;

/** Sets an own property for any key; assigning `__proto__` would change the prototype. */
function setOwn<Value>(target: Record<string, Value>, key: string, value: Value): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}

/** Returns one snapshot per requested device, with `ts` 0 if it has no points. Other work runs in between. */
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
