import type { Statement } from "bun:sqlite";
import { iso } from "../../../lib/iso-time.ts";
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
import { BlockSizes } from "./block-sizes.ts";
import { type BlockHead, decodeHead, type EncodedBlock } from "./codec/block-codec.ts";
import type { ColumnPieces } from "./codec/block-pieces.ts";
import type { ColumnSums } from "./codec/column-sums.ts";
import { OpenedBlock } from "./codec/opened-block.ts";
import type { StateRuns } from "./codec/state-runs.ts";
import { DirectoryCache } from "./directory-cache.ts";
import type { Column, Rows } from "./rows.ts";
import type { TelemetryFile } from "./telemetry-file.ts";

/** Replaces blocks by others; both sides may be empty. */
export interface BlockEdit extends FamilyKey {
  readonly remove: readonly BlockRef[];
  readonly add: readonly EncodedBlock[];
}

const corruptBlocksKept = 100;

/** The blocks of all devices: those of one family never overlap in time, and hold each (key, ts) once. */
export class BlockStore {
  readonly sizes: BlockSizes;
  /** Edits that removed blocks: whoever has read the directory before one reads it again. */
  changes = 0;
  /** Damaged blocks that readers met, by body id. */
  readonly corrupt = new Map<number, string>();
  readonly #file: TelemetryFile;
  readonly #scratch = new Scratch();
  readonly #cache = new BlockCache();
  readonly #heads = new HeadCache();
  /** For background work, which would only fill the cache. */
  readonly directory: BlockDirectory;
  readonly #lines: DirectoryCache;
  /** New block → its line, from when it is applied. */
  readonly #added = new WeakMap<EncodedBlock, BlockRef>();
  readonly #following: Statement<BlockRow & FamilyKey, [number, number, number, number]>;
  readonly #body: Statement<{ data: Uint8Array }, [number]>;
  readonly #listed: Statement<{ body: number }, [number, number, number]>;
  readonly #insert: Statement;
  readonly #insertBody: Statement;
  readonly #delete: Statement;
  readonly #deleteBody: Statement;
  #nextBody: number;
  /** `undefined` if it has to be looked for. */
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
    // Where the end of the table is lost the directory knows which ids are taken.
    const listed = newest ?? file.rowIfReadable<{ id: number | null }>("SELECT max(body) AS id FROM block");
    this.#nextBody = (listed?.id ?? 0) + 1;
  }

  /** Blocks that touch the closed range, oldest first, at most `limit`. */
  overlapping(of: FamilyKey, range: { from: number; to: number }, limit: number): readonly BlockRef[] {
    return this.#lines.overlapping(of, range, limit);
  }

  /** The newest block that starts before `ts`. */
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

  /** All columns; null when the block is damaged, `gone` when it has been rewritten meanwhile. */
  load(ref: BlockRef, keys?: ReadonlySet<number>): Rows | null | "gone" {
    return this.#read(ref, () => {
      const opened = this.#open(ref);
      return opened === "gone" ? opened : opened.rows(keys);
    });
  }

  /** Works like `load`, but the numbers and time stamps are valid only until the next call; the block stays in memory. */
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

  /** A key of a block at hand in pieces; null when it is not at hand, or cannot be had so. */
  pieces(ref: BlockRef, key: number): ColumnPieces | null {
    const opened = this.#cache.get(ref.body);
    if (opened === undefined) return null;
    const before = opened.bytes;
    const pieces = opened.pieces(key);
    if (opened.bytes !== before) this.#cache.put(ref.body, opened);
    return pieces;
  }

  /** The sums of a column of numbers; the block stays in memory. Null where it has none, and where only `lend` can tell why. */
  sums(ref: BlockRef, key: number): ColumnSums | null {
    return this.#parts(ref, (opened) => opened.sums(key));
  }

  /** The runs of a column of states, as `sums`. */
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

  /** Works like `lend`, for one piece. */
  lendPiece(pieces: ColumnPieces, piece: number): { ts: Float64Array; column: Column } {
    this.#scratch.reset();
    return pieces.read(piece, this.#scratch.allocate);
  }

  #open(ref: BlockRef): OpenedBlock | "gone" {
    const row = this.#body.get(ref.body);
    if (row !== null) return new OpenedBlock(this.#heads.get(ref.body) ?? decodeHead(ref.head), row.data);
    // Whoever takes it for rewritten would look for its successor for ever.
    if (this.#listed.get(ref.device, ref.family, ref.minTs)?.body === ref.body)
      throw new Error("its body is missing");
    return "gone";
  }

  #read(ref: BlockRef, read: () => Rows | "gone"): Rows | null | "gone" {
    try {
      return read();
    } catch (error) {
      this.#damaged(ref, error);
      return null;
    }
  }

  /** Applies an edit within a transaction; `commitTotals` follows when it has been committed. */
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

  /** Called once an edit that was applied is committed. */
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

  /** Blocks behind one in the directory's order (from the start without), those put aside included. */
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

  /** Takes a damaged block out of the directory that is served, but keeps its bytes for a person to look at. */
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

  /** Walks the whole directory when the oldest block has gone since the last call. */
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
    if (this.corrupt.has(ref.body) || this.corrupt.size >= corruptBlocksKept) return;
    this.corrupt.set(ref.body, this.describe(ref, error instanceof Error ? error.message : String(error)));
  }

  describe(ref: BlockRef, problem: string): string {
    return `device no. ${ref.device}, ${stamp(ref.minTs)} – ${stamp(ref.maxTs)}: ${problem}`;
  }
}

const stamp = (ts: number): string => (Math.abs(ts) <= 8.64e15 ? iso(ts) : `${ts}`);
