import { columnName } from "../../../lib/keys/key-format.ts";
import { aggregatedMetadata } from "../../../lib/keys/key-metadata.ts";
import { writeNames } from "../../../lib/keys/name-list.ts";
import type { Aggregation, DeviceDetail } from "../../lib/api-types.ts";
import { tableRows } from "../../lib/chart-data.ts";
import { toCsv } from "../../lib/csv.ts";
import { isThinned, type SeriesBuffer } from "../../lib/series-buffer.ts";
import { metadataOf } from "../../platform/key-metadata.ts";
import { saveFile } from "../../ui/save-file.ts";
import { hasCsvUnits } from "./csv-units.tsx";
import { telemetryApi } from "./telemetry-api.ts";

interface Shown {
  readonly device: DeviceDetail;
  readonly selected: readonly string[];
  readonly aggregation: Aggregation;
  readonly buffers: readonly SeriesBuffer[];
  /** Epoch ms; `to` is infinite if the window follows the clock. */
  readonly listed: { readonly from: number; readonly to: number };
}

/** Saves all values of the window: the loaded ones or, if only a part is loaded, the server's. */
export async function downloadCsv(shown: Shown): Promise<void> {
  const { device, buffers, listed } = shown;
  const blob = isThinned(buffers, listed.from) ? await exported(shown) : loaded(shown);
  saveFile(blob, `${device.name.replace(/[^\p{L}\p{N}_-]+/gu, "-")}.csv`);
}

function exported({ device, selected, listed: { from, to } }: Shown): Promise<Blob> {
  return telemetryApi.exportHistory(device.deviceId, {
    format: "csv",
    keys: writeNames(selected),
    ...(hasCsvUnits.value && { units: "true" as const }),
    from: Math.floor(from),
    ...(Number.isFinite(to) && { to: Math.ceil(to) }),
  });
}

function loaded({ device, selected, aggregation, buffers, listed }: Shown): Blob {
  const unitOf = (key: string) => aggregatedMetadata(metadataOf(device.deviceId, key), aggregation)?.unit;
  const head = selected.map((key) => columnName(key, hasCsvUnits.value ? unitOf(key) : undefined));
  const cells = tableRows(buffers, listed).map((row) => [
    new Date(row.ts).toISOString(),
    ...row.values.map((v) => (typeof v === "object" ? JSON.stringify(v) : v)),
  ]);
  return new Blob([toCsv([["time", ...head], ...cells])], { type: "text/csv;charset=utf-8" });
}
