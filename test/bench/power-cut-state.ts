import { createRandom } from "../../src/lib/data/random.ts";
import { type Step, scriptDevices } from "./power-cut-script.ts";

/** Small limits, so that each part of the upkeep is reached often. */
export const smallStore = {
  hotPointsMax: 300,
  hotPointsPerSeries: 0,
  blockRowsTarget: 64,
  walBytesMax: 64 * 1024,
};

/** An entry of what write-recorder.c records. */
export type Entry =
  | { readonly kind: "write"; readonly file: number; readonly offset: number; readonly data: Uint8Array }
  | { readonly kind: "truncate"; readonly file: number; readonly offset: number }
  | { readonly kind: "sync"; readonly file: number }
  | { readonly kind: "mark"; readonly number: number };

type Change = Extract<Entry, { kind: "write" | "truncate" }>;

const headBytes = 16;

export function* readEntries(log: Uint8Array): Generator<Entry> {
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength);
  for (let position = 0; position + headBytes <= log.length; ) {
    const [kind, file] = [view.getUint8(position), view.getUint8(position + 1)];
    const length = view.getUint32(position + 4, true);
    const offset = Number(view.getBigUint64(position + 8, true));
    const data = log.subarray(position + headBytes, position + headBytes + length);
    position += headBytes + length;
    if (kind === 1) yield { kind: "write", file, offset, data };
    else if (kind === 2) yield { kind: "truncate", file, offset };
    else if (kind === 3) yield { kind: "sync", file };
    else if (kind === 4) yield { kind: "mark", number: offset };
    else throw new Error(`unknown entry ${kind}`);
  }
}

/** A file's content that grows as it is written. */
class Image {
  #bytes: Uint8Array;
  size: number;

  constructor(source?: Image) {
    this.#bytes = source === undefined ? new Uint8Array(1 << 16) : source.#bytes.slice();
    this.size = source?.size ?? 0;
  }

  get content(): Uint8Array {
    return this.#bytes.subarray(0, this.size);
  }

  write(offset: number, data: Uint8Array): void {
    const end = offset + data.length;
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, this.#bytes.length * 2));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(data, offset);
    this.size = Math.max(this.size, end);
  }

  resize(size: number): void {
    if (size > this.size) this.write(size, new Uint8Array(0));
    else this.#bytes.fill(0, size, this.size);
    this.size = size;
  }
}

const pageBytes = 4_096;
const sectorBytes = 512;

/** Variants of which unsynced data has reached the disk. */
export const variants = ["all", "none", "order", "pages", "sectors"] as const;
export type Variant = (typeof variants)[number];

/** Ends of the names of the files that are recorded, by their number. */
export const recordedFiles = ["", "-wal", "-hot1", "-hot2", "-hot3", "-hot4"] as const;

/** Content that is certainly on the disk, and changes that may be. */
export class Disk {
  readonly #durable = recordedFiles.map(() => new Image());
  readonly #pending: Change[][] = recordedFiles.map(() => []);

  apply(entry: Entry): void {
    if (entry.kind === "mark") return;
    const pending = this.#pending[entry.file];
    if (pending === undefined) throw new Error(`file ${entry.file} is not known`);
    if (entry.kind !== "sync") {
      pending.push(entry);
      return;
    }
    const image = this.#durable[entry.file];
    if (image !== undefined) for (const change of pending.splice(0)) applyTo(image, change);
  }

  /**
   * The files after a cut. Writes reach the disk in any order: page by page of the cache each file has some earlier state
   * ("pages"), or even sector by sector ("sectors"); "order" keeps them in order and tears the last one at a sector.
   */
  after(variant: Variant, seed: number): Uint8Array[] {
    const random = createRandom(seed);
    return this.#durable.map((durable, file) => {
      const pending = this.#pending[file] ?? [];
      if (variant === "none" || pending.length === 0) return durable.content;
      const image = new Image(durable);
      if (variant === "all") for (const change of pending) applyTo(image, change);
      else if (variant === "order") applyInOrder(image, pending, random);
      else applyInParts(image, pending, { random, partBytes: variant === "pages" ? pageBytes : sectorBytes });
      return image.content;
    });
  }
}

function applyTo(image: Image, change: Change): void {
  if (change.kind === "write") image.write(change.offset, change.data);
  else image.resize(change.offset);
}

function applyInOrder(image: Image, pending: readonly Change[], random: () => number): void {
  const whole = Math.floor(random() * (pending.length + 1));
  for (const change of pending.slice(0, whole)) applyTo(image, change);
  const torn = pending[whole];
  if (torn?.kind !== "write") return;
  const toBoundary = sectorBytes - (torn.offset % sectorBytes);
  const sectors = Math.floor(random() * Math.ceil(torn.data.length / sectorBytes));
  const bytes = sectors === 0 ? 0 : toBoundary + (sectors - 1) * sectorBytes;
  if (bytes > 0) image.write(torn.offset, torn.data.subarray(0, bytes));
}

/** Each part of the file, and its length, stands where it stood after some number of the changes. */
function applyInParts(
  image: Image,
  pending: readonly Change[],
  { random, partBytes }: { random: () => number; partBytes: number },
): void {
  /** Part of the file → how many changes have reached it. */
  const reached = new Map<number, number>();
  const reachedBy = (part: number) => {
    const existing = reached.get(part);
    if (existing !== undefined) return existing;
    const count = Math.floor(random() * (pending.length + 1));
    reached.set(part, count);
    return count;
  };
  for (const [index, change] of pending.entries()) {
    if (change.kind === "truncate") {
      if (index < reachedBy(-1)) image.resize(change.offset);
      continue;
    }
    for (let position = 0; position < change.data.length; ) {
      const offset = change.offset + position;
      const part = Math.floor(offset / partBytes);
      const end = Math.min(change.data.length, (part + 1) * partBytes - change.offset);
      if (index < reachedBy(part)) image.write(offset, change.data.subarray(position, end));
      position = end;
    }
  }
}

/** Values of the script that must, must not and may be found. Times by device; a time in neither set must not be found. */
export class Expectation {
  readonly certain = new Map<string, Set<number>>();
  readonly possible = new Map<string, Set<number>>();
  readonly #steps: readonly Step[];

  /** `steps` are those that marks count: appends and deletions. */
  constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  /** Takes a mark of power-cut-child.ts: twice a step's number when it is sent, one more when it is acknowledged. */
  take(mark: number): void {
    const step = this.#steps[mark >> 1];
    if (step === undefined || step.kind === "compact") throw new Error(`no step has mark ${mark}`);
    const isAcknowledged = mark % 2 === 1;
    if (step.kind === "append") {
      const to = setOf(isAcknowledged ? this.certain : this.possible, step.device);
      for (const { ts } of step.readings) to.add(ts);
      return;
    }
    // From its sending on a deletion may have happened. From its acknowledgement on it has; what retention took may come back,
    // to be taken again.
    if (step.kind === "retention") {
      for (const device of scriptDevices) removeFrom(setOf(this.certain, device), 0, step.before - 1);
    } else {
      const sets = isAcknowledged ? this.possible : this.certain;
      removeFrom(setOf(sets, step.device), step.from, step.to);
    }
  }
}

function setOf(sets: Map<string, Set<number>>, device: string): Set<number> {
  const existing = sets.get(device);
  if (existing !== undefined) return existing;
  const set = new Set<number>();
  sets.set(device, set);
  return set;
}

function removeFrom(times: Set<number>, from: number, to: number): void {
  for (const ts of [...times]) if (ts >= from && ts <= to) times.delete(ts);
}
