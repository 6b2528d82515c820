import type { Batch } from "./uplink.types.ts";

/**
 * Returns whether two batches hold rows of one device at the same time. Of such batches the later one may replace values of the earlier one, so it
 * must not arrive first.
 */
export function overlaps(earlier: Batch, later: Batch): boolean {
  /** Device id → first and last time stamp. */
  const spans = new Map<string, readonly [number, number]>();
  for (const record of earlier.records) {
    if (record.kind !== "rows") continue;
    const { deviceId } = record.device;
    const [from, to] = spans.get(deviceId) ?? [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const { ts } = record;
    spans.set(deviceId, [Math.min(from, ts[0] ?? from), Math.max(to, ts[ts.length - 1] ?? to)]);
  }
  return later.records.some((record) => {
    if (record.kind !== "rows") return false;
    const span = spans.get(record.device.deviceId);
    const { ts } = record;
    return (
      span !== undefined && (ts[0] ?? Number.NaN) <= span[1] && (ts[ts.length - 1] ?? Number.NaN) >= span[0]
    );
  });
}
