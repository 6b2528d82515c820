import type { BlockDirectory, BlockRef, FamilyKey } from "./block-directory.ts";

/** Lines of a family that is kept: half a year at one point per second. */
const FAMILY_LINES_MAX = 2_048;
/** About 4 MiB. */
const LINES_MAX = 16_384;

/** Blocks that were taken out of a family, and those that were put in. */
interface DirectoryChange {
  readonly removed: readonly BlockRef[];
  readonly added: readonly BlockRef[];
}

type Range = { readonly from: number; readonly to: number };

const EVERYTHING: Range = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** Answers as the directory does, for queries: the lines of the families that they read stay in memory, and change with the blocks. */
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

  /** Called whenever blocks of a family have been replaced, once that is committed. */
  change(of: FamilyKey, { removed, added }: DirectoryChange): void {
    const families = this.#families.get(of.device);
    const lines = families?.get(of.family);
    if (families === undefined || lines === undefined) return;
    // A family with too many lines is read again when it is next asked for.
    const changed = lines === null ? null : changedLines(lines, { removed, added });
    this.#lines += (changed?.length ?? 0) - (lines?.length ?? 0);
    if (changed !== null && changed.length > 0) families.set(of.family, changed);
    else families.delete(of.family);
    if (families.size === 0) this.#families.delete(of.device);
    this.#clearIfFull();
  }

  /** Called whenever a block of the device is put aside. */
  forget(device: number): void {
    for (const lines of this.#families.get(device)?.values() ?? []) this.#lines -= lines?.length ?? 0;
    this.#families.delete(device);
  }

  #linesOf(of: FamilyKey): readonly BlockRef[] | null {
    const lines = this.#families.get(of.device)?.get(of.family);
    return lines === undefined ? this.#load(of) : lines;
  }

  #clearIfFull(): void {
    if (this.#lines <= LINES_MAX) return;
    this.#families.clear();
    this.#lines = 0;
  }

  #load(of: FamilyKey): readonly BlockRef[] | null {
    const all = this.#directory.overlapping(of, EVERYTHING, FAMILY_LINES_MAX + 1);
    const lines = all.length > FAMILY_LINES_MAX ? null : all;
    this.#clearIfFull();
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

/** Returns `null` if they are too many by now. Blocks of a family do not overlap. */
function changedLines(
  lines: readonly BlockRef[],
  { removed, added }: DirectoryChange,
): readonly BlockRef[] | null {
  const gone = new Set(removed.map(({ body }) => body));
  const kept = gone.size === 0 ? lines : lines.filter(({ body }) => !gone.has(body));
  if (kept.length + added.length > FAMILY_LINES_MAX) return null;
  return [...kept, ...added].sort((a, b) => a.minTs - b.minTs);
}
