import type { TelemetryFile } from "./telemetry-file.ts";

export interface BlockTotals {
  points: number;
  bytes: number;
  blocks: number;
}

interface DeviceRow extends BlockTotals {
  readonly device: number;
}

/** Sizes of the blocks, in total and by device. */
export class BlockSizes {
  readonly totals: BlockTotals = { points: 0, bytes: 0, blocks: 0 };
  /** Device number → bytes of its blocks. */
  readonly #bytesOf = new Map<number, number>();
  /** Device number → how often its blocks have changed since the start. */
  readonly #versions = new Map<number, number>();

  constructor(file: TelemetryFile) {
    for (const { device, ...sizes } of read(file)) this.add(device, sizes);
  }

  bytesOf(device: number): number {
    return this.#bytesOf.get(device) ?? 0;
  }

  /** Differs when blocks of the device have come or gone. */
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

/** Nothing, and a note of it, where damage keeps the directory from being read. */
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
