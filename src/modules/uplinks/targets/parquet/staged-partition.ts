import { createHash } from "node:crypto";
import { ensureShape } from "../../../../lib/json/json-shape.ts";
import type { ObjectStore } from "./object-store.ts";
import { encodeEvents, encodeValues } from "./parquet-file.ts";
import { bytesIn, decodeStaged, encodeStaged, type Staged, valuesIn } from "./staged-rows.ts";

const PART = /^(.+)~(\d+)\.staged$/;
const RECORD = /^(\d+)-\w+\.written$/;
const NAME_CHARACTERS = 32;
/** Max. memory of the batches combined into one file; others wait for the next file. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/** Content of one file: written before the file, and kept for some days. */
interface WriteRecord {
  readonly file: string;
  readonly batches: readonly string[];
}

const hashOf = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, NAME_CHARACTERS);

/** Returns a batch's id as a part of a file name. */
export const fileNameOf = (batchId: string): string =>
  /^[\w.-]{1,100}$/.test(batchId) ? batchId : hashOf(batchId);

/** Returns the time in a record's name (epoch ms); undefined for any other name. */
export function recordTime(name: string): number | undefined {
  const time = RECORD.exec(name.slice(name.lastIndexOf("/") + 1))?.[1];
  return time === undefined ? undefined : Number(time);
}

function decodedIfWhole(bytes: Uint8Array, values: number): Staged | undefined {
  try {
    const staged = decodeStaged(bytes);
    return valuesIn(staged) === values ? staged : undefined;
  } catch {
    return undefined;
  }
}

export const isPart = (name: string): boolean => name.endsWith(".staged");

interface PartitionPlace {
  readonly name: string;
  /** Staging folder; ends with "/". */
  readonly folder: string;
  /** Called for each batch that cannot be read, with its new place. */
  readonly setAside: (file: string) => void;
}

/**
 * Batches of one partition waiting to become a Parquet file. Each batch is an object in the staging folder, named by its id, so that a repetition
 * overwrites it. A file is written in three steps: a record that names the file and its batches; the file; then the batches are removed. After a
 * crash, the record tells whether the remaining batches are already in the file. A batch repeated later is found in the record and skipped.
 */
export class StagedPartition {
  readonly name: string;
  readonly #store: ObjectStore;
  /** Path that ends with "/". */
  readonly #folder: string;
  /** Numbers of values, by batch. */
  readonly #parts = new Map<string, number>();
  /** Batches contained in a file. */
  readonly #written = new Set<string>();
  /** Number of waiting values. */
  values = 0;
  /** Arrival of the last batch, in monotonic ms. */
  lastMs: number;

  readonly #setAside: (file: string) => void;

  private constructor(store: ObjectStore, { name, folder, setAside }: PartitionPlace) {
    this.name = name;
    this.#setAside = setAside;
    this.#store = store;
    this.#folder = folder;
    this.lastMs = performance.now();
  }

  /** Loads the state of an earlier run, and finishes its interrupted work. */
  static async open(
    store: ObjectStore,
    place: PartitionPlace,
    signal: AbortSignal,
  ): Promise<StagedPartition> {
    const partition = new StagedPartition(store, place);
    const names = (await store.list(place.folder, signal))
      .map((name) => name.slice(place.folder.length))
      .sort();
    for (const name of names) {
      const [, batch, values] = PART.exec(name) ?? [];
      if (batch !== undefined) partition.#add(batch, Number(values));
    }
    for (const name of names) if (RECORD.test(name)) await partition.#resume(name, signal);
    return partition;
  }

