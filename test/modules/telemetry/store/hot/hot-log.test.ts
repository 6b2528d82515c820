import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { createRandom } from "../../../../../src/lib/data/random.ts";
import { noDefinitions } from "../../../../../src/modules/telemetry/store/hot/group-format.ts";
import { FORM_RAW, HotLog } from "../../../../../src/modules/telemetry/store/hot/hot-log.ts";
import {
  decodeRecordHead,
  HEADER_BYTES,
  RECORD_BYTES,
  recordBytesOf,
} from "../../../../../src/modules/telemetry/store/hot/hot-log-format.ts";

let directory: string;
let path: string;
let opened: HotLog[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-log-"));
  path = join(directory, "telemetry.db");
});
afterEach(() => {
  for (const log of opened) log.close();
  opened = [];
  rmSync(directory, { recursive: true, force: true });
});

const sealedAt = (id: number) => ({ id, values: id === 0 ? 0 : undefined, time: undefined });

function open(sealedId = 0): HotLog {
  const log = new HotLog(path, { isReadOnly: false, sealed: sealedAt(sealedId) });
  opened.push(log);
  return log;
}

function reopen(log: HotLog, sealedId = 0): HotLog {
  opened = opened.filter((other) => other !== log);
  log.close();
  return open(sealedId);
}

const bytes = (length: number, fill: number) => new Uint8Array(length).fill(fill);
const put = (log: HotLog, length: number, fill: number) =>
  log.append({ form: FORM_RAW, data: bytes(length, fill), values: 1 });
/** Id, length and first byte of each row; damaged rows are their id alone. */
const rowsOf = (log: HotLog) =>
  [...log.all()].map(({ id, data, isSound }) => (isSound ? [id, data.length, data[0]] : [id]));
const hotFiles = () => readdirSync(directory).filter((name) => name.includes("-hot"));

test("rows come back after a restart, with their definitions, and ids go on", () => {
  const log = open();
  const definitions = { ...noDefinitions(), keys: [{ no: 3, name: "ä\u0000" }] };
  expect([
    log.append({ form: FORM_RAW, data: bytes(10, 1), values: 1, definitions }),
    put(log, 5_000, 2),
  ]).toEqual([1, 2]);
  const next = reopen(log);
  expect(rowsOf(next)).toEqual([
    [1, 10, 1],
    [2, 5_000, 2],
  ]);
  const [first] = [...next.all()];
  expect(JSON.parse(new TextDecoder().decode(first?.definitions))).toEqual(definitions);
  expect(put(next, 1, 3)).toBe(3);
});

test("a file is as large as it was, however often it is opened, and is filled to a page if it was cut off", () => {
  let log = open();
  put(log, 10, 1);
  const file = join(directory, hotFiles()[0] ?? "");
  const { size } = statSync(file);
  for (let opening = 0; opening < 3; opening++) log = reopen(log);
  expect(statSync(file).size).toBe(size);
  truncateSync(file, size - 100);
  expect(rowsOf(reopen(log))).toEqual([[1, 10, 1]]);
  expect(statSync(file).size).toBe(size);
});

test("a row can be sent on once it is synced", () => {
  const log = open();
  put(log, 10, 1);
  expect([log.lastId, [...log.rowsBehind(0, 9)].length]).toEqual([0, 0]);
  log.sync();
  put(log, 10, 2);
  expect([log.lastId, [...log.rowsBehind(0, 9)].map(({ id }) => id)]).toEqual([1, [1]]);
});

test("what was sealed is forgotten, and its file is used again without its old rows", () => {
  const log = open();
  for (let round = 0; round < 6; round++) {
    const ids = [put(log, 100, round), put(log, 200, round)];
    log.sync();
    log.beginFile();
    put(log, 300, round);
    log.sync();
    log.release(ids[1] ?? 0);
    log.beginFile();
    log.release(log.lastId);
    expect(rowsOf(log)).toEqual([]);
  }
  expect(hotFiles().length).toBeLessThanOrEqual(3);
  const id = put(log, 40, 9);
  expect(rowsOf(reopen(log, id - 1))).toEqual([[id, 40, 9]]);
});

test("files that a crash left with sealed rows are not read", () => {
  const log = open();
  put(log, 100, 1);
  put(log, 100, 2);
  const next = reopen(log, 2);
  expect([rowsOf(next), put(next, 10, 3)]).toEqual([[], 3]);
});

test("a file that was begun and got no row hides none of another one that begins with the same id", () => {
  const log = open();
  put(log, 10, 1);
  log.sync();
  log.beginFile();
  put(log, 10, 2);
  const begun = readFileSync(`${path}-hot2`).subarray(0, HEADER_BYTES);
  for (const name of [`${path}-hot3`, `${path}-hot0`]) writeFileSync(name, begun);
  expect(rowsOf(reopen(log, 1))).toEqual([[2, 10, 2]]);
});

test("ids go on behind the position of a reader", () => {
  const log = open();
  put(log, 10, 1);
  log.skipTo(7);
  expect([log.lastId, put(log, 10, 2)]).toEqual([7, 8]);
  expect(rowsOf(reopen(log)).map(([id]) => id)).toEqual([1, 8]);
});

test("rows that are missing between two files are named", () => {
  const log = open();
  put(log, 10, 1);
  log.beginFile();
  put(log, 10, 2);
  log.beginFile();
  put(log, 10, 3);
  rmSync(`${path}-hot2`);
  const { damage } = reopen(log);
  expect(damage).toEqual([
    expect.stringMatching(/^hot row 2 cannot be read: 1 value received between 2\S+Z and 2\S+Z$/),
  ]);
});

