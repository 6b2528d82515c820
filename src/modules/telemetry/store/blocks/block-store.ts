import { SQLiteError, type Statement } from "bun:sqlite";
import { iso } from "../../../../lib/time/iso-time.ts";
import { type BlockHead, decodeHead, type EncodedBlock } from "../codec/block-codec.ts";
import type { ColumnPieces } from "../codec/block-pieces.ts";
import type { ColumnSums } from "../codec/column-sums.ts";
import { OpenedBlock } from "../codec/opened-block.ts";
import type { StateRuns } from "../codec/state-runs.ts";
import type { Column, Rows } from "../rows.ts";
import type { TelemetryFile } from "../telemetry-file.ts";
import { BlockCache, HeadCache, Scratch } from "./block-cache.ts";
import {
  BLOCK_COLUMNS,
  BlockDirectory,
  type BlockRef,
  type BlockRow,
  type FamilyKey,
  outOfOrder,
  refOf,
} from "./block-directory.ts";

/** Max. cached entries of a family: half a year at one point per second. */
const FAMILY_LINES_MAX = 2_048;
/** Max. cached entries of all families, about 4 MiB. */
const LINES_MAX = 16_384;

/** Blocks removed from a family and added to it. */
interface DirectoryChange {
  readonly removed: readonly BlockRef[];
  readonly added: readonly BlockRef[];
}

type Range = { readonly from: number; readonly to: number };

const EVERYTHING: Range = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** Caches directory entries for queries: the entries of families that were read stay in memory and are updated with the blocks. */
export class DirectoryCache {
  readonly #directory: BlockDirectory;
  /** Device → family → all of its entries; null if there are too many. */
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

  /** Applies the committed replacement of blocks of a family. */
  change(of: FamilyKey, { removed, added }: DirectoryChange): void {
    const families = this.#families.get(of.device);
    const lines = families?.get(of.family);
    if (families === undefined || lines === undefined) return;
    // null: too many blocks to keep; they are read again at the next use.
    const changed = lines === null ? null : changedLines(lines, { removed, added });
    this.#lines += (changed?.length ?? 0) - (lines?.length ?? 0);
    if (changed !== null && changed.length > 0) families.set(of.family, changed);
    else families.delete(of.family);
    if (families.size === 0) this.#families.delete(of.device);
    this.#clearIfFull();
  }

  /** Forgets a device after one of its blocks was quarantined. */
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

/** Returns the index of the first entry for which the condition is true; it must be true for all later entries. */
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

/** Returns `null` if there are too many entries. Blocks of a family do not overlap. */
function changedLines(
  lines: readonly BlockRef[],
  { removed, added }: DirectoryChange,
): readonly BlockRef[] | null {
  const gone = new Set(removed.map(({ body }) => body));
  const kept = gone.size === 0 ? lines : lines.filter(({ body }) => !gone.has(body));
  if (kept.length + added.length > FAMILY_LINES_MAX) return null;
  return [...kept, ...added].sort((a, b) => a.minTs - b.minTs);
}

interface BlockTotals {
  points: number;
  bytes: number;
  blocks: number;
}

interface DeviceRow extends BlockTotals {
  readonly device: number;
}

/** Sizes of blocks, in total and by device. */
class BlockSizes {
  readonly totals: BlockTotals = { points: 0, bytes: 0, blocks: 0 };
  /** Device number → bytes of its blocks. */
  readonly #bytesOf = new Map<number, number>();
  /** Device number → number of changes to its blocks since startup. */
  readonly #versions = new Map<number, number>();

  constructor(file: TelemetryFile) {
    for (const { device, ...sizes } of read(file)) this.add(device, sizes);
  }

  bytesOf(device: number): number {
    return this.#bytesOf.get(device) ?? 0;
  }

  /** Returns a number that changes when blocks of the device are added or removed. */
  versionOf(device: number): number {
    return this.#versions.get(device) ?? 0;
  }

  add(device: number, { points, bytes, blocks }: BlockTotals): void {
    this.totals.points += points;
    this.totals.bytes += bytes;
    this.totals.blocks += blocks;
    this.#versions.set(device, this.versionOf(device) + 1);
    const left = this.bytesOf(device) + bytes;
    if (left > 0) this.#bytesOf.set(device, left);
    else this.#bytesOf.delete(device);
  }

