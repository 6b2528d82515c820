import type { DeviceId } from "../../../../lib/core/ids.ts";
import { PackedPoints, type Series } from "../../telemetry.types.ts";
import type { WireDeviceSeries } from "../store.protocol.ts";
import type { SinkResult } from "./series-sink.ts";
import { durationsOf } from "./state-times.ts";

/** Joins the parts of a query's response, in order of arrival. */
export class SeriesResponse {
  readonly devices: Array<{ deviceId: DeviceId; series: Series[] }> = [];

  add(part: readonly WireDeviceSeries[]): void {
    for (const { deviceId, series } of part) {
      const added = series.map((result) => ({
        key: result.key,
        points: pointsOf(result),
        ...(result.skipped !== undefined && { skipped: result.skipped }),
        ...(result.thinned && { thinned: result.thinned }),
      }));
      const last = this.devices.at(-1);
      if (last?.deviceId === deviceId) last.series.push(...added);
      else this.devices.push({ deviceId: deviceId as DeviceId, series: added }); // the worker answers with ids of the query
    }
  }
}

export const pointsOf = ({ ts, numbers, values, times }: SinkResult): PackedPoints =>
  new PackedPoints(ts, numbers ?? values ?? (times === undefined ? [] : durationsOf(times)));
