import type { Deletion } from "./deletion.types.ts";
import { beginningOfTime, deleteFromBlocks, endOfTime, justBefore, refreshLatest } from "./deletions.ts";
import type { DeviceState } from "./registry.ts";
import type { Steps } from "./slice-scheduler.ts";
import type { StoreCalls } from "./store.protocol.ts";
import type { StoreEngine } from "./store-engine.ts";

/** Free pages given back in one step. */
const vacuumPages = 256;

/** Returns `null` if no such device is known, or none of the keys: there is nothing to delete. */
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

/**
 * Takes a deletion, recorded in the hot row `id` and held open, through the blocks; also repeats one that a crash has
 * interrupted.
 */
export function* deletionTask(engine: StoreEngine, deletion: Deletion, id: number): Steps<void> {
  if (!engine.deletions.has(id)) return; // a sealing has finished it
  const device = engine.registry.devices.get(deletion.device);
  if (device?.deviceId === deletion.deviceId) {
    yield* deleteFromBlocks(engine, device, deletion);
    if (deletion.drop) engine.dropDevice(device);
    else yield* refreshLatest(engine, device, deletion);
  }
  engine.deletions.done(id);
}

/** Takes all recorded deletions through the blocks, those that come meanwhile included; ends without a pause. */
export function* finishDeletions(engine: StoreEngine): Steps<void> {
  for (let [open] = engine.deletions.entries(); open !== undefined; [open] = engine.deletions.entries())
    yield* deletionTask(engine, open[1], open[0]);
}

/** Deletes what is older than each device's cut-off and gives the space back. */
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

/** Gives free pages back to the file system. */
export function* vacuumTask(engine: StoreEngine): Steps<void> {
  while (engine.file.vacuum(vacuumPages) > 0) yield;
  // The file shrinks with the checkpoint, and the log that held the freed pages is cut as well.
  engine.file.checkpoint("TRUNCATE");
}
