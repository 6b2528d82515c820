import type { Reading, TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { ReadingTexts } from "./reading-texts.ts";

/** Max. waiting messages of a device; beyond it, only the newest value of each key is kept. */
const READINGS_PER_DEVICE_MAX = 64;
/** Approximate bytes of a merged value in addition to long strings and JSON. */
const ENTRY_BYTES = 160;

/** Newest value and timestamp by key. */
export type NewestValues = ReadonlyMap<string, { readonly value: TelemetryValue; readonly ts: number }>;

/** Readings and, if there were too many, newest values of a device. */
export interface DeviceData {
  readonly readings: readonly Reading[];
  readonly merged: NewestValues | undefined;
}

/** Totals of all readings waiting for the same recipient. */
export class WaitingTotal {
  readonly texts: ReadingTexts;
  readonly weightMax: number;
  weight = 0;
  /** Approximate bytes of merged values. */
  mergedBytes = 0;

  /** @param weightMax max. weight before readings are merged */
  constructor(texts: ReadingTexts, weightMax: number) {
    this.texts = texts;
    this.weightMax = weightMax;
  }
}

/** Limited queue of a device's readings for one recipient: every message or, if there are too many, the newest value of each key. */
export class WaitingReadings implements DeviceData {
  readonly #total: WaitingTotal;
  readonly #keys: ReadonlySet<string> | undefined;
  #readings: Reading[] = [];
  #merged: Map<string, { value: TelemetryValue; ts: number }> | undefined;
  #weight = 0;
  /** Approximate bytes of merged values. */
  #bytes = 0;

  /** @param keys keys that are kept when merging */
  constructor(total: WaitingTotal, keys?: ReadonlySet<string>) {
    this.#total = total;
    this.#keys = keys;
  }

  get readings(): readonly Reading[] {
    return this.#readings;
  }

  get merged(): NewestValues | undefined {
    return this.#merged;
  }

  get isEmpty(): boolean {
    return this.#readings.length === 0 && (this.#merged?.size ?? 0) === 0;
  }

  add({ readings, merged }: DeviceData): void {
    for (const reading of readings) this.#add(reading);
    if (merged === undefined) return;
    const into = this.#startMerging();
    for (const [key, { value, ts }] of merged) this.#mergeValue(into, { key, value, ts });
  }

  /** Removes the oldest reading. */
  shift(): Reading | undefined {
    const reading = this.#readings.shift();
    if (reading === undefined) return undefined;
    this.#weigh(this.#readings.length === 0 ? -this.#weight : -this.#total.texts.weightOf(reading));
    return reading;
  }

  /** Removes merged values of up to about `bytesMax` bytes, at least one. */
  takeMerged(bytesMax: number): Array<[string, { value: TelemetryValue; ts: number }]> {
    const taken: Array<[string, { value: TelemetryValue; ts: number }]> = [];
    let bytes = 0;
    for (const entry of this.#merged ?? []) {
      if (bytes >= bytesMax) break;
      taken.push(entry);
      bytes += this.#bytesOf(entry[1].value);
      this.#merged?.delete(entry[0]);
    }
    this.#countBytes(-bytes);
    return taken;
  }

  clear(): void {
    this.#weigh(-this.#weight);
    this.#countBytes(-this.#bytes);
    this.#readings = [];
    this.#merged = undefined;
  }

  #add(reading: Reading): void {
    const isFull =
      this.#readings.length >= READINGS_PER_DEVICE_MAX || this.#total.weight >= this.#total.weightMax;
    if (this.#merged !== undefined || isFull) {
      this.#merge(this.#startMerging(), reading);
      return;
    }
    this.#readings.push(reading);
    this.#weigh(this.#total.texts.weightOf(reading));
  }

  /** Merges the waiting readings and returns the newest values. */
  #startMerging(): Map<string, { value: TelemetryValue; ts: number }> {
    if (this.#merged !== undefined) return this.#merged;
    const into = new Map();
    this.#merged = into;
    for (const earlier of this.#readings) this.#merge(into, earlier);
    this.#weigh(-this.#weight);
    this.#readings = [];
    return into;
  }

  #merge(into: Map<string, { value: TelemetryValue; ts: number }>, { ts, values }: Reading): void {
    for (const [key, value] of Object.entries(values)) this.#mergeValue(into, { key, value, ts });
  }

  /** Keeps the newest value of the key. */
  #mergeValue(
    into: Map<string, { value: TelemetryValue; ts: number }>,
    { key, value, ts }: { key: string; value: TelemetryValue; ts: number },
  ): void {
    if (this.#keys !== undefined && !this.#keys.has(key)) return;
    const existing = into.get(key);
    if (existing !== undefined && existing.ts > ts) return;
    this.#countBytes(this.#bytesOf(value) - (existing === undefined ? 0 : this.#bytesOf(existing.value)));
    into.set(key, { value, ts });
  }

  #weigh(change: number): void {
    this.#weight += change;
    this.#total.weight += change;
  }

  #countBytes(change: number): void {
    this.#bytes += change;
    this.#total.mergedBytes += change;
  }

  #bytesOf(value: TelemetryValue): number {
    return ENTRY_BYTES + this.#total.texts.lengthOf(value);
  }
}