/** Offsets of the records in a file, and where the last one ends. */
function offsetsIn(file: Buffer, count: number): number[] {
  const offsets = [HEADER_BYTES];
  for (let index = 0; index < count; index++) {
    const offset = offsets[index] ?? 0;
    offsets.push(offset + recordBytesOf(decodeRecordHead(file.subarray(offset))));
  }
  return offsets;
}

test("a row that was never synced and is torn ends the log silently, and the next row takes its place", () => {
  const log = open();
  for (const fill of [1, 2]) {
    put(log, 1_000, fill);
    log.sync();
  }
  put(log, 1_000, 3);
  put(log, 1_000, 4);
  const file = readFileSync(`${path}-hot1`);
  const third = offsetsIn(file, 4)[2] ?? 0;
  file.fill(0, third + RECORD_BYTES + 500, third + RECORD_BYTES + 1_000);
  writeFileSync(`${path}-hot1`, file);
  const next = reopen(log);
  expect(rowsOf(next)).toEqual([
    [1, 1_000, 1],
    [2, 1_000, 2],
  ]);
  expect(put(next, 1_000, 5)).toBe(3);
  // The fourth row lies right behind it still.
  expect(rowsOf(reopen(next)).at(-1)).toEqual([3, 1_000, 5]);
});

test("a row that was synced and is damaged is named, and those behind it are kept", () => {
  const log = open();
  for (const fill of [1, 2, 3]) {
    put(log, 1_000, fill);
    log.sync();
  }
  const file = readFileSync(`${path}-hot1`);
  file[(offsetsIn(file, 3)[1] ?? 0) + RECORD_BYTES + 7]! ^= 4;
  writeFileSync(`${path}-hot1`, file);
  const next = reopen(log);
  expect(rowsOf(next)).toEqual([
    [1, 1_000, 1],
    [3, 1_000, 3],
  ]);
  expect(next.damage).toEqual([expect.stringContaining("hot row 2 cannot be read: 1 value ")]);
  expect([...next.rowsBehind(0, 9)].map(({ id }) => id)).toEqual([1, 3]);
});

test("a reader beside the gateway ends where a file was begun anew", () => {
  const log = open();
  for (let id = 1; id <= 50; id++) put(log, 40_000, id);
  log.sync();
  const reader = new HotLog(path, { isReadOnly: true, sealed: sealedAt(0) });
  opened.push(reader);
  const rows = reader.all();
  expect(rows.next().value?.id).toBe(1);
  log.beginFile();
  log.release(50);
  put(log, 40_000, 99);
  put(log, 2_000_000, 99);
  const left = [...rows];
  expect(left.every(({ isSound, data, id }) => isSound && data[0] === id)).toBe(true);
  expect(left.length).toBeLessThan(49);
});

test("whatever the lengths, and wherever a file is cut off, a prefix of the rows with the synced ones comes back", () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(lengths, fc.nat(), fc.nat(), (sizes, syncedSeed, cutSeed) => {
      for (const name of readdirSync(directory)) rmSync(join(directory, name));
      const log = open();
      const synced = syncedSeed % (sizes.length + 1);
      sizes.forEach((length, index) => {
        put(log, length, index);
        if (index < synced) log.sync();
      });
      const file = readFileSync(`${path}-hot1`);
      const offsets = offsetsIn(file, sizes.length);
      const kept = offsets[synced] ?? HEADER_BYTES;
      const cut = kept + (cutSeed % (file.length - kept + 1));
      writeFileSync(`${path}-hot1`, file.subarray(0, cut));
      const found = rowsOf(reopen(log));
      expect(found.length).toBeGreaterThanOrEqual(synced);
      expect(found).toEqual(found.map((_, index) => [index + 1, sizes[index] ?? 0, index]));
    }),
    { numRuns: 60 },
  );
});

test("a file that was used before, cut anywhere while it is used again, never gives old rows", () => {
  const random = createRandom(3);
  const log = open();
  for (let id = 1; id <= 30; id++) put(log, 500, id);
  log.sync();
  const old = readFileSync(`${path}-hot1`);
  log.beginFile();
  log.release(30);
  for (let id = 31; id <= 60; id++) put(log, 500, id);
  log.sync();
  const used = readFileSync(`${path}-hot1`);
  for (let round = 0; round < 60; round++) {
    // Sectors of either state, in any mixture.
    const mixed = Buffer.from(used);
    for (let sector = 0; sector < mixed.length; sector += 512)
      if (random() < 0.3) old.copy(mixed, sector, sector, Math.min(sector + 512, old.length));
    const folder = mkdtempSync(join(directory, "mixed-"));
    copyFileSync(`${path}-hot1`, join(folder, "telemetry.db-hot1"));
    writeFileSync(join(folder, "telemetry.db-hot1"), mixed);
    const found = new HotLog(join(folder, "telemetry.db"), { isReadOnly: true, sealed: sealedAt(30) });
    const rows = [...found.all()].filter(({ isSound }) => isSound);
    expect(rows.every(({ id, data }) => id === data[0] && id > 30)).toBe(true);
    found.close();
  }
});

test("a file that waits to be used again is cut to a bounded length", () => {
  const log = open();
  for (let id = 0; id < 20; id++) put(log, 1_000_000, id);
  log.beginFile();
  log.release(20);
  expect(statSync(`${path}-hot1`).size).toBe(16 * 1024 * 1024);
});
