import type { CommitTimes } from "./commit-times.ts";
import type { StoreStats } from "./store.types.ts";
import type { StoreEngine } from "./store-engine.ts";

/** Returns the bytes in blocks and in the hot tier, by tenant. */
export function storedBytes(engine: StoreEngine): Map<string, number> {
  const byTenant = new Map<string, number>();
  for (const { no, tenantId } of engine.registry.devices.values()) {
    let bytes = engine.blocks.sizes.bytesOf(no);
    for (const generation of engine.generations) bytes += generation.devices.get(no)?.bytes ?? 0;
    if (bytes > 0) byTenant.set(tenantId, (byTenant.get(tenantId) ?? 0) + bytes);
  }
  return byTenant;
}

export function storeStats(engine: StoreEngine, times: CommitTimes): StoreStats {
  const hotPoints = engine.generations.reduce((sum, { points }) => sum + points, 0);
  let oldest = engine.blocks.oldestTs() ?? Number.POSITIVE_INFINITY;
  for (const generation of engine.generations) {
    for (const device of generation.devices.values()) oldest = Math.min(oldest, device.minTs);
  }
  const pages = engine.file.scalar("PRAGMA page_count") ?? 0;
  const pageBytes = engine.file.scalar("PRAGMA page_size") ?? 0;
  return {
    points: hotPoints + engine.blocks.sizes.totals.points,
    series: engine.registry.seriesCount,
    devices: engine.registry.devices.size,
    hotPoints,
    bucketBytes: engine.blocks.sizes.totals.bytes,
    fileBytes: pages * pageBytes,
    commits: times.count,
    commitP50Ms: times.percentile(0.5),
    commitP99Ms: times.percentile(0.99),
    oldestTs: Number.isFinite(oldest) ? oldest : null,
    corruptBlocks: [
      ...engine.file.repairs,
      ...engine.file.log.problems(),
      ...engine.damagedHotRows,
      ...engine.blocks.corrupt.values(),
    ],
  };
}