  remove(device: number, { points, bytes }: Omit<BlockTotals, "blocks">): void {
    this.add(device, { points: -points, bytes: -bytes, blocks: -1 });
  }
}

/** Returns the rows; if the directory is damaged, records that and returns none. */
function read(file: TelemetryFile): DeviceRow[] {
  const sql =
    "SELECT device, sum(points) AS points, sum(bytes) AS bytes, count(*) AS blocks FROM block WHERE family >= 0 GROUP BY device";
  try {
    return file.db.query<DeviceRow, []>(sql).all();
  } catch (error) {
    file.repairs.push(`not readable: ${sql} (${error instanceof Error ? error.message : String(error)})`);
    return [];
  }
}

/** Replacement of blocks by others; both lists may be empty. */
export interface BlockEdit extends FamilyKey {
  readonly remove: readonly BlockRef[];
  readonly add: readonly EncodedBlock[];
}

const CORRUPT_BLOCKS_KEPT = 100;
/** Time in ms for which a change of an unreadable block is retried: a disk may be away for a moment, and SQLite reports that as damage. */
const UNREAD_MS_MAX = 600_000;

/** Blocks of all devices. Blocks of a family never overlap in time, and contain each (key, ts) once. */
export class BlockStore {
  readonly sizes: BlockSizes;
  /** Number of edits that removed blocks; after an edit, readers of the directory must read it again. */
  changes = 0;
  /** Damaged blocks found by readers, by body id. */
  readonly corrupt = new Map<number, string>();
  /** Called for each block added to `corrupt`. */
  onDamaged: () => void = () => undefined;
  /** Body id → time of the first failed read by SQLite. */
  readonly #unread = new Map<number, number>();
  readonly #file: TelemetryFile;
  readonly #scratch = new Scratch();
  readonly #cache = new BlockCache();
  readonly #heads = new HeadCache();
  /** Uncached directory for background work, which would only fill the cache. */
  readonly directory: BlockDirectory;
  readonly #lines: DirectoryCache;
  /** New block → its entry, once the edit is applied. */
  readonly #added = new WeakMap<EncodedBlock, BlockRef>();
  readonly #following: Statement<BlockRow & FamilyKey, [number, number, number, number]>;
  readonly #body: Statement<{ data: Uint8Array }, [number]>;
  readonly #listed: Statement<{ body: number }, [number, number, number]>;
  readonly #insert: Statement;
  readonly #insertBody: Statement;
  readonly #delete: Statement;
  readonly #deleteBody: Statement;
  #nextBody: number;
  /** `undefined` if it must be looked up. */
  #oldest: number | null | undefined;

