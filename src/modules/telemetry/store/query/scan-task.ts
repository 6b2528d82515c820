import { nextUp } from "../../../../lib/data/next-up.ts";
import { packTexts } from "../../../../lib/data/packed-texts.ts";
import { textLength } from "../blocks/block-writer.ts";
import { familyKeysOf } from "../blocks/series-families.ts";
import type { HotGeneration } from "../hot/hot-generation.ts";
import type { DeviceState } from "../registry.ts";
import { compactRows, emptyRows, lowerBound, overlay, type Rows, sliceRows, upperBound } from "../rows.ts";
import type { StoreCalls } from "../store.protocol.ts";
import type { StoreEngine } from "../store-engine.ts";
import type { Steps } from "../upkeep/slice-scheduler.ts";
import { type FamilyRange, hotRows } from "./range-reader.ts";
import type { ChunkMax, WireChunk, WireColumn } from "./wire-chunk.types.ts";

/** Max. hot records per response, which also contains rows of one block per family. */
const HOT_RECORDS_MAX = 8_192;
/** Approximate bytes of hot records per response. */
const HOT_BYTES_MAX = 1024 * 1024;
/** Max. size of a response: 262,144 numbers, or the texts of the largest block. A device may have many families. */
const CHUNK_MAX: ChunkMax = { bytes: 4 * 1024 * 1024, perRow: 0, perValue: 16, perCharacter: 2 };

/**
 * Returns the next rows of a device from a timestamp on, in all families by time; null at the end. Each call is independent: sealing, merging and
 * deletion between calls cannot cause skips or repetitions.
 */
export function* scanTask(engine: StoreEngine, args: StoreCalls["scan"]["args"]): Steps<WireChunk | null> {
  const device = engine.registry.byId.get(args.deviceId);
  if (device === undefined) return null;
  const families = familyKeysOf(engine.registry, device, args.keys);
  if (families.size === 0) return null;
  let from = args.from;
  while (from <= args.to) {
    const window = yield* nextWindow(engine, device, {
      families,
      from,
      to: args.to,
      max: args.max ?? CHUNK_MAX,
    });
    if (window === null) return null;
    const rows = window.gone ? emptyRows : window.rows;
    if (rows.ts.length > 0) return yield* chunkOf(engine, rows, window.to);
    if (!window.gone) from = nextUp(window.to);
    yield;
  }
  return null;
}

interface Asked {
  /** Family → its requested keys. */
  readonly families: ReadonlyMap<number, ReadonlySet<number>>;
  readonly from: number;
  readonly to: number;
  readonly max: ChunkMax;
}

interface Window {
  readonly rows: Rows;
  /** All rows up to and including this timestamp are included. */
  readonly to: number;
  /** True if a block was rewritten since its entry was read. */
  readonly gone: boolean;
}

/** Reads the families one by one, letting other tasks run in between. */
function* nextWindow(engine: StoreEngine, device: DeviceState, asked: Asked): Steps<Window | null> {
  const version = engine.blocks.sizes.versionOf(device.no);
  let to = asked.to;
  let hasBlock = false;
  for (const family of asked.families.keys()) {
    yield;
    const [block] = engine.blocks.overlapping({ device: device.no, family }, asked, 1);
    if (block === undefined) continue;
    hasBlock = true;
    to = Math.min(to, block.maxTs);
  }
  for (const generation of engine.generations) {
    const hot = generation.devices.get(device.no);
    const end = hot?.endOf(generation, asked.from, hot.recordsWithin(HOT_BYTES_MAX, HOT_RECORDS_MAX));
    if (end === undefined || end === null) continue;
    hasBlock = true;
    to = Math.min(to, end);
  }
  const window = hasBlock ? yield* readWindow(engine, device, { ...asked, to }) : null;
  // Blocks that were added or removed meanwhile may contain rows of families that were scanned before.
  if (engine.blocks.sizes.versionOf(device.no) !== version) return { rows: emptyRows, to, gone: true };
  return window;
}

function* readWindow(engine: StoreEngine, device: DeviceState, asked: Asked): Steps<Window> {
  let keyCount = 0;
  for (const keys of asked.families.values()) keyCount += keys.size;
  const { bytes, perRow, perValue, perCharacter } = asked.max;
  const rowBytes = perRow + keyCount * perValue;
  let { to } = asked;
  let all: Rows = emptyRows;
  let text = 0;
  for (const [family, keys] of asked.families) {
    yield;
    const range: FamilyRange = { device, family, keys, from: asked.from, to };
    const rows = familyRows(engine, range, engine.generations);
    if (rows === "gone") return { rows: emptyRows, to, gone: true };
    all = overlay(sliceRows(all, 0, upperBound(all.ts, to)), rows);
    text += textLength(rows);
    const isWithin = all.ts.length * rowBytes + text * perCharacter <= bytes;
    const count = isWithin ? all.ts.length : countWithin(all, { bytes, rowBytes, perCharacter });
    if (count === all.ts.length) continue;
    to = all.ts[count - 1]!;
    all = sliceRows(all, 0, count);
    text = textLength(all);
  }
  return { rows: compactRows(all), to, gone: false };
}

/** Returns the number of first rows that fit into the bytes; at least 1. */
function countWithin(
  { ts, columns }: Rows,
  max: { readonly bytes: number; readonly rowBytes: number; readonly perCharacter: number },
): number {
  const texts = [...columns.values()].flatMap((column) => (column.texts === null ? [] : [column.texts]));
  let bytes = 0;
  for (let row = 0; row < ts.length; row++) {
    bytes += max.rowBytes;
    for (const column of texts) bytes += (column[row]?.length ?? 0) * max.perCharacter;
    if (bytes > max.bytes) return Math.max(1, row);
  }
  return ts.length;
}

/** Returns the rows of a family; the window ends with its first block, so it contains at most one. */
function familyRows(
  engine: StoreEngine,
  range: FamilyRange,
  generations: readonly HotGeneration[],
): Rows | "gone" {
  const [block] = engine.blocks.overlapping({ device: range.device.no, family: range.family }, range, 1);
  let rows: Rows = emptyRows;
  if (block !== undefined) {
    const loaded = engine.blocks.load(block, range.keys);
    if (loaded === "gone") return loaded;
    // A damaged block is named in the statistics; the rest is served.
    if (loaded !== null)
      rows = sliceRows(loaded, lowerBound(loaded.ts, range.from), upperBound(loaded.ts, range.to));
  }
  return overlay(rows, hotRows(generations, range));
}

/** Packs the texts column by column, letting other tasks run in between. */
function* chunkOf(engine: StoreEngine, rows: Rows, to: number): Steps<WireChunk> {
  const columns: WireColumn[] = [];
  for (const [key, { tags, numbers, texts }] of rows.columns) {
    if (texts !== null) yield;
    const packed = texts === null ? null : packTexts(texts);
    columns.push({ key: engine.registry.keyNames[key] ?? "", tags, numbers, texts: packed });
  }
  return { ts: rows.ts, columns: columns.sort((a, b) => (a.key < b.key ? -1 : 1)), to };
}

/** Returns the buffers of a chunk that can be transferred to another thread: those of its texts. All others belong to the store. */
export const movableBuffersOf = ({ columns }: WireChunk): ArrayBuffer[] =>
  columns.flatMap(({ texts }) => (texts === null ? [] : [texts.utf16.buffer, texts.bounds.buffer]));
