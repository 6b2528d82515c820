import {
  KIND_BOOLEAN,
  KIND_JSON,
  KIND_NUMBER,
  TAG_FALSE,
  TAG_JSON,
  TAG_NUMBER,
  TAG_STRING,
  TAG_TRUE,
} from "../../../../lib/data/value-kind.ts";
import type { DeviceState, Registry, SealedValue, SeriesState } from "../registry.ts";
import { countPoints } from "../rows.ts";
import {
  decodeText,
  HEADER_RECORD_END,
  HEADER_SIDE_BYTES,
  HEADER_WORDS,
  RECORD_HEAD_WORDS,
  TEXT_LENGTH_MASK,
} from "./group-format.ts";
import { ADDRESS_SPAN, type Segment, wordOf } from "./hot-address.ts";
import { HotDevice, type Tombstone } from "./hot-device.ts";

/** Words per segment (512 KiB); a larger group gets its own segment. */
const SEGMENT_WORDS = 65_536;
/** Location of a copied group. */
export interface StagedGroup {
  readonly segment: number;
  readonly at: number;
}

/** In-memory content of consecutive hot rows: raw records in arrival order, and their location per device. */
export class HotGeneration {
  /** Device number → its records. */
  readonly devices = new Map<number, HotDevice>();
  points = 0;
  groups = 0;
  /** Memory of the records, in bytes. */
  bytes = 0;
  /** Id of the first hot row of this generation. */
  firstId = 0;
  lastId = 0;
  /** Arrival of the first group, in monotonic ms. */
  openedAtMs = 0;
  readonly #registry: Registry;
  readonly #segments: Segment[] = [];
  #used = SEGMENT_WORDS;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Upper bound of all addresses so far, exclusive. */
  get end(): number {
    return Math.max(0, this.#segments.length - 1) * ADDRESS_SPAN + this.#used;
  }

  /** Copies a group's bytes; `index` makes them visible. */
  stage(group: Uint8Array): StagedGroup {
    const words = Math.ceil(group.byteLength / 8);
    let segment = this.#segments[this.#segments.length - 1];
    if (segment === undefined || this.#used + words > segment.f64.length) {
      const f64 = new Float64Array(Math.max(SEGMENT_WORDS, words));
      segment = { f64, u32: new Uint32Array(f64.buffer), bytes: Buffer.from(f64.buffer) };
      this.#segments.push(segment);
      this.bytes += f64.byteLength;
      this.#used = 0;
    }
    const offset = this.#used;
    segment.bytes.set(group, offset * 8);
    this.#used += words;
    return { segment: this.#segments.length - 1, at: offset };
  }

  stagedBytes({ segment, at }: StagedGroup, bytes: number): Uint8Array {
    return this.#segments[segment]!.bytes.subarray(at * 8, at * 8 + bytes);
  }

  /** Removes the newest staged group, after its commit failed or because it is damaged. */
  unstage(group: StagedGroup): void {
    this.#used = group.at;
  }

  /** Makes a staged group's records readable and advances the newest values. */
  index(group: StagedGroup, id: number): void {
    const { f64, u32 } = this.#segments[group.segment]!;
    const head = group.at * 2;
    const end = group.at + u32[head + HEADER_RECORD_END]!;
    const sideStart = end * 8;
    const hasText = u32[head + HEADER_SIDE_BYTES]! > 0;
    const base = group.segment * ADDRESS_SPAN;
    let index = group.at + HEADER_WORDS;
    while (index < end) {
      const pattern = u32[index * 2 + 1]!;
      const columns = this.#registry.patterns[pattern]!;
      const textBytes = hasText ? this.#rebaseTexts(u32, index + RECORD_HEAD_WORDS, columns, sideStart) : 0;
      const device = this.#registry.devices.get(u32[index * 2]!);
      if (device !== undefined) {
        const hot = this.#add(device, pattern, base + index, f64[index + 1]!);
        hot.bytes += (RECORD_HEAD_WORDS + columns.length) * 8 + textBytes;
        this.points += columns.length;
      }
      index += RECORD_HEAD_WORDS + columns.length;
    }
    this.cover(id);
    this.groups++;
  }

  /** Adds a hot row, which is released when the generation is sealed. */
  cover(id: number): void {
    if (this.lastId === 0) this.firstId = id;
    this.lastId = id;
  }

  /** Hides a device's current records. Returns the number of hidden points. */
  bury(device: number, deletion: Omit<Tombstone, "before">): number {
    const hot = this.devices.get(device);
    if (hot === undefined) return 0;
    const keys = deletion.keys ?? new Set(hot.device.series.keys());
    const before = countPoints(hot.rows(this, keys, deletion.from, deletion.to));
    hot.tombstones.push({ ...deletion, before: this.end });
    this.points -= before;
    return before;
  }

  #add(device: DeviceState, pattern: number, address: number, ts: number): HotDevice {
    let hot = this.devices.get(device.no);
    if (hot === undefined) {
      hot = new HotDevice(device);
      this.devices.set(device.no, hot);
    }
    hot.add(address, ts);
    if (device.lastPattern !== pattern) {
      device.lastBinding = this.#registry.bind(device, pattern);
      device.lastPattern = pattern;
    }
    const binding = device.lastBinding;
    for (let i = 0; i < binding.length; i++) {
      const series = binding[i]!;
      if (ts >= series.ts) {
        series.ts = ts;
        series.hot = this;
        series.address = address;
      }
    }
    return hot;
  }

  /** Converts text offsets, which are relative to the group's side bytes on disk and to the segment in memory. Returns the bytes of the texts. */
  #rebaseTexts(u32: Uint32Array, offset: number, columns: readonly number[], sideStart: number): number {
    let bytes = 0;
    for (let i = 0; i < columns.length; i++) {
      if ((columns[i]! & 3) <= KIND_BOOLEAN) continue;
      u32[(offset + i) * 2] = u32[(offset + i) * 2]! + sideStart;
      bytes += u32[(offset + i) * 2 + 1]! & TEXT_LENGTH_MASK;
    }
    return bytes;
  }