  constructor(file: TelemetryFile) {
    this.#file = file;
    this.directory = new BlockDirectory(file);
    this.#lines = new DirectoryCache(this.directory);
    this.#following = file.prepare(
      `SELECT device, family, ${BLOCK_COLUMNS} FROM block WHERE (device, family, min_ts) > (?, ?, ?)
       ORDER BY device, family, min_ts LIMIT ?`,
    );
    this.#body = file.prepare("SELECT data FROM body WHERE id = ?");
    this.#listed = file.prepare("SELECT body FROM block WHERE device = ? AND family = ? AND min_ts = ?");
    this.#insert = file.prepare(
      `INSERT INTO block (device, family, ${BLOCK_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#insertBody = file.prepare("INSERT INTO body (id, data) VALUES (?, ?)");
    this.#delete = file.prepare("DELETE FROM block WHERE device = ? AND family = ? AND min_ts = ?");
    this.#deleteBody = file.prepare("DELETE FROM body WHERE id = ?");
    this.sizes = new BlockSizes(file);
    const newest = file.rowIfReadable<{ id: number | null }>("SELECT max(id) AS id FROM body");
    // If the end of the table is lost, the directory has the used ids.
    const listed = newest ?? file.rowIfReadable<{ id: number | null }>("SELECT max(body) AS id FROM block");
    this.#nextBody = (listed?.id ?? 0) + 1;
  }

  /** Returns blocks that overlap the closed range, oldest first, at most `limit`. */
  overlapping(of: FamilyKey, range: { from: number; to: number }, limit: number): readonly BlockRef[] {
    return this.#lines.overlapping(of, range, limit);
  }

  /** Returns the newest block that starts before `ts`. */
  newestBefore(of: FamilyKey, ts: number): BlockRef | null {
    return this.#lines.newestBefore(of, ts);
  }

  /** Returns `null` if the head is damaged. */
  head(ref: BlockRef): BlockHead | null {
    try {
      return this.#heads.get(ref.body) ?? this.#heads.put(ref.body, decodeHead(ref.head));
    } catch (error) {
      this.#damaged(ref, error);
      return null;
    }
  }

  /** Returns all columns, or those of `keys`; null if the block is damaged, `gone` if it was rewritten. */
  load(ref: BlockRef, keys?: ReadonlySet<number>): Rows | null | "gone" {
    return this.#read(ref, () => {
      const opened = this.#open(ref);
      return opened === "gone" ? opened : opened.rows(keys);
    });
  }

  /**
   * Works like `load`, for a change that treats a damaged block as lost.
   * @param isUrgent true if the change cannot wait for a failing disk
   * @throws Error for a block that SQLite cannot read and that may be readable when the change is tried again
   */
  loadForChange(ref: BlockRef, isUrgent: boolean): Rows | null | "gone" {
    const rows = this.load(ref);
    const since = this.#unread.get(ref.body);
    if (since === undefined || isUrgent || performance.now() - since >= UNREAD_MS_MAX) return rows;
    throw new Error(`${this.describe(ref, "cannot be read")}; its change is tried again`);
  }

  /** Works like `load`, but the numbers and timestamps are valid only until the next call; the block stays in memory. */
  lend(ref: BlockRef, keys: ReadonlySet<number>): Rows | null | "gone" {
    this.#scratch.reset();
    return this.#read(ref, () => {
      const opened = this.#cache.get(ref.body) ?? this.#open(ref);
      if (opened === "gone") return opened;
      const before = opened.bytes;
      const rows = opened.rows(keys, this.#scratch.allocate);
      if (opened.bytes !== before) this.#cache.put(ref.body, opened);
      return rows;
    });
  }

  /** Returns a key's column of a cached block in pieces; null if the block is not cached or the column has no pieces. */
  pieces(ref: BlockRef, key: number): ColumnPieces | null {
    const opened = this.#cache.get(ref.body);
    if (opened === undefined) return null;
    const before = opened.bytes;
    const pieces = opened.pieces(key);
    if (opened.bytes !== before) this.#cache.put(ref.body, opened);
    return pieces;
  }

  /** Returns the sums of a number column; the block stays in memory. Null if there are none, or if only `lend` can tell the reason. */
  sums(ref: BlockRef, key: number): ColumnSums | null {
    return this.#parts(ref, (opened) => opened.sums(key));
  }

  /** Returns the runs of a state column; otherwise like `sums`. */
  runs(ref: BlockRef, key: number): StateRuns | null {
    return this.#parts(ref, (opened) => opened.runs(key));
  }

  #parts<Parts>(ref: BlockRef, partsOf: (opened: OpenedBlock) => Parts | null): Parts | null {
    try {
      const cached = this.#cache.get(ref.body);
      const opened = cached ?? this.#open(ref);
      if (opened === "gone") return null;
      const before = cached?.bytes;
      const parts = partsOf(opened);
      if (opened.bytes !== before) this.#cache.put(ref.body, opened);
      return parts;
    } catch {
      return null;
    }
  }

  /** Returns one piece; otherwise like `lend`. */
  lendPiece(pieces: ColumnPieces, piece: number): { ts: Float64Array; column: Column } {
    this.#scratch.reset();
    return pieces.read(piece, this.#scratch.allocate);
  }

  #open(ref: BlockRef): OpenedBlock | "gone" {
    const row = this.#body.get(ref.body);
    if (row !== null) return new OpenedBlock(this.#heads.get(ref.body) ?? decodeHead(ref.head), row.data);
    // If this counted as rewritten, the reader would search for its successor endlessly.
    if (this.#listed.get(ref.device, ref.family, ref.minTs)?.body === ref.body)
      throw new Error("its body is missing");
    return "gone";
  }

  #read(ref: BlockRef, read: () => Rows | "gone"): Rows | null | "gone" {
    try {
      const rows = read();
      this.#unread.delete(ref.body);
      return rows;
    } catch (error) {
      if (error instanceof SQLiteError && !this.#unread.has(ref.body))
        this.#unread.set(ref.body, performance.now());
      this.#damaged(ref, error);
      return null;
    }
  }

  /** Applies an edit within a transaction. Call `commitTotals` after the commit. */
  apply(edit: BlockEdit): void {
    for (const ref of edit.remove) {
      this.#delete.run(ref.device, ref.family, ref.minTs);
      this.#deleteBody.run(ref.body);
    }
    for (const block of edit.add) {
      const body = this.#nextBody++;
      const bytes = block.body.length + block.head.length;
      this.#insertBody.run(body, block.body);
      const { minTs, maxTs, rows, points, head } = block;
      this.#insert.run(edit.device, edit.family, minTs, maxTs, rows, points, bytes, head, body);
      const { device, family } = edit;
      this.#added.set(block, { device, family, minTs, maxTs, rows, points, bytes, body, head });
    }
  }

  /** Updates the totals after an applied edit was committed. */
  commitTotals(edit: BlockEdit): void {
    const added = edit.add.flatMap((block) => this.#added.get(block) ?? []);
    this.#lines.change(edit, { removed: edit.remove, added });
    if (edit.remove.length > 0) this.changes++;
    for (const { points, bytes, body, minTs } of edit.remove) {
      if (minTs === this.#oldest) this.#oldest = undefined;
      this.#cache.delete(body);
      this.sizes.remove(edit.device, { points, bytes });
    }
    for (const block of edit.add) {
      if (this.#oldest !== undefined) this.#oldest = Math.min(this.#oldest ?? block.minTs, block.minTs);
      const bytes = block.body.length + block.head.length;
      this.sizes.add(edit.device, { points: block.points, bytes, blocks: 1 });
    }
  }

  /** Returns the blocks after the given block in the directory's order (null: from the start), including quarantined blocks. */
  following(ref: BlockRef | null, limit: number): BlockRef[] {
    const { device, family, minTs } = ref ?? { device: -1, family: 0, minTs: 0 };
    const rows = this.#following.all(device, family, minTs, limit);
    let last = { device, family, min_ts: minTs };
    for (const row of rows) {
      const order = row.device - last.device || row.family - last.family || row.min_ts - last.min_ts;
      if (order <= 0) throw outOfOrder();
      last = row;
    }
    return rows.map((row) => refOf(row, row));
  }

  /** Removes a damaged block from the served directory, but keeps its bytes for inspection. */
  quarantine(ref: BlockRef): void {
    this.#file.db
      .query(
        "UPDATE OR REPLACE block SET family = -1 - family WHERE device = ? AND family = ? AND min_ts = ?",
      )
      .run(ref.device, ref.family, ref.minTs);
    if (ref.minTs === this.#oldest) this.#oldest = undefined;
    this.#lines.forget(ref.device);
    this.sizes.remove(ref.device, ref);
  }

  /** Returns the oldest timestamp. Reads the whole directory if the oldest block was removed since the last call. */
  oldestTs(): number | null {
    if (this.#oldest === undefined) {
      const row = this.#file.rowIfReadable<{ ts: number | null }>(
        "SELECT min(min_ts) AS ts FROM block WHERE family >= 0",
      );
      this.#oldest = row?.ts ?? null;
    }
    return this.#oldest;
  }

  #damaged(ref: BlockRef, error: unknown): void {
    if (this.corrupt.has(ref.body) || this.corrupt.size >= CORRUPT_BLOCKS_KEPT) return;
    this.corrupt.set(ref.body, this.describe(ref, error instanceof Error ? error.message : String(error)));
    this.onDamaged();
  }

  describe(ref: BlockRef, problem: string): string {
    return `device no. ${ref.device}, ${stamp(ref.minTs)} – ${stamp(ref.maxTs)}: ${problem}`;
  }
}

const stamp = (ts: number): string => (Math.abs(ts) <= 8.64e15 ? iso(ts) : `${ts}`);
