import { type DomainError, invalid } from "../../../../lib/core/domain-error.ts";
import { KIND_BOOLEAN, KIND_NUMBER, kindOf, valueText } from "../../../../lib/data/value-kind.ts";
import type { Reading, StoreDevice, TelemetryValue } from "../../telemetry.types.ts";
import type { PatternNode, PatternTree } from "../query/pattern-tree.ts";
import type { DeviceKeys } from "../upkeep/key-limits.ts";
import type { TenantUse } from "../upkeep/tenant-use.ts";
import {
  ESCAPED_TEXT,
  GROUP_VERSION,
  HEADER_POINTS,
  HEADER_READINGS,
  HEADER_RECORD_END,
  HEADER_SIDE_BYTES,
  HEADER_VERSION,
  HEADER_WORDS,
  RECORD_HEAD_WORDS,
} from "./group-format.ts";

/** Device in the staging buffer; the pattern of its last message is the best guess for the next. */
export interface StagedDevice extends StoreDevice {
  pattern: PatternNode;
  readonly keys: DeviceKeys;
}

export interface FilledBuffer {
  readonly buffer: ArrayBuffer;
  /** Bytes in use, including header and side bytes. */
  readonly bytes: number;
}

/** Max. share of a group per tenant. */
const TENANT_PART = 1 / 4;
let nextGroup = 1;

const WORDS_INITIAL = 8192;
const encoder = new TextEncoder();

/** Aborts the writing of a message; caught by `write`. */
const keysBeyondLimit = new Error("keys beyond a limit");

/** Readings of the next group, encoded on arrival. Grows by doubling; its owner limits it by `bytes`. */
export class StagingBuffer {
  readonly #patterns: PatternTree;
  #buffer: ArrayBuffer;
  #f64: Float64Array;
  #u32: Uint32Array;
  #offset = HEADER_WORDS;
  #side = new Uint8Array(0);
  #sideBytes = 0;
  #readings = 0;
  #points = 0;
  /** Number of the current group; unique among all buffers. */
  #group = nextGroup++;
  /** Number of tenants with staged readings. */
  #tenants = 0;
  /** Buffer returned by the worker, for the next group. */
  #spare: ArrayBuffer | null = null;

  constructor(patterns: PatternTree) {
    this.#patterns = patterns;
    this.#buffer = new ArrayBuffer(WORDS_INITIAL * 8);
    this.#f64 = new Float64Array(this.#buffer);
    this.#u32 = new Uint32Array(this.#buffer);
  }

  /** Points of the current group. */
  get points(): number {
    return this.#points;
  }

  get isEmpty(): boolean {
    return this.#readings === 0;
  }

  get bytes(): number {
    return this.#offset * 8 + this.#sideBytes;
  }

  /** Stages all readings or none. Returns false without staging any if the device may not have one of the keys. */
  write(device: StagedDevice, readings: readonly Reading[]): boolean {
    const offset = this.#offset;
    const sideBytes = this.#sideBytes;
    const points = this.#points;
    try {
      for (let i = 0; i < readings.length; i++) this.#writeReading(device, readings[i]!);
    } catch (error) {
      this.#offset = offset;
      this.#sideBytes = sideBytes;
      this.#points = points;
      if (error === keysBeyondLimit) return false;
      throw error;
    }
    this.#readings += readings.length;
    this.#charge(device.keys.tenant, (this.#offset - offset) * 8 + this.#sideBytes - sideBytes);
    return true;
  }

