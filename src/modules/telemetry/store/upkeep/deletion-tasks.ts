import type { BlockRef, FamilyKey } from "../blocks/block-directory.ts";
import { EditBatch, encodeChunks } from "../blocks/block-writer.ts";
import { familiesOf } from "../blocks/series-families.ts";
import { stepPlaces } from "../codec/decimal.ts";
import { newestSealed } from "../query/newest-value.ts";
import type { DeviceState, SeriesState } from "../registry.ts";
import { countPoints, withoutRange } from "../rows.ts";
import type { StoreCalls } from "../store.protocol.ts";
import type { StoreEngine } from "../store-engine.ts";
import type { Deletion } from "./deletion.types.ts";
import type { Steps } from "./slice-scheduler.ts";

/** Lowest timestamp; finite, so that JSON can represent it. */
const beginningOfTime = -Number.MAX_VALUE;
const endOfTime = Number.MAX_VALUE;

/** Returns the largest double below `ts`: deletions are closed ranges, retention is not. */
function justBefore(ts: number): number {
  if (ts === 0) return -Number.MIN_VALUE;
  return stepPlaces(ts, ts > 0 ? -1 : 1);
}

const PAGE_BLOCKS = 64;

/** Removes a deletion's points from the blocks. Returns their number. */
function* deleteFromBlocks(engine: StoreEngine, device: DeviceState, deletion: Deletion): Steps<number> {
  const keys = deletion.keys === null ? null : new Set(deletion.keys);
  let deleted = 0;
  const batch = new EditBatch(engine);
  for (const [family, familyKeys] of familiesOf(device)) {
    if (keys !== null && ![...familyKeys].some((key) => keys.has(key))) continue;
    deleted += yield* deleteFromFamily(engine, batch, { of: { device: device.no, family }, keys, deletion });
  }
  batch.commit();
  return deleted;
}

function* deleteFromFamily(
  engine: StoreEngine,
  batch: EditBatch,
  { of, keys, deletion }: { of: FamilyKey; keys: ReadonlySet<number> | null; deletion: Deletion },
): Steps<number> {
  let deleted = 0;
  let from = deletion.from;
  for (;;) {
    const page = engine.blocks.directory.overlapping(of, { from, to: deletion.to }, PAGE_BLOCKS);
    for (const ref of page) {
      const whole = keys === null && ref.minTs >= deletion.from && ref.maxTs <= deletion.to;
      if (whole) {
        batch.edit({ ...of, remove: [ref], add: [] });
        deleted += ref.points;
      } else deleted += yield* trim(engine, batch, { ref, keys, deletion });
      if (batch.isFull) batch.commit();
    }
    batch.commit();
    yield;
    const last = page[page.length - 1];
    if (last === undefined || page.length < PAGE_BLOCKS || last.maxTs >= deletion.to) return deleted;
    from = -justBefore(-last.maxTs);
  }
}

function* trim(
  engine: StoreEngine,
  batch: EditBatch,
  { ref, keys, deletion }: { ref: BlockRef; keys: ReadonlySet<number> | null; deletion: Deletion },
): Steps<number> {
  const rows = engine.blocks.loadForChange(ref, engine.isBehind);
  if (rows === null || rows === "gone") return 0;
  const kept = withoutRange(rows, { keys, from: deletion.from, to: deletion.to });
  const points = countPoints(kept);
  if (points === ref.points) return 0;
  const add = points === 0 ? [] : yield* encodeChunks(kept, engine.options.blockRowsTarget, "fast");
  batch.edit({ device: ref.device, family: ref.family, remove: [ref], add });
  return ref.points - points;
}

