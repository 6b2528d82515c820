import { expect, test } from "bun:test";
import { packTexts } from "../../../src/lib/data/packed-texts.ts";
import { TAG_STRING } from "../../../src/lib/data/value-kind.ts";
import { FORM_DELETION } from "../../../src/modules/telemetry/store/hot/hot-log.ts";
import { BATCH_BYTES_MAX } from "../../../src/modules/uplinks/batch-weight.ts";
import { DeviceCache } from "../../../src/modules/uplinks/device-cache.ts";
import type { MainCalls, UplinkJob } from "../../../src/modules/uplinks/uplink.protocol.ts";
import { type Item, UplinkReader } from "../../../src/modules/uplinks/uplink-reader.ts";
import { columnOf, deviceOf, eventsOf } from "../../support/uplink-batches.ts";

const job: UplinkJob = {
  uplinkId: "uplink-1",
  tenantId: "tenant-1",
  target: { type: "HTTP" } as UplinkJob["target"], // the reader does not look at it
  sendsTelemetry: true,
  deviceIds: [],
  keys: [],
  steps: [],
  order: "LIVE_FIRST",
  bytesPerSecond: null,
  window: null,
  authorities: undefined,
};

const definitions = { devices: [], keys: [], patterns: [] };
const nothing = {
  rows: [],
  definitions,
  deletions: [],
  end: 0,
  isAtEnd: true,
  hasBacklog: false,
};

test("what is written while the reader reads is read next", async () => {
  const reads: string[] = [];
  const cursor = { attributes: 0, alarms: 0, devices: 0, snapshot: null };
  const call = async (name: keyof MainCalls) => {
    if (name === "backlog") return { ranges: [], definitions, rangeCount: 0, oldestTs: null };
    reads.push(name);
    if (reads.length <= 2) reader.wake();
    if (name === "read") return nothing;
    const records = eventsOf(deviceOf(), 1).map((record) => ({ ...record, text: "{}" }));
    return { records: reads.length > 2 ? records : [], cursor, isAtEnd: true };
  };
  const reader: UplinkReader = new UplinkReader(job, {
    call: call as unknown as ConstructorParameters<typeof UplinkReader>[1]["call"],
    devices: new DeviceCache(async () => []),
    transform: (rows) => rows,
  });
  expect(await reader.next(false)).toBeUndefined();
  expect(await reader.next(false)).toMatchObject({ batch: { points: 0 }, isBarrier: true });
  expect(await reader.next(false)).toBeUndefined();
  expect(reads).toEqual(["changes", "read", "changes", "read"]);
  expect(await reader.next(false)).toBeUndefined();
  expect(reads.length).toBe(4);
});

type Answers = { [Name in keyof MainCalls]?: (args: MainCalls[Name]["args"]) => unknown };

/** A reader of a gateway that answers like this. */
function createReader(order: UplinkJob["order"], responses: Answers) {
  const calls: string[] = [];
  const call = async (name: keyof MainCalls, args: never) => {
    calls.push(name);
    return responses[name]?.(args);
  };
  const deps = {
    call: call as unknown as ConstructorParameters<typeof UplinkReader>[1]["call"],
    devices: new DeviceCache(async () => [deviceOf()]),
    transform: <Rows>(rows: Rows) => rows,
  };
  return { reader: new UplinkReader({ ...job, order }, deps), calls };
}

