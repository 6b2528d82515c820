import {
  TAG_ABSENT,
  TAG_FALSE,
  TAG_JSON,
  TAG_NUMBER,
  TAG_STRING,
  TAG_TRUE,
} from "../../src/lib/data/value-kind.ts";
import { exactJson } from "../../src/lib/json/exact-json.ts";
import type { JsonValue } from "../../src/lib/json/json.ts";
import type {
  Batch,
  RowsRecord,
  TargetContext,
  UplinkColumn,
  UplinkDevice,
  UplinkRecord,
} from "../../src/modules/uplinks/target.types.ts";

type Value = JsonValue | undefined;

function tagOf(value: Value): number {
  if (value === undefined) return TAG_ABSENT;
  if (typeof value === "number") return TAG_NUMBER;
  if (typeof value === "boolean") return value ? TAG_TRUE : TAG_FALSE;
  return typeof value === "string" ? TAG_STRING : TAG_JSON;
}

/** A column as the store hands it out; undefined is a row without a value of the key. */
export function columnOf(key: string, values: readonly Value[]): UplinkColumn {
  const texts = values.map((value) => {
    if (typeof value === "string") return value;
    return typeof value === "object" ? exactJson(value) : undefined;
  });
  return {
    key,
    tags: Uint8Array.from(values, tagOf),
    numbers: Float64Array.from(values, (value) => (typeof value === "number" ? value : 0)),
    texts: texts.some((text) => text !== undefined) ? texts : null,
  };
}

export const deviceOf = (changes: Partial<UplinkDevice> = {}): UplinkDevice => ({
  deviceId: "0199f6a0-0000-7000-8000-000000000001",
  name: "Pump 1",
  type: "pump",
  site: "Plant A",
  tags: {},
  ...changes,
});

export const rowsOf = (
  device: UplinkDevice,
  ts: readonly number[],
  columns: Readonly<Record<string, readonly Value[]>>,
): RowsRecord => ({
  kind: "rows",
  device,
  ts: Float64Array.from(ts),
  columns: Object.entries(columns).map(([key, values]) => columnOf(key, values)),
});

export function batchOf(id: string, ...records: UplinkRecord[]): Batch {
  let points = 0;
  for (const record of records)
    if (record.kind === "rows")
      for (const { tags } of record.columns) points += tags.filter((tag) => tag !== TAG_ABSENT).length;
  return { id, records, points };
}

/** A record of every kind except rows. */
export const eventsOf = (device: UplinkDevice, ts: number): UplinkRecord[] => [
  { kind: "device", device, change: "created", ts },
  { kind: "attributes", device, scope: "SERVER", ts, values: { floor: 2, label: "left", gone: null } },
  {
    kind: "alarm",
    device,
    alarmId: "0199f6a0-0000-7000-8000-00000000a001",
    type: "overheated",
    severity: "MAJOR",
    status: "ACTIVE_UNACK",
    event: "CREATED",
    eventId: "0199f6a0-0000-7000-8000-00000000e001",
    message: "hotter than 80 °C",
    ts,
  },
];

/** A place of the test's own: everything that is named is on loopback. */
export const contextOf = (changes: Partial<TargetContext> = {}): TargetContext => ({
  uplinkId: "uplink-1",
  resolve: async () => ["127.0.0.1"],
  authorities: undefined,
  now: () => Date.now(),
  ...changes,
});

export const neverAborted = (): AbortSignal => new AbortController().signal;

/** What a target is asked to do fails with this reaction and this text. */
export async function failureOf(work: Promise<unknown>): Promise<{ reaction: string; message: string }> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error && "reaction" in error)
      return { reaction: String(error.reaction), message: error.message };
    throw error;
  }
  return { reaction: "none", message: "" };
}
