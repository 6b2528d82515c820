import { iso } from "../../../lib/iso-time.ts";
import type { Batch, RowsRecord, UplinkRecord } from "../uplink.types.ts";
import { eventLine } from "./ndjson-encoder.ts";
import type { Staged, StagedEvent, StagedRows } from "./staged-rows.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export type PartitionLength = "HOUR" | "DAY";
const lengthMs: Readonly<Record<PartitionLength, number>> = { HOUR: HOUR_MS, DAY: DAY_MS };

/** A value as a part of a path, as Hive escapes it. */
const escapeValue = (text: string): string => encodeURIComponent(text).replaceAll("*", "%2A") || "_";

/** `site=Plant%20A/date=2026-03-02/hour=03`, in UTC. */
function folderOf(site: string, startMs: number, length: PartitionLength): string {
  const time = iso(startMs);
  const day = `site=${escapeValue(site)}/date=${time.slice(0, 10)}`;
  return length === "DAY" ? day : `${day}/hour=${time.slice(11, 13)}`;
}

/** Returns the end of a partition (epoch ms) as its name tells it. */
export function endOf(partition: string): number {
  const [, day, hour] = /date=([\d-]+)(?:\/hour=(\d\d))?$/.exec(partition) ?? [];
  if (day === undefined) return 0;
  return Date.parse(`${day}T${hour ?? "00"}:00:00Z`) + (hour === undefined ? DAY_MS : HOUR_MS);
}

/** Returns the record with only the rows of a partition. */
function rowsWithin({ device, ts, columns }: RowsRecord, startMs: number, endMs: number): StagedRows {
  const indexes: number[] = [];
  for (let row = 0; row < ts.length; row++) {
    const time = ts[row] ?? 0;
    if (time >= startMs && time < endMs) indexes.push(row);
  }
  if (indexes.length === ts.length) return { device, ts, columns };
  return {
    device,
    ts: Float64Array.from(indexes, (row) => ts[row] ?? 0),
    columns: columns.map(({ key, tags, numbers, texts }) => ({
      key,
      tags: Uint8Array.from(indexes, (row) => tags[row] ?? 0),
      numbers: Float64Array.from(indexes, (row) => numbers[row] ?? 0),
      texts: texts === null ? null : indexes.map((row) => texts[row]),
    })),
  };
}

function eventOf(record: Exclude<UplinkRecord, RowsRecord>): StagedEvent {
  const { deviceId, name, type } = record.device;
  return {
    ts: record.kind === "deletion" ? record.to : record.ts,
    kind: record.kind,
    device: deviceId,
    name,
    type,
    data: JSON.stringify(eventLine(record)),
  };
}

/** The last moment that a file name with four digits of a year can say. */
const TIME_MAX_MS = Date.UTC(9999, 11, 31);

/** Splits a batch by the partitions `telemetry/…` and `events/…` that its rows and events belong to. */
export function partitionsOf({ records }: Batch, length: PartitionLength): Map<string, Staged> {
  const rows = new Map<string, StagedRows[]>();
  const events = new Map<string, StagedEvent[]>();
  const append = <Item>(map: Map<string, Item[]>, name: string, item: Item) => {
    const items = map.get(name);
    if (items === undefined) map.set(name, [item]);
    else items.push(item);
  };
  for (const record of records) {
    const { site } = record.device;
    if (record.kind !== "rows") {
      const event = eventOf(record);
      const start = Math.min(Math.max(event.ts, 0), TIME_MAX_MS);
      append(events, `events/${folderOf(site, start, "DAY")}`, { ...event, ts: start });
      continue;
    }
    const step = lengthMs[length];
    const starts = new Set<number>();
    for (const ts of record.ts) starts.add(Math.floor(ts / step) * step);
    for (const start of starts)
      append(rows, `telemetry/${folderOf(site, start, length)}`, rowsWithin(record, start, start + step));
  }
  return new Map([
    ...[...rows].map(([name, parts]): [string, Staged] => [name, { rows: parts, events: [] }]),
    ...[...events].map(([name, parts]): [string, Staged] => [name, { rows: [], events: parts }]),
  ]);
}