test.each([
  ["LIVE_FIRST", ["deletion", "rows"]],
  ["NEWEST_FIRST", ["deletion", "rows"]],
  ["OLDEST_FIRST", ["rows", "deletion"]],
] as const)("%s: new changes and history are sent in this order", async (order, expected) => {
  const { deviceId } = deviceOf();
  const deletion = { tenantId: job.tenantId, deviceId, keys: null, from: 1, to: 2, drop: false };
  const live = { id: 1, form: FORM_DELETION, data: new TextEncoder().encode(JSON.stringify(deletion)) };
  /** The gateway: one range of history and one deletion that has just been made. */
  let ranges = [{ device: 0, deviceId, from: 10, to: 20, seq: 1 }];
  const { reader, calls } = createReader(order, {
    changes: () => ({ records: [], cursor: {}, isAtEnd: true }),
    backlog: () => ({ ranges, definitions, rangeCount: ranges.length, oldestTs: null }),
    rows: () => ({ ts: Float64Array.of(10), columns: [columnOf("t", [21.5])], to: 20 }),
    read: ({ after }) => ({
      ...nothing,
      rows: after === 0 ? [live] : [],
      end: 1,
      hasBacklog: ranges.length > 0,
    }),
    confirm(confirmation) {
      if (confirmation.ranges !== undefined) ranges = [];
    },
  });
  const sent: string[] = [];
  let points = 0;
  for (let item = await reader.next(false); typeof item === "object"; item = await reader.next(false)) {
    sent.push(...item.batch.records.map(({ kind }) => kind));
    points += item.batch.points;
    await item.confirm();
  }
  expect(sent).toEqual([...expected]);
  expect(points).toBe(1);
  // There is no history left to ask for.
  calls.length = 0;
  reader.wake();
  expect(await reader.next(false)).toBeUndefined();
  expect(calls).toEqual(["changes", "read"]);
});

test("a deletion that was kept while the uplink was away is sent once all before it has arrived", async () => {
  const { deviceId } = deviceOf();
  let deletions = [{ id: 5, deviceId, keys: ["t"], from: 1, to: 2, drop: false }];
  const { reader } = createReader("LIVE_FIRST", {
    changes: () => ({ records: [], cursor: {}, isAtEnd: true }),
    read: () => ({ ...nothing, deletions }),
    backlog: () => ({ ranges: [], definitions, rangeCount: 0, oldestTs: null }),
    confirm(confirmation) {
      deletions = deletions.filter(({ id }) => !confirmation.deletions?.includes(id));
    },
  });
  expect(await reader.next(false)).toMatchObject({
    batch: { records: [{ kind: "deletion", keys: ["t"], from: 1, to: 2 }] },
    isBarrier: true,
  });
  expect(await reader.next(true)).toBe("later");
  const item = await reader.next(false);
  if (typeof item === "object") await item.confirm();
  expect(await reader.next(false)).toBeUndefined();
});

/** A store with one range of rows of some texts each; it returns as many rows as there is room for. */
function storeOf(texts: readonly string[], keys: number): Answers {
  return {
    changes: () => ({ records: [], cursor: {}, isAtEnd: true }),
    read: () => nothing,
    backlog: () => ({
      ranges: [{ device: 1, deviceId: deviceOf().deviceId, from: 0, to: texts.length - 1, seq: 1 }],
      definitions,
      rangeCount: 1,
      oldestTs: 0,
    }),
    rows: ({ from, to, max }) => {
      const first = Math.ceil(from);
      let last = first;
      const bytesOf = (row: number) =>
        max.perRow + keys * (max.perValue + (texts[row]?.length ?? 0) * max.perCharacter);
      let bytes = bytesOf(first);
      while (last < to && bytes + bytesOf(last + 1) <= max.bytes) bytes += bytesOf(++last);
      const ts = Float64Array.from({ length: last - first + 1 }, (_, row) => first + row);
      const columns = Array.from({ length: keys }, (_, key) => ({
        key: `k${key}`,
        tags: new Uint8Array(ts.length).fill(TAG_STRING),
        numbers: new Float64Array(ts.length),
        texts: packTexts(texts.slice(first, last + 1)),
      }));
      return { ts, columns, to: last };
    },
  };
}

test.each([
  ["long texts", "x".repeat(60_000), 200, 1],
  ["a row in many columns", "x".repeat(500), 400, 100],
  ["short texts of many rows", "on", 60_000, 1],
] as const)("a batch of history has a limit in bytes: %s", async (_, text, rows, keys) => {
  const { reader } = createReader("OLDEST_FIRST", storeOf(Array(rows).fill(text), keys));
  let points = 0;
  for (let item = await reader.next(false); typeof item === "object"; item = await reader.next(true)) {
    expect(item.bytes).toBeLessThanOrEqual(BATCH_BYTES_MAX);
    points += item.batch.points;
    if (points >= rows * keys) break;
  }
  expect(points).toBe(rows * keys);
});