/** Recomputes the newest values that a deletion may have affected; series without values are forgotten. */
function* refreshLatest(engine: StoreEngine, device: DeviceState, deletion: Deletion): Steps<void> {
  const keys = deletion.keys === null ? null : new Set(deletion.keys);
  const batch = new EditBatch(engine);
  for (const series of [...device.series.values()]) {
    if ((keys !== null && !keys.has(series.key)) || !mayHaveLostNewest(series, deletion)) continue;
    if (series.sealed !== null && inRange(series.sealed.ts, deletion)) {
      batch.series({ device: device.no, series, sealed: newestSealed(engine, { device, series }) });
    }
    batch.afterCommit(() => engine.refreshNewest(device, series));
    if (batch.isFull) batch.commit();
    yield;
  }
  batch.commit();
}

function mayHaveLostNewest({ sealed, hot, ts }: SeriesState, deletion: Deletion): boolean {
  if (sealed === null && hot === null) return true;
  return inRange(ts, deletion) || (sealed !== null && inRange(sealed.ts, deletion));
}

const inRange = (ts: number, { from, to }: Deletion): boolean => ts >= from && ts <= to;

/** Free pages returned per step. */
const VACUUM_PAGES = 256;

/** Resolves names to numbers. Returns null if the device or all keys are unknown. */
export function deletionOf(engine: StoreEngine, args: StoreCalls["deleteRange"]["args"]): Deletion | null {
  const device = engine.registry.byId.get(args.deviceId);
  if (device === undefined) return null;
  const keys = args.keys.flatMap((key) => engine.registry.keyNos.get(key) ?? []);
  if (args.keys.length > 0 && keys.length === 0) return null;
  return {
    device: device.no,
    deviceId: device.deviceId,
    tenantId: device.tenantId,
    keys: args.keys.length === 0 ? null : keys,
    from: Math.max(args.from, beginningOfTime),
    to: Math.min(args.to, endOfTime),
    drop: false,
    isRetention: false,
  };
}

export const dropOf = (device: DeviceState): Deletion => ({
  device: device.no,
  deviceId: device.deviceId,
  tenantId: device.tenantId,
  keys: null,
  from: beginningOfTime,
  to: endOfTime,
  drop: true,
  isRetention: false,
});

/** Applies a deletion to the blocks, recorded in the hot row `id` and held open; also repeats a deletion that a crash interrupted. */
export function* deletionTask(engine: StoreEngine, deletion: Deletion, id: number): Steps<void> {
  if (!engine.deletions.has(id)) return; // sealing has already finished it
  const device = engine.registry.devices.get(deletion.device);
  if (device?.deviceId === deletion.deviceId) {
    yield* deleteFromBlocks(engine, device, deletion);
    if (deletion.drop) engine.dropDevice(device);
    else yield* refreshLatest(engine, device, deletion);
  }
  engine.deletions.done(id);
}

/** Applies all recorded deletions to the blocks, including those recorded meanwhile. Does not yield after the last one. */
export function* finishDeletions(engine: StoreEngine): Steps<void> {
  for (let [open] = engine.deletions.entries(); open !== undefined; [open] = engine.deletions.entries())
    yield* deletionTask(engine, open[1], open[0]);
}

/** Deletes values older than each device's cut-off and frees the space. */
export function* retentionTask(
  engine: StoreEngine,
  cutoffs: StoreCalls["applyRetention"]["args"],
): Steps<{ pointsDeleted: number }> {
  let pointsDeleted = 0;
  for (const { deviceId, before } of cutoffs) {
    const device = engine.registry.byId.get(deviceId);
    if (device === undefined) continue;
    const deletion: Deletion = { ...dropOf(device), to: justBefore(before), drop: false, isRetention: true };
    if (engine.hotHasBefore(device, before)) pointsDeleted += engine.recordDeletion(deletion).hidden;
    pointsDeleted += yield* deleteFromBlocks(engine, device, deletion);
    yield* refreshLatest(engine, device, deletion);
    yield;
  }
  yield* vacuumTask(engine);
  return { pointsDeleted };
}

/** Returns free pages to the file system. */
export function* vacuumTask(engine: StoreEngine): Steps<void> {
  while (engine.file.vacuum(VACUUM_PAGES) > 0) yield;
  // The file shrinks with the checkpoint, and the log that held the freed pages is cut as well.
  engine.file.checkpoint("TRUNCATE");
}