  #charge(tenant: TenantUse, bytes: number): void {
    if (tenant.group !== this.#group) {
      tenant.group = this.#group;
      tenant.groupBytes = 0;
      this.#tenants++;
    }
    tenant.staged(bytes);
  }

  /** Returns whether a tenant may not stage more for now, because it must leave room in the group for others. */
  isFullFor(tenant: TenantUse, bytesMax: number): boolean {
    if (this.bytes <= bytesMax * TENANT_PART) return false;
    const own = tenant.group === this.#group ? tenant.groupBytes : 0;
    const others = tenant.group === this.#group ? this.#tenants - 1 : this.#tenants;
    if (own <= bytesMax * TENANT_PART) return this.bytes > 2 * bytesMax;
    return others > 0 || this.bytes > bytesMax;
  }

  #writeReading(device: StagedDevice, reading: Reading): void {
    if (!Number.isFinite(reading.ts)) throw invalidTimestamp();
    const values = reading.values;
    const path = device.pattern.path;
    const start = this.#offset;
    let index = start + RECORD_HEAD_WORDS;
    let node = this.#patterns.root;
    let depth = 0;
    for (const key in values) {
      if (index + 1 >= this.#f64.length) this.#grow(index);
      const value = values[key]!;
      const kind = kindOf(value);
      const guess = path[depth];
      if (guess !== undefined && guess.key === key && guess.kind === kind && guess.parent === node)
        node = guess;
      else {
        const next = this.#step(device, node, { key, kind });
        if (next === null) {
          this.#writeSingly(device, reading);
          return;
        }
        node = next;
      }
      if (kind === KIND_NUMBER) this.#f64[index] = value as number;
      else this.#writeOther(index, value, kind);
      index++;
      depth++;
    }
    if (depth === 0) return;
    if (node.no < 0) this.#patterns.number(node);
    device.pattern = node;
    this.#u32[start * 2] = device.no;
    this.#u32[start * 2 + 1] = node.no;
    this.#f64[start + 1] = reading.ts;
    this.#offset = index;
    this.#points += depth;
  }

  #step(
    { keys }: StagedDevice,
    node: PatternNode,
    column: { readonly key: string; readonly kind: number },
  ): PatternNode | null {
    const { key, kind } = column;
    if (kind < 0) throw unsupportedValue();
    const patternNode = node.find(key, kind);
    const number = patternNode === undefined ? this.#patterns.keyNo(key) : patternNode.column >> 2;
    const isNew = number === undefined || !keys.has(number);
    if (isNew && keys.limitBeyond(1, number === undefined ? 1 : 0) !== undefined) throw keysBeyondLimit;
    const next = patternNode ?? this.#patterns.tryChild(node, column, keys.tenant);
    if (isNew && next !== null) {
      keys.add(next.column >> 2);
      if (number === undefined) keys.tenant.addNewName();
    }
    return next;
  }

  /** Writes one record per key, for combinations of keys that do not fit into the dictionary. */
  #writeSingly(device: StagedDevice, { ts, values }: Reading): void {
    const single: StagedDevice = { ...device, no: device.no, pattern: this.#patterns.root };
    for (const [key, value] of Object.entries(values)) {
      const alone: Record<string, TelemetryValue> = Object.create(null);
      alone[key] = value;
      this.#writeReading(single, { ts, values: alone });
    }
  }

  #writeOther(index: number, value: TelemetryValue, kind: number): void {
    if (kind === KIND_BOOLEAN) {
      this.#f64[index] = value === true ? 1 : 0;
      return;
    }
    const text = valueText(value, kind);
    const escaped = !text.isWellFormed();
    const written = escaped ? JSON.stringify(text) : text;
    // UTF-8 takes at most 3 bytes for a UTF-16 unit.
    this.#reserveSide(written.length * 3);
    const length = encoder.encodeInto(written, this.#side.subarray(this.#sideBytes)).written;
    this.#u32[index * 2] = this.#sideBytes;
    this.#u32[index * 2 + 1] = escaped ? (length | ESCAPED_TEXT) >>> 0 : length;
    this.#sideBytes += length;
  }

  /** Closes the group. The caller owns its buffer until it is recycled. */
  take(): FilledBuffer {
    const recordEnd = this.#offset;
    const bytes = recordEnd * 8 + this.#sideBytes;
    if (bytes > this.#buffer.byteLength) this.#resize(Math.ceil(bytes / 8));
    if (this.#sideBytes > 0) {
      new Uint8Array(this.#buffer).set(this.#side.subarray(0, this.#sideBytes), recordEnd * 8);
    }
    const header = this.#u32;
    header[HEADER_VERSION] = GROUP_VERSION;
    header[HEADER_RECORD_END] = recordEnd;
    header[HEADER_SIDE_BYTES] = this.#sideBytes;
    header[HEADER_READINGS] = this.#readings;
    header[HEADER_POINTS] = this.#points;
    const filled = { buffer: this.#buffer, bytes };
    this.#adopt(this.#spare ?? new ArrayBuffer(WORDS_INITIAL * 8));
    this.#spare = null;
    this.#offset = HEADER_WORDS;
    this.#sideBytes = 0;
    this.#readings = 0;
    this.#points = 0;
    this.#group = nextGroup++;
    this.#tenants = 0;
    return filled;
  }

  recycle(buffer: ArrayBuffer): void {
    this.#spare = buffer;
  }

  #adopt(buffer: ArrayBuffer): void {
    this.#buffer = buffer;
    this.#f64 = new Float64Array(buffer);
    this.#u32 = new Uint32Array(buffer);
  }

  #grow(offset: number): void {
    this.#resize(Math.max(this.#f64.length * 2, offset + 2));
  }

  #resize(words: number): void {
    const larger = new Float64Array(words);
    larger.set(this.#f64);
    this.#adopt(larger.buffer);
  }

  #reserveSide(bytes: number): void {
    const needed = this.#sideBytes + bytes;
    if (needed <= this.#side.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#side.length * 2));
    larger.set(this.#side.subarray(0, this.#sideBytes));
    this.#side = larger;
  }
}

const invalidTimestamp = (): DomainError => invalid("telemetry.ts");
const unsupportedValue = (): DomainError => invalid("telemetry.value");