  /** Stages the part of a batch that belongs to the partition. */
  async stage(batch: string, staged: Staged, signal: AbortSignal): Promise<void> {
    this.lastMs = performance.now();
    if (this.#written.has(batch)) return;
    const values = valuesIn(staged);
    await this.#store.write(this.#partName(batch, values), encodeStaged(staged), signal);
    this.#add(batch, values);
  }

  /** Writes files of about the given number of values until none are waiting or, if `isWhole` is false, fewer than that. */
  async write(
    options: { valuesMax: number; isWhole: boolean; now: number },
    signal: AbortSignal,
  ): Promise<void> {
    while (options.isWhole ? this.#parts.size > 0 : this.values >= options.valuesMax) {
      const batches: string[] = [];
      let values = 0;
      for (const [batch, count] of this.#parts) {
        if (values >= options.valuesMax) break;
        batches.push(batch);
        values += count;
      }
      const hash = hashOf(batches.toSorted().join("\n"));
      const record: WriteRecord = { file: `${this.name}/${hash}.parquet`, batches };
      const name = `${this.#folder}${options.now}-${hash}.written`;
      await this.#writeRecord(name, record, signal);
      await this.#finish(name, record, signal);
    }
  }

  #writeRecord(name: string, record: WriteRecord, signal: AbortSignal): Promise<void> {
    return this.#store.write(name, new TextEncoder().encode(JSON.stringify(record)), signal);
  }

  #partName(batch: string, values: number): string {
    return `${this.#folder}${batch}~${values}.staged`;
  }

  #add(batch: string, values: number): void {
    this.values += values - (this.#parts.get(batch) ?? 0);
    this.#parts.set(batch, values);
  }

  async #resume(name: string, signal: AbortSignal): Promise<void> {
    const text = new TextDecoder().decode(await this.#store.read(this.#folder + name, signal));
    ensureShape(text);
    const record: WriteRecord = JSON.parse(text);
    const left = record.batches.filter((batch) => this.#parts.has(batch));
    // Batches are removed only when the file is there.
    if (left.length > 0 && !(await this.#store.has(record.file, signal)))
      await this.#finish(this.#folder + name, record, signal);
    else await this.#remove(record, signal);
  }

  async #finish(recordName: string, record: WriteRecord, signal: AbortSignal): Promise<void> {
    const staged = new Map<string, Staged>();
    let bytes = 0;
    for (const batch of record.batches) {
      const part = await this.#readPart(batch, signal);
      if (part !== undefined) staged.set(batch, part);
      bytes += part === undefined ? 0 : bytesIn(part);
      if (bytes >= FILE_BYTES_MAX) break;
    }
    const sound: WriteRecord = { ...record, batches: [...staged.keys()] };
    // A batch that is set aside can arrive again, and one that is too much for this file waits. With the old record they would be skipped.
    if (sound.batches.length < record.batches.length) await this.#writeRecord(recordName, sound, signal);
    const encode = this.name.startsWith("events/") ? encodeEvents : encodeValues;
    if (staged.size > 0) await this.#store.write(record.file, await encode([...staged.values()]), signal);
    await this.#remove(sound, signal);
  }

  /**
   * Reads a waiting batch. An unreadable one was truncated by a server with a full disk, so it was never confirmed and has been sent again: it is
   * moved aside, where it does not block others.
   */
  async #readPart(batch: string, signal: AbortSignal): Promise<Staged | undefined> {
    const values = this.#parts.get(batch) ?? 0;
    const name = this.#partName(batch, values);
    const bytes = await this.#store.read(name, signal);
    const staged = decodedIfWhole(bytes, values);
    if (staged !== undefined) return staged;
    const file = `${this.#folder}${batch}.damaged`;
    await this.#store.write(file, Uint8Array.from(bytes), signal);
    this.#setAside(file);
    await this.#store.remove(name, signal);
    this.#parts.delete(batch);
    this.values -= values;
    return undefined;
  }

  async #remove({ batches }: WriteRecord, signal: AbortSignal): Promise<void> {
    for (const batch of batches) this.#written.add(batch);
    for (const batch of batches) {
      const values = this.#parts.get(batch);
      if (values === undefined) continue;
      await this.#store.remove(this.#partName(batch, values), signal);
      this.#parts.delete(batch);
      this.values -= values;
    }
  }
}