test("batches that are read again are the same ones, and the reader goes on behind a batch", async () => {
  const texts = Array.from({ length: 90 }, (_, row) => `${row} `.repeat(30_000));
  const { reader } = createReader("OLDEST_FIRST", storeOf(texts, 1));
  const items: Item[] = [];
  for (let index = 0; index < 4; index++) {
    const item = await reader.next(index > 0);
    if (typeof item === "object") items.push(item);
  }
  const ids = items.map(({ batch }) => batch.id);
  expect(new Set(ids).size).toBe(4);
  for (const first of [2, 0, 3, 1]) {
    items[first]?.repeat();
    const again: string[] = [];
    for (let index = first; index < 4; index++) {
      const item = await reader.next(index > first);
      if (typeof item === "object") again.push(item.batch.id);
    }
    expect(again).toEqual(ids.slice(first));
  }
  items[0]?.pass();
  expect(await reader.next(false)).toMatchObject({ batch: { id: ids[1] } });
  // A value that was changed meanwhile is another message to those who know the id.
  texts[0] = "changed";
  items[0]?.repeat();
  const changed = await reader.next(false);
  expect(ids).not.toContain(typeof changed === "object" ? changed.batch.id : "");
});

test("newest first, batches that are read again after gaps of days are the same ones", async () => {
  const dayMs = 24 * 3_600_000;
  const { deviceId } = deviceOf();
  /** One value in 100 days: pieces without a value make the next ones longer. */
  const ts = 10 * dayMs;
  let to = 100 * dayMs;
  const { reader } = createReader("NEWEST_FIRST", {
    changes: () => ({ records: [], cursor: {}, isAtEnd: true }),
    read: () => nothing,
    backlog: () => ({
      ranges: [{ device: 1, deviceId, from: 0, to, seq: 1 }],
      definitions,
      rangeCount: 1,
      oldestTs: 0,
    }),
    rows: (range) =>
      range.from <= ts && ts <= range.to
        ? { ts: Float64Array.of(ts), columns: [columnOf("t", [21.5])], to: ts }
        : null,
    confirm({ ranges }) {
      const [range] = ranges ?? [];
      if (range !== undefined && "since" in range) to = range.since;
    },
  });
  for (let points = 0; points === 0; ) {
    const first = await reader.next(false);
    if (typeof first !== "object") throw new Error("nothing to read");
    for (let repeats = 0; repeats < 3; repeats++) {
      first.repeat();
      expect(await reader.next(false)).toMatchObject({ batch: { id: first.batch.id } });
    }
    points += first.batch.points;
    await first.confirm();
  }
});

test("what is behind rows that have become history meanwhile is read immediately", async () => {
  const { deviceId } = deviceOf();
  const deletion = { tenantId: job.tenantId, deviceId, keys: null, from: 1, to: 2, drop: false };
  const data = new TextEncoder().encode(JSON.stringify(deletion));
  let rows = [1, 2, 3, 4].map((id) => ({ id, form: FORM_DELETION, data }));
  const { reader } = createReader("LIVE_FIRST", {
    changes: () => ({ records: [], cursor: {}, isAtEnd: true }),
    backlog: () => ({ ranges: [], definitions, rangeCount: 0, oldestTs: null }),
    read: ({ after }) => ({
      ...nothing,
      rows: rows.filter(({ id }) => id > after),
      end: rows.at(-1)?.id ?? 0,
    }),
  });
  const first = await reader.next(false);
  if (typeof first !== "object") throw new Error("nothing to read");
  for (let count = 0; count < 3; count++) await reader.next(true);
  rows = [{ id: 9, form: FORM_DELETION, data }];
  first.repeat();
  const kinds: string[] = [];
  for (let item = await reader.next(false); typeof item === "object"; item = await reader.next(false))
    kinds.push(...item.batch.records.map(({ kind }) => kind));
  expect(kinds).toEqual(["deletion"]);
});
