import type { BlockDirectory, BlockRef, FamilyKey } from "./block-directory.ts";

/** Lines of a family that is kept: half a year at one point a second. */
const FAMILY_LINES_MAX = 2_048;
/** About 4 MiB. */
const LINES_MAX = 16_384;

type Range = { readonly from: number; readonly to: number };

const EVERYTHING: Range = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** Answers as the directory does, for queries: the lines of the families that they read stay in memory until a block of the device changes. */
export class DirectoryCache {
  readonly #directory: BlockDirectory;
  /** Device → family → all of its lines; null if they are too many. */
  readonly #families = new Map<number, Map<number, readonly BlockRef[] | null>>();
  #lines = 0;

  constructor(directory: BlockDirectory) {
    this.#directory = directory;
  }

  overlapping(of: FamilyKey, range: Range, limit: number): readonly BlockRef[] {
    const lines = this.#linesOf(of);
    if (lines === null) return this.#directory.overlapping(of, range, limit);
    const first = firstLine(lines, ({ maxTs }) => maxTs >= range.from);
    const end = firstLine(lines, ({ minTs }) => minTs > range.to);
    return lines.slice(first, Math.min(end, first + limit));
  }

  newestBefore(of: FamilyKey, ts: number): BlockRef | null {
    const lines = this.#linesOf(of);
    if (lines === null) return this.#directory.newestBefore(of, ts);
    return lines[firstLine(lines, ({ minTs }) => minTs >= ts) - 1] ?? null;
  }

  /** Called whenever a block of the device is added or removed. */
  forget(device: number): void {
    for (const lines of this.#families.get(device)?.values() ?? []) this.#lines -= lines?.length ?? 0;
    this.#families.delete(device);
  }

  #linesOf(of: FamilyKey): readonly BlockRef[] | null {
    const lines = this.#families.get(of.device)?.get(of.family);
    return lines === undefined ? this.#load(of) : lines;
  }

  #load(of: FamilyKey): readonly BlockRef[] | null {
    const all = this.#directory.overlapping(of, EVERYTHING, FAMILY_LINES_MAX + 1);
    const lines = all.length > FAMILY_LINES_MAX ? null : all;
    if (this.#lines > LINES_MAX) {
      this.#families.clear();
      this.#lines = 0;
    }
    const families = this.#families.get(of.device) ?? new Map<number, readonly BlockRef[] | null>();
    this.#families.set(of.device, families.set(of.family, lines));
    this.#lines += lines?.length ?? 0;
    return lines;
  }
}

/** Returns the index of the first line of which something is true that is true of all behind it. */
function firstLine(lines: readonly BlockRef[], isTrue: (line: BlockRef) => boolean): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isTrue(lines[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
