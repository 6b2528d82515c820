import type { CommitTimes } from "./commit-times.ts";
import type { StoreStats } from "./store.types.ts";
import type { StoreEngine } from "./store-engine.ts";

export function storeStats(engine: StoreEngine, times: CommitTimes): StoreStats {
  const hotPoints = engine.generations.reduce((sum, { points }) => sum + points, 0);
  let oldest = engine.blocks.oldestTs() ?? Number.POSITIVE_INFINITY;
  for (const generation of engine.generations) {
    for (const device of generation.devices.values()) oldest = Math.min(oldest, device.minTs);
  }
  const pages = engine.file.scalar("PRAGMA page_count") ?? 0;
  const pageBytes = engine.file.scalar("PRAGMA page_size") ?? 0;
  return {
    points: hotPoints + engine.blocks.totals.points,
    series: engine.registry.seriesCount,
    devices: engine.registry.devices.size,
    hotPoints,
    bucketBytes: engine.blocks.totals.bytes,
    fileBytes: pages * pageBytes,
    commits: times.count,
    commitP50Ms: times.percentile(0.5),
    commitP99Ms: times.percentile(0.99),
    oldestTs: Number.isFinite(oldest) ? oldest : null,
    corruptBlocks: [...engine.file.repairs, ...engine.damagedHotRows, ...engine.blocks.corrupt.values()],
  };
}
