import { createHash } from "node:crypto";
import { ensureShape } from "../../../../lib/json/json-shape.ts";
import type { ObjectStore } from "./object-store.ts";
import { encodeEvents, encodeValues } from "./parquet-file.ts";
import { bytesIn, decodeStaged, encodeStaged, type Staged, valuesIn } from "./staged-rows.ts";

const PART = /^(.+)~(\d+)\.staged$/;
const RECORD = /^(\d+)-\w+\.written$/;
const NAME_CHARACTERS = 32;
/** Max. memory of the batches that are made into one file. The others wait for the next one. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/** What becomes one file: written before the file is, and kept for some days. */
interface WriteRecord {
  readonly file: string;
  readonly batches: readonly string[];
}

const hashOf = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, NAME_CHARACTERS);

/** A batch's id as a part of a file name. */
export const fileNameOf = (batchId: string): string =>
  /^[\w.-]{1,100}$/.test(batchId) ? batchId : hashOf(batchId);

/** Returns the time of a record by its name (epoch ms); undefined for the name of anything else. */
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
 * Batches of one partition that wait to become a Parquet file. Each batch is an object in the staging folder, named by its id, so sending it again
 * overwrites it.
 *
 * A file is written in three steps: a record that names the file and its batches; the file; then the batches are removed. After a crash, the
 * record tells whether the batches that are left are in the file already. A batch that comes again later is found in the record and passed over.
 */
export class StagedPartition {
  readonly name: string;
  readonly #store: ObjectStore;
  /** Ends with "/". */
  readonly #folder: string;
  /** Numbers of values, by batch. */
  readonly #parts = new Map<string, number>();
  /** Batches that are in a file. */
  readonly #written = new Set<string>();
  /** Number of values that wait. */
  values = 0;
  /** When the last batch came, on the monotonic clock. */
  lastMs: number;

  readonly #setAside: (file: string) => void;

  private constructor(store: ObjectStore, { name, folder, setAside }: PartitionPlace) {
    this.name = name;
    this.#setAside = setAside;
    this.#store = store;
    this.#folder = folder;
    this.lastMs = performance.now();
  }

  /** Reads what an earlier run has left, and finishes what it has begun. */
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

  /** Keeps what a batch has for the partition. */
  async stage(batch: string, staged: Staged, signal: AbortSignal): Promise<void> {
    this.lastMs = performance.now();
    if (this.#written.has(batch)) return;
    const values = valuesIn(staged);
    await this.#store.write(this.#partName(batch, values), encodeStaged(staged), signal);
    this.#add(batch, values);
  }

  /** Writes files of about so many values until nothing waits, or, if `isWhole` is false, less than that. */
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
   * Reads a batch that waits. One that cannot be read was cut while it was written, by a server whose disk was full, so it was never confirmed and
   * has come again: it is set aside, where it holds up no others.
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
