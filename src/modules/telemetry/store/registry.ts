import type { KnownDefinitions } from "./feed/feed.types.ts";
import {
  type Definitions,
  type DeviceDefinition,
  type KeyDefinition,
  noDefinitions,
  type PatternDefinition,
} from "./hot/group-format.ts";

/** Newest sealed value of a series. */
export interface SealedValue {
  readonly ts: number;
  readonly tag: number;
  readonly number: number;
  readonly text: string | undefined;
}

/** Reader of hot values. */
export interface HotValues {
  /** Returns the value of a series in the record at an address. */
  valueAt(address: number, series: SeriesState): SealedValue;
}

/** State of a device's key in the worker. */
export interface SeriesState {
  readonly key: number;
  /** Number of the family. Its keys share the timestamps of their blocks; a key never changes its family. */
  readonly family: number;
  /** Time of the newest value, hot or sealed; -Infinity if there is none. */
  ts: number;
  /** Reader of the newest value if it is hot, otherwise null. */
  hot: HotValues | null;
  address: number;
  /** Newest sealed value. */
  sealed: SealedValue | null;
  /** True if the file has a row for the series. */
  persisted: boolean;
}

export interface DeviceState extends DeviceDefinition {
  /** Key number → series. */
  readonly series: Map<number, SeriesState>;
  /** Pattern number → the series of its columns, in order. */
  readonly bindings: Map<number, SeriesState[]>;
  /** Number of keys per family. */
  readonly familyKeys: number[];
  /** Per family a timestamp after which it has no block; absent until looked up. */
  readonly sealedEnds: number[];
  lastPattern: number;
  lastBinding: SeriesState[];
}

/** Max. keys of a family. A body contains all columns of a family, so families stay small enough to be read for one key. */
const FAMILY_KEYS_MAX = 24;

/** Devices, keys, patterns and series by their dense numbers; the worker's copy of the dictionaries. */
export class Registry {
  /** Device number → device. */
  readonly devices = new Map<number, DeviceState>();
  /** Device id → device. */
  readonly byId = new Map<string, DeviceState>();
  /** Key number → name. */
  readonly keyNames: string[] = [];
  /** Key name → number. */
  readonly keyNos = new Map<string, number>();
  /** Pattern number → columns (`key number * 4 + kind`). */
  readonly patterns: (readonly number[])[] = [];

  /** Upper bound of all device numbers so far, exclusive. */
  deviceEnd = 0;
  seriesCount = 0;

  /** Called with device and key of a series that has lost its last point. */
  onDropped: (device: DeviceState, key: number) => void = () => undefined;

  addDevice(definition: DeviceDefinition): void {
    const device: DeviceState = {
      ...definition,
      series: new Map(),
      bindings: new Map(),
      familyKeys: [],
      sealedEnds: [],
      lastPattern: -1,
      lastBinding: [],
    };
    this.devices.set(device.no, device);
    this.deviceEnd = Math.max(this.deviceEnd, device.no + 1);
    this.byId.set(device.deviceId, device);
  }

  removeDevice(device: DeviceState): void {
    this.devices.delete(device.no);
    this.seriesCount -= device.series.size;
    if (this.byId.get(device.deviceId) === device) this.byId.delete(device.deviceId);
  }

  addKey({ no, name }: KeyDefinition): void {
    this.keyNames[no] = name;
    this.keyNos.set(name, no);
  }

  addPattern({ no, columns }: PatternDefinition): void {
    this.patterns[no] = columns;
  }

  /** Returns the definitions that a reader does not have yet. */
  definitionsSince(since: KnownDefinitions): Definitions {
    const definitions = noDefinitions();
    // There is rarely a new device, and there may be many existing devices.
    if (since.devices < this.deviceEnd)
      for (const { no, tenantId, deviceId } of this.devices.values())
        if (no >= since.devices) definitions.devices.push({ no, tenantId, deviceId });
    for (let no = since.keys; no < this.keyNames.length; no++) {
      const name = this.keyNames[no];
      if (name !== undefined) definitions.keys.push({ no, name });
    }
    for (let no = since.patterns; no < this.patterns.length; no++) {
      const columns = this.patterns[no];
      if (columns !== undefined) definitions.patterns.push({ no, columns });
    }
    return definitions;
  }

  /** Registers a series from the file. */
  restoreSeries(device: DeviceState, key: number, family: number): SeriesState {
    const series: SeriesState = {
      key,
      family,
      ts: Number.NEGATIVE_INFINITY,
      hot: null,
      address: 0,
      sealed: null,
      persisted: false,
    };
    device.series.set(key, series);
    this.seriesCount++;
    device.familyKeys[family] = (device.familyKeys[family] ?? 0) + 1;
    return series;
  }

  /** Returns the series of a pattern's columns on a device; new keys join the family of the pattern's other keys. */
  bind(device: DeviceState, pattern: number): SeriesState[] {
    const states = device.bindings.get(pattern);
    if (states !== undefined) return states;
    const keys = (this.patterns[pattern] ?? []).map((column) => column >> 2);
    let family = this.#commonFamily(device, keys);
    const binding = keys.map((key) => {
      const series = device.series.get(key);
      if (series !== undefined) return series;
      if ((device.familyKeys[family] ?? 0) >= FAMILY_KEYS_MAX) family = device.familyKeys.length;
      return this.restoreSeries(device, key, family);
    });
    device.bindings.set(pattern, binding);
    return binding;
  }

  /** Removes a series that has lost its last point; bindings are recreated when the key is reported again. */
  dropSeries(device: DeviceState, series: SeriesState): void {
    if (device.series.delete(series.key)) {
      this.seriesCount--;
      this.onDropped(device, series.key);
    }
    device.familyKeys[series.family] = Math.max(0, (device.familyKeys[series.family] ?? 1) - 1);
    device.bindings.clear();
    device.lastPattern = -1;
    device.lastBinding = [];
  }

  #commonFamily(device: DeviceState, keys: readonly number[]): number {
    for (const key of keys) {
      const family = device.series.get(key)?.family;
      if (family !== undefined && (device.familyKeys[family] ?? 0) < FAMILY_KEYS_MAX) return family;
    }
    return device.familyKeys.length;
  }
}
