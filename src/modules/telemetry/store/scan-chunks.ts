import type { DeviceId } from "../../../lib/ids.ts";
import { nextUp } from "../../../lib/next-double.ts";
import { decodeValue, TAG_ABSENT } from "../../../lib/value-kind.ts";
import type { TelemetryValue } from "../telemetry.types.ts";
import type { StoreCalls } from "./store.protocol.ts";
import type { ScanChunk, ScanColumn, ScanQuery } from "./store.types.ts";
import type { WireChunk, WireColumn } from "./wire-chunk.types.ts";

type Pull = (args: StoreCalls["scan"]["args"]) => Promise<WireChunk | null>;

class Column implements ScanColumn {
  readonly key: string;
  readonly #wire: WireColumn;

  constructor(wire: WireColumn) {
    this.key = wire.key;
    this.#wire = wire;
  }

  at(row: number): TelemetryValue | undefined {
    const { tags, numbers, texts } = this.#wire;
    const tag = tags[row] ?? TAG_ABSENT;
    return tag === TAG_ABSENT ? undefined : decodeValue(tag, numbers[row]!, texts?.[row]);
  }
}

/** Pulls chunk by chunk, device by device; the next one is read when it is asked for. */
export async function* scanChunks(query: ScanQuery, pull: Pull): AsyncGenerator<ScanChunk> {
  const { keys, to, after } = query;
  const start = after === undefined ? 0 : query.deviceIds.indexOf(after.deviceId);
  if (start < 0) return;
  for (const deviceId of query.deviceIds.slice(start)) {
    let from = deviceId === after?.deviceId ? Math.max(query.from, nextUp(after.ts)) : query.from;
    while (from <= to) {
      const wire = await pull({ deviceId, keys, from, to });
      if (wire === null) break;
      yield chunkOf(deviceId, wire);
      from = nextUp(wire.to);
    }
  }
}

const chunkOf = (deviceId: DeviceId, { ts, columns, to }: WireChunk): ScanChunk => ({
  deviceId,
  ts,
  columns: columns.map((column) => new Column(column)),
  position: { deviceId, ts: to },
});
