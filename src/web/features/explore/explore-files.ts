import { columnName } from "../../../lib/keys/key-format.ts";
import { aggregatedMetadata } from "../../../lib/keys/key-metadata.ts";
import { writeNames } from "../../../lib/keys/name-list.ts";
import type { TelemetryValue } from "../../lib/api-types.ts";
import { tableRows } from "../../lib/chart-data.ts";
import { toCsv } from "../../lib/csv.ts";
import { isThinned, SeriesBuffer } from "../../lib/series-buffer.ts";
import { metadataOf } from "../../platform/key-metadata.ts";
import { saveFile } from "../../ui/save-file.ts";
import type { BoardFeed } from "../dashboards/board/board-feed.ts";
import type { Widget } from "../dashboards/dashboards-api.ts";
import type { Bounds } from "../dashboards/widgets/widget.types.ts";
import { hasCsvUnits } from "../telemetry/csv-units.tsx";
import { telemetryApi } from "../telemetry/telemetry-api.ts";

/** Line of an NDJSON export. */
interface Reading {
  readonly ts: number;
  readonly values: Readonly<Record<string, TelemetryValue>>;
}

interface Column {
  readonly deviceId: string;
  readonly key: string;
  readonly name: string;
  readonly buffer: SeriesBuffer;
}

/** Saves all values of the window as one table: a row per timestamp, a column per series. */
export async function saveCsv(feed: BoardFeed, widgets: readonly Widget[], bounds: Bounds): Promise<void> {
  const shown = widgets.flatMap(({ widgetId, config }) =>
    feed.of(widgetId).series.map(({ device, key, buffer }): Column => {
      const unit = aggregatedMetadata(metadataOf(device.deviceId, key), config.aggregation)?.unit;
      const name = columnName(`${device.name} · ${key}`, hasCsvUnits.value ? unit : undefined);
      return { deviceId: device.deviceId, key, name, buffer };
    }),
  );
  const columns = await completed(shown, bounds);
  const rows = tableRows(
    columns.map(({ buffer }) => buffer),
    bounds,
  );
  const head = ["time", ...columns.map(({ name }) => name)];
  const cells = rows.map(({ ts, values }) => [
    new Date(ts).toISOString(),
    ...values.map((value) => (typeof value === "object" ? JSON.stringify(value) : value)),
  ]);
  saveFile(new Blob([toCsv([head, ...cells])], { type: "text/csv;charset=utf-8" }), "explore.csv");
}

/** Loads all values of series that the server has thinned for a chart. */
async function completed(columns: readonly Column[], bounds: Bounds): Promise<readonly Column[]> {
  const full = columns.map((column) =>
    isThinned([column.buffer], bounds.from) ? { ...column, buffer: new SeriesBuffer() } : column,
  );
  const loaded = full.filter((column, index) => column !== columns[index]);
  for (const deviceId of new Set(loaded.map((column) => column.deviceId))) {
    const own = loaded.filter((column) => column.deviceId === deviceId);
    const file = await telemetryApi.exportHistory(deviceId, {
      format: "ndjson",
      keys: writeNames([...new Set(own.map(({ key }) => key))]),
      from: Math.floor(bounds.from),
      to: Math.ceil(bounds.to),
    });
    for (const line of (await file.text()).split("\n")) {
      if (line === "") continue;
      const { ts, values } = JSON.parse(line) as Reading;
      for (const { key, buffer } of own) if (Object.hasOwn(values, key)) buffer.add(ts, values[key] ?? 0);
    }
  }
  return full;
}

const MARGIN = 16;
const LEGEND_HEIGHT = 24;

/** Saves the charts below an element as one picture, each with its legend above. */
export function savePicture(host: HTMLElement): void {
  const charts = [...host.querySelectorAll<HTMLElement>('[data-testid="widget"]')].flatMap((element) => {
    const canvas = element.querySelector("canvas");
    if (canvas === null) return [];
    const legend = [...element.querySelectorAll<HTMLElement>("li")].map((item) => ({
      text: item.textContent ?? "",
      color: item.querySelector<HTMLElement>("[style]")?.style.background ?? "",
    }));
    return [{ canvas, legend }];
  });
  const scale = devicePixelRatio;
  const width = Math.max(...charts.map(({ canvas }) => canvas.width), 1);
  const height = charts.reduce(
    (sum, { canvas }) => sum + canvas.height + (LEGEND_HEIGHT + MARGIN) * scale,
    MARGIN * scale,
  );
  const picture = document.createElement("canvas");
  picture.width = width + 2 * MARGIN * scale;
  picture.height = height;
  const context = picture.getContext("2d");
  if (context === null) return;
  const style = getComputedStyle(host.querySelector(".panel") ?? document.body);
  context.fillStyle = style.backgroundColor;
  context.fillRect(0, 0, picture.width, picture.height);
  context.font = `${14 * scale}px ${style.fontFamily}`;
  context.textBaseline = "middle";
  let y = MARGIN * scale;
  for (const { canvas, legend } of charts) {
    let x = MARGIN * scale;
    for (const { text, color } of legend) {
      context.fillStyle = color;
      context.fillRect(x, y + (LEGEND_HEIGHT / 2 - 2) * scale, 12 * scale, 3 * scale);
      context.fillStyle = style.color;
      context.fillText(text, x + 18 * scale, y + (LEGEND_HEIGHT / 2) * scale);
      x += context.measureText(text).width + 40 * scale;
    }
    y += LEGEND_HEIGHT * scale;
    context.drawImage(canvas, MARGIN * scale, y);
    y += canvas.height + MARGIN * scale;
  }
  picture.toBlob((blob) => blob && saveFile(blob, "explore.png"), "image/png");
}
