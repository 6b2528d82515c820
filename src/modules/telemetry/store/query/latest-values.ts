import { setImmediate } from "node:timers/promises";
import type { DeviceId } from "../../../../lib/core/ids.ts";
import { decodeValue, TAG_JSON, TAG_STRING } from "../../../../lib/data/value-kind.ts";
import { PARSED_MAX } from "../../../../platform/database/parsed-together.ts";
import { workShare } from "../../../../platform/load/fair-share.ts";
import type { LatestJson, LatestSnapshot, TelemetryValue } from "../../telemetry.types.ts";
import type { DeviceState, Registry, SealedValue, SeriesState } from "../registry.ts";
import type { StoreCalls, WireLatest } from "../store.protocol.ts";
import type { StoreEngine } from "../store-engine.ts";
import type { Steps } from "../upkeep/slice-scheduler.ts";
import { newestUntil } from "./newest-value.ts";

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

/** Values, and characters of texts, after which a response ends with the current device; the next response starts with the next device. */
const RESPONSE_MAX = { values: 50_000, characters: 4 * 1024 * 1024 } as const;

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
  #characters = 0;

  constructor(devices: number) {
    this.#counts = new Uint32Array(devices);
  }

  get isFull(): boolean {
    return this.#length >= RESPONSE_MAX.values || this.#characters >= RESPONSE_MAX.characters;
  }

  /** Adds a device's value at a position; positions must ascend. */
  add(position: number, key: number, { ts, tag, number, text }: SealedValue): void {
    if (this.#length === this.#keys.length) this.#grow();
    const index = this.#length++;
    this.#keys[index] = this.#indexes[key] ??= this.#found.push(key) - 1;
    this.#ts[index] = ts;
    this.#numbers[index] = number;
    this.#tags[index] = tag;
    if (tag >= TAG_STRING) {
      this.#texts.push(text ?? "");
      this.#characters += text?.length ?? 0;
    }
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

  /** @param answered number of devices whose values are there */
  toWire({ keyNames }: Registry, answered: number): WireLatest {
    return {
      answered,
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

/** Returns the newest values of the requested devices up to a timestamp, in order; none for a device without points. */
export function* latestTask(
  engine: StoreEngine,
  { devices, keys, until }: StoreCalls["latest"]["args"],
): Steps<WireLatest> {
  const { registry } = engine;
  const isWanted = createKeyFilter(registry, keys);
  const columns = new Columns(devices.length);
  let seen = 0;
  let position = 0;
  for (; position < devices.length && !columns.isFull; position++) {
    const device = registry.devices.get(devices[position]!);
    for (const series of device?.series.values() ?? []) {
      // In addition to the pauses between slices, because a series with a newest value after `until` requires reading blocks.
      if (++seen % SLICE_SERIES === 0 || series.ts > until) yield;
      if (!isWanted(series.key)) continue;
      const newest = newestOf(engine, { device: device!, series }, until);
      if (newest !== null) columns.add(position, series.key, newest);
    }
  }
  return columns.toWire(registry, position);
}

/** Values unpacked by the main thread per turn of the event loop, about 5 ms. */
const VALUES_PER_SLICE = 10_000;

const notParsed: TelemetryValue = Object.freeze({});

/** Reads values, and counts parsed JSON, for a pause after enough of it. Of scalars, lists and objects are not parsed. */
class Parsing {
  readonly #parses: (tag: number) => boolean;
  #characters = 0;

  constructor(kinds: "all" | "scalars") {
    this.#parses = (tag) => tag === TAG_JSON && kinds === "all";
  }

  isLong(tag: number, text = ""): boolean {
    if (this.#parses(tag)) this.#characters += text.length;
    if (this.#characters <= PARSED_MAX) return false;
    this.#characters = 0;
    return true;
  }

  valueOf(tag: number, number: number, text: string | undefined): TelemetryValue {
    return tag === TAG_JSON && !this.#parses(tag) ? notParsed : decodeValue(tag, number, text);
  }
}

/** Sets a property of the object itself for any key; assigning `__proto__` would change the prototype. */
function setOwn<Value>(target: Record<string, Value>, key: string, value: Value): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
}

/** Returns one snapshot per requested device, with `ts` 0 if it has no points. Other work runs in between. Scalars have `{}` for lists and objects. */
export async function snapshotsOf(
  deviceIds: readonly DeviceId[],
  latest: WireLatest,
  kinds: "all" | "scalars" = "all",
): Promise<LatestSnapshot[]> {
  let index = 0;
  let texts = 0;
  let pauseAt = VALUES_PER_SLICE;
  const parsing = new Parsing(kinds);
  const snapshots: LatestSnapshot[] = [];
  for (const [position, deviceId] of deviceIds.entries()) {
    if (index >= pauseAt) {
      pauseAt = index + VALUES_PER_SLICE;
      await setImmediate();
    }
    const values: Record<string, TelemetryValue> = {};
    const timestamps: Record<string, number> = {};
    let newest = 0;
    for (const end = index + latest.counts[position]!; index < end; index++) {
      const name = latest.names[latest.keys[index]!]!;
      const ts = latest.ts[index]!;
      const tag = latest.tags[index]!;
      const text = tag >= TAG_STRING ? latest.texts[texts++] : undefined;
      if (parsing.isLong(tag, text)) await workShare.next();
      setOwn(values, name, parsing.valueOf(tag, latest.numbers[index]!, text));
      setOwn(timestamps, name, ts);
      if (ts > newest) newest = ts;
    }
    snapshots.push({ deviceId, values, timestamps, ts: newest });
  }
  return snapshots;
}

/** Returns the number of characters of the JSON values. */
export function jsonCharacters({ tags, texts }: WireLatest): number {
  let count = 0;
  let next = 0;
  for (const tag of tags) {
    if (tag < TAG_STRING) continue;
    const text = texts[next++];
    if (tag === TAG_JSON) count += text?.length ?? 0;
  }
  return count;
}

/** Returns the JSON of a value. */
const jsonOf = (tag: number, number: number, text: string | undefined): string =>
  tag === TAG_JSON ? (text ?? "null") : JSON.stringify(decodeValue(tag, number, text));

/** Characters of a piece of JSON. Pieces of single values would take longer to pass on than to make. */
export const PIECE_CHARACTERS = 64 * 1024;

/** Part of a device's newest values as JSON. */
interface LatestPart {
  readonly deviceId: DeviceId;
  /** Members of the object `values`. */
  readonly members: string;
  /** Set in the last part of the device. */
  readonly end: Pick<LatestJson, "timestamps" | "ts"> | undefined;
}

/** Yields the JSON of the same snapshots, in parts if it is long. JSON values are not parsed: that would take many times their size. */
export function* latestParts(deviceIds: readonly DeviceId[], latest: WireLatest): Generator<LatestPart> {
  const { counts, keys, ts, tags, numbers } = latest;
  const names = latest.names.map((name) => JSON.stringify(name));
  let index = 0;
  let texts = 0;
  for (const [position, deviceId] of deviceIds.entries()) {
    let members = "";
    let timestamps = "";
    let newest = 0;
    let separator = "";
    for (const end = index + counts[position]!; index < end; index++) {
      const name = names[keys[index]!]!;
      const tag = tags[index]!;
      const text = tag >= TAG_STRING ? latest.texts[texts++] : undefined;
      members += `${separator}${name}:${jsonOf(tag, numbers[index]!, text)}`;
      timestamps += `${separator}${name}:${ts[index]}`;
      newest = Math.max(newest, ts[index]!);
      separator = ",";
      if (members.length < PIECE_CHARACTERS) continue;
      yield { deviceId, members, end: undefined };
      members = "";
    }
    yield { deviceId, members, end: { timestamps: `{${timestamps}}`, ts: newest } };
  }
}