  tsAt(address: number): number {
    return this.segmentOf(address).f64[wordOf(address) + 1]!;
  }

  columnsAt(address: number): readonly number[] {
    return this.#registry.patterns[this.segmentOf(address).u32[wordOf(address) * 2 + 1]!]!;
  }

  patternAt(address: number): number {
    return this.segmentOf(address).u32[wordOf(address) * 2 + 1]!;
  }

  tagAt(address: number, index: number, kind: number): number {
    if (kind === KIND_NUMBER) return TAG_NUMBER;
    if (kind === KIND_BOOLEAN) return this.numberAt(address, index) === 1 ? TAG_TRUE : TAG_FALSE;
    return kind === KIND_JSON ? TAG_JSON : TAG_STRING;
  }

  /** Returns the slot of a record's value as a number. */
  numberAt(address: number, index: number): number {
    return this.segmentOf(address).f64[wordOf(address) + RECORD_HEAD_WORDS + index]!;
  }

  textAt(address: number, index: number): string {
    const segment = this.segmentOf(address);
    const slot = (wordOf(address) + RECORD_HEAD_WORDS + index) * 2;
    const offset = segment.u32[slot]!;
    const length = segment.u32[slot + 1]!;
    return decodeText(segment.bytes, offset, length);
  }

  /** Returns the value of a series in the record at an address. */
  valueAt(address: number, series: SeriesState): SealedValue {
    const columns = this.columnsAt(address);
    let index = 0;
    while (index < columns.length && columns[index]! >> 2 !== series.key) index++;
    if (index === columns.length) throw new Error("a hot record lacks the key of its series");
    const kind = columns[index]! & 3;
    const tag = this.tagAt(address, index, kind);
    return {
      ts: this.tsAt(address),
      tag,
      number: tag === TAG_NUMBER ? this.numberAt(address, index) : 0,
      text: kind > KIND_BOOLEAN ? this.textAt(address, index) : undefined,
    };
  }

  segmentOf(address: number): Segment {
    return this.#segments[Math.floor(address / ADDRESS_SPAN)]!;
  }
}
