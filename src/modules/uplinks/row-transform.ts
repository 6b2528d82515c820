import {
  decodeValue,
  TAG_ABSENT,
  TAG_FALSE,
  TAG_JSON,
  TAG_NUMBER,
  TAG_STRING,
  TAG_TRUE,
} from "../../lib/data/value-kind.ts";
import { exactJson } from "../../lib/json/exact-json.ts";
import { readStored } from "../../lib/json/known-fields.ts";
import { compileReadingSteps } from "../pipelines/reading-steps.service.ts";
import type { FeedColumn, FeedDeviceRows } from "../telemetry/feeds.types.ts";
import type { Reading, TelemetryValue } from "../telemetry/telemetry.types.ts";

/** Creates the function that selects the keys of an uplink and runs its steps on rows; undefined if nothing is left. */
export function createRowTransform({
  keys,
  steps,
}: {
  readonly keys: readonly string[];
  readonly steps: readonly unknown[];
}): (rows: FeedDeviceRows) => FeedDeviceRows | undefined {
  const isSelected = keyFilter(keys);
  const run = steps.length === 0 ? undefined : readStored(() => compileReadingSteps(steps));
  return (rows) => {
    const columns = rows.columns.filter(({ key }) => isSelected(key));
    if (columns.length === 0) return undefined;
    const selected = { ...rows, columns };
    return run === undefined ? selected : throughSteps(selected, run);
  };
}

function keyFilter(patterns: readonly string[]): (key: string) => boolean {
  if (patterns.length === 0) return () => true;
  const names = new Set(patterns.filter((pattern) => !pattern.endsWith("*")));
  const prefixes = patterns.filter((pattern) => pattern.endsWith("*")).map((pattern) => pattern.slice(0, -1));
  return (key) => names.has(key) || prefixes.some((prefix) => key.startsWith(prefix));
}

function throughSteps(
  rows: FeedDeviceRows,
  run: (deviceId: string, reading: Reading) => Reading | undefined,
): FeedDeviceRows | undefined {
  const readings = [...rows.ts].flatMap((ts, row): Reading[] => {
    const values: Record<string, TelemetryValue> = Object.create(null);
    for (const { key, tags, numbers, texts } of rows.columns) {
      const tag = tags[row] ?? TAG_ABSENT;
      if (tag !== TAG_ABSENT) values[key] = decodeValue(tag, numbers[row] ?? 0, texts?.[row]);
    }
    const reading = run(rows.deviceId, { ts, values });
    return reading === undefined ? [] : [reading];
  });
  return readings.length === 0 ? undefined : rowsOf(rows.deviceId, readings);
}

type WritableColumn = FeedColumn & { texts: (string | undefined)[] | null };

/** Returns columns of readings with strictly ascending timestamps. */
function rowsOf(deviceId: string, readings: readonly Reading[]): FeedDeviceRows {
  const columns = new Map<string, WritableColumn>();
  const columnOf = (key: string): WritableColumn => {
    const { length } = readings;
    const column = columns.get(key) ?? {
      key,
      tags: new Uint8Array(length),
      numbers: new Float64Array(length),
      texts: null,
    };
    columns.set(key, column);
    return column;
  };
  for (const [row, { values }] of readings.entries())
    for (const [key, value] of Object.entries(values)) setValue(columnOf(key), row, value);
  return { deviceId, ts: Float64Array.from(readings, ({ ts }) => ts), columns: [...columns.values()] };
}

function setValue(column: WritableColumn, row: number, value: TelemetryValue): void {
  column.tags[row] = tagOf(value);
  if (typeof value === "number") column.numbers[row] = value;
  else if (typeof value !== "boolean") {
    column.texts ??= [];
    column.texts[row] = typeof value === "string" ? value : exactJson(value);
  }
}

function tagOf(value: TelemetryValue): number {
  if (typeof value === "number") return TAG_NUMBER;
  if (typeof value === "boolean") return value ? TAG_TRUE : TAG_FALSE;
  return typeof value === "string" ? TAG_STRING : TAG_JSON;
}
