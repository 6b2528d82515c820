import { afterAll, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "../../../../src/lib/data/random.ts";
import { FORM_RAW, HotLog } from "../../../../src/modules/telemetry/store/hot/hot-log.ts";
import {
  decodeRecordHead,
  HEADER_BYTES,
  RECORD_BYTES,
  recordBytesOf,
} from "../../../../src/modules/telemetry/store/hot/hot-log-format.ts";
import type { LogPlace } from "../../../../src/modules/telemetry/store/hot/hot-log-position.ts";
import { logDisk } from "../../../../src/modules/telemetry/store/hot/log-disk.ts";

const root = mkdtempSync(join(tmpdir(), "lineside-damage-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A log as a kill leaves it: ids of rows that were acknowledged, and those up to `sealed` are in blocks. */
interface KilledLog {
  readonly folder: string;
  readonly acknowledged: readonly number[];
  readonly sealed: LogPlace;
  /** Copies of the files from before they were used again. */
  readonly older: string;
}

const open = (folder: string, sealed: LogPlace) =>
  new HotLog(join(folder, "telemetry.db"), { isReadOnly: false, sealed });
const hotFiles = (folder: string) => readdirSync(folder).filter((name) => /-hot\d+$/.test(name));
const LIVE_ROWS = 40;

/** Writes a log of three generations: the first is sealed and its file used again by the third, the second waits to be sealed. */
function writeLog(seed: number): KilledLog {
  const random = createRandom(seed);
  const folder = mkdtempSync(join(root, "log-"));
  const older = mkdtempSync(join(root, "older-"));
  const log = open(folder, { id: 0, values: 0, time: undefined });
  const put = (count: number) => {
    for (let index = 0; index < count; index++) {
      log.append({
        form: FORM_RAW,
        data: new Uint8Array(1 + Math.floor(random() * 3_000)).fill(7),
        values: 1,
      });
      log.sync();
    }
  };
  put(10);
  const sealed = log.placeAt(log.lastId);
  log.beginFile();
  put(LIVE_ROWS / 2);
  cpSync(folder, older, { recursive: true });
  log.release(sealed.id);
  log.beginFile();
  put(LIVE_ROWS / 2);
  const acknowledged = Array.from({ length: LIVE_ROWS }, (_, index) => sealed.id + 1 + index);
  // Not closed: this is what a kill leaves.
  return { folder, acknowledged, sealed, older };
}

/** Offset behind each record of a file. */
function boundariesOf(path: string): number[] {
  const file = readFileSync(path);
  const boundaries = [HEADER_BYTES];
  for (let offset = HEADER_BYTES; offset + RECORD_BYTES < file.length; ) {
    const head = decodeRecordHead(file.subarray(offset));
    if (head.dataBytes === 0 || head.nonce !== file.readUInt32LE(4)) break;
    offset += recordBytesOf(head);
    boundaries.push(offset);
  }
  return boundaries;
}

function edit(path: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path);
  change(bytes);
  writeFileSync(path, bytes);
}

type Fault = readonly [name: string, damage: (path: string, log: KilledLog) => void];

/** Every fault of one file. */
function faultsOf({ folder }: KilledLog, file: string): Fault[] {
  const boundaries = boundariesOf(join(folder, file));
  const { size } = statSync(join(folder, file));
  const flip = (offset: number, bit: number): Fault => [
    `bit ${bit} of byte ${offset} flipped`,
    (path) =>
      edit(path, (bytes) => {
        bytes[offset]! ^= 1 << bit;
      }),
  ];
  const [middle, next] = [boundaries[10]!, boundaries[11]!];
  const last = boundaries.at(-2)!;
  return [
    ["deleted", (path) => rmSync(path)],
    ["empty", (path) => truncateSync(path, 0)],
    ...boundaries.flatMap((boundary): Fault[] =>
      [-1, 0, 1].map((by) => [`cut at ${boundary + by}`, (path) => truncateSync(path, boundary + by)]),
    ),
    ...Array.from(
      { length: Math.ceil(boundaries.at(-1)! / 4_096) },
      (_, page): Fault => [
        `page ${page} zeroed`,
        (path) => edit(path, (bytes) => void bytes.fill(0, page * 4_096, (page + 1) * 4_096)),
      ],
    ),
    ["zeroed", (path) => writeFileSync(path, Buffer.alloc(size))],
    ...Array.from({ length: HEADER_BYTES / 2 }, (_, index) => flip(index * 2, index % 8)).slice(0, 10),
    ...[0, 4, 8, 12, 16, 24, 32, 40, 48, 52, 53, 55, 56, 57, 59].map((offset) => flip(middle + offset, 3)),
    flip(middle + RECORD_BYTES, 0),
    flip(next - 1, 7),
    flip(last + 56, 2),
    flip(boundaries.at(-1)! - 1, 1),
    [
      "swapped with an older generation",
      (path, log) => writeFileSync(path, readFileSync(join(log.older, file))),
    ],
  ];
}

interface Outcome {
  readonly lost: number;
  readonly named: readonly string[];
  /** Values that the damage names as missing. */
  readonly counted: number;
}

function reopen({ folder, acknowledged, sealed }: KilledLog): Outcome {
  const log = open(folder, sealed);
  const found = new Set<number>();
  for (const { id, data, isSound } of log.all())
    if (isSound && data.every((byte) => byte === 7)) found.add(id);
  const named = log.problems();
  const nextId = log.append({ form: FORM_RAW, data: new Uint8Array(9).fill(7), values: 1 });
  expect(nextId).toBeGreaterThan(acknowledged.at(-1)!);
  log.sync();
  log.close();
  const counted = named.reduce((sum, line) => sum + Number(/(\d+) values? /.exec(line)?.[1] ?? 0), 0);
  return { lost: acknowledged.filter((id) => !found.has(id)).length, named, counted };
}

function copyOf(log: KilledLog): KilledLog {
  const folder = mkdtempSync(join(root, "case-"));
  cpSync(log.folder, folder, { recursive: true });
  return { ...log, folder };
}

test("after every fault of every file each acknowledged row is there, or is named with its number and time", () => {
  const base = writeLog(11);
  let cases = 0;
  for (const file of hotFiles(base.folder))
    for (const [name, damage] of faultsOf(base, file)) {
      const log = copyOf(base);
      damage(join(log.folder, file), base);
      const { lost, named, counted } = reopen(log);
      expect({ file, name, lost, named, counted }).toEqual({ file, name, lost, named, counted: lost });
      if (lost > 0) expect(named.join()).toMatch(/between .+Z? and 2.+Z/);
      // Only what lies in the damage is lost.
      if (/^bit/.test(name)) expect({ file, name, lost: lost <= 1 }).toEqual({ file, name, lost: true });
      if (/^page/.test(name)) expect({ file, name, lost: lost <= 12 }).toEqual({ file, name, lost: true });
      rmSync(log.folder, { recursive: true, force: true });
      cases++;
    }
  expect(cases).toBeGreaterThan(150);
});

test("what was named stays named: damage is set aside before its file is used again", () => {
  const log = copyOf(writeLog(5));
  const [file = ""] = hotFiles(log.folder);
  const boundaries = boundariesOf(join(log.folder, file));
  edit(join(log.folder, file), (bytes) => void bytes.fill(0, boundaries[3], boundaries[5]));
  const damaged = readFileSync(join(log.folder, file));
  const opened = open(log.folder, log.sealed);
  expect(opened.problems().join()).toContain("2 values");
  opened.beginFile();
  opened.release(opened.lastId);
  opened.append({ form: FORM_RAW, data: new Uint8Array(9), values: 1 });
  expect(readFileSync(join(log.folder, "set-aside", `${file}.1`)).equals(damaged)).toBe(true);
  opened.close();
});

/** Has the disk fail to read a page of a file while `work` runs. */
function withoutPage<Result>(path: string, page: number, work: () => Result): Result {
  const { read } = logDisk;
  logDisk.read = (descriptor, bytes, start, length, position) => {
    const isHit = position < (page + 1) * 4_096 && position + length > page * 4_096;
    if (isHit && readlinkSync(`/proc/self/fd/${descriptor}`) === path)
      throw Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" });
    return read(descriptor, bytes, start, length, position);
  };
  try {
    return work();
  } finally {
    logDisk.read = read;
  }
}

test("of a page that the disk cannot read, the rows are named, and all others are there", () => {
  const base = writeLog(12);
  for (const file of hotFiles(base.folder))
    for (let page = 0; page * 4_096 < statSync(join(base.folder, file)).size; page++) {
      const log = copyOf(base);
      const path = join(log.folder, file);
      const before = readFileSync(path);
      const { lost, named, counted } = withoutPage(path, page, () => reopen(log));
      expect({ file, page, named, counted }).toEqual({ file, page, named, counted: lost });
      expect(named.join()).toContain(`${file}: the disk cannot read 4096 bytes`);
      expect(lost).toBeLessThanOrEqual(12);
      expect(readFileSync(existsSync(path) ? path : join(log.folder, "set-aside", `${file}.1`))).toEqual(
        before,
      );
      rmSync(log.folder, { recursive: true, force: true });
    }
});

test("a page that the running gateway cannot read is an error, not a loss", () => {
  const log = copyOf(writeLog(13));
  const opened = open(log.folder, log.sealed);
  const path = join(log.folder, hotFiles(log.folder)[0] ?? "");
  expect(() => withoutPage(path, 0, () => [...opened.all()])).toThrow("EIO");
  expect([...opened.all()]).toHaveLength(LIVE_ROWS);
  opened.close();
});

test("of a file that is deleted while it is in use, later rows go to another one, and it is not used again", () => {
  const folder = mkdtempSync(join(root, "deleted-"));
  const start = { id: 0, values: 0, time: undefined };
  const log = open(folder, start);
  const put = () => {
    log.append({ form: FORM_RAW, data: new Uint8Array(9).fill(7), values: 1 });
    log.sync();
  };
  put();
  for (const file of hotFiles(folder)) rmSync(join(folder, file));
  put();
  put();
  expect([...log.all()]).toHaveLength(3);
  expect(log.problems()).toEqual([expect.stringContaining("telemetry.db-hot1 was deleted")]);
  const killed = mkdtempSync(join(root, "killed-"));
  cpSync(folder, killed, { recursive: true });
  log.release(1);
  log.beginFile();
  put();
  expect([...log.all()]).toHaveLength(3);
  log.close();
  const opened = open(killed, start);
  expect([...opened.all()].map(({ id }) => id)).toEqual([2, 3]);
  expect(opened.problems().join()).toContain("1 value");
  opened.close();
});

test("an older file in the place of one with rows is set aside", () => {
  const log = copyOf(writeLog(6));
  const file = "telemetry.db-hot1"; // used again by the third generation
  writeFileSync(join(log.folder, file), readFileSync(join(log.older, file)));
  open(log.folder, log.sealed).close();
  expect(existsSync(join(log.folder, "set-aside", `${file}.1`))).toBe(true);
});

test("control: without the position of the log, a zeroed tail passes for its end", () => {
  const log = copyOf(writeLog(7));
  rmSync(join(log.folder, "telemetry.db-position"));
  const path = join(log.folder, "telemetry.db-hot1"); // holds the newest rows
  const boundaries = boundariesOf(path);
  edit(path, (bytes) => void bytes.fill(0, boundaries.at(-2)));
  const opened = open(log.folder, log.sealed);
  expect([[...opened.all()].length, opened.problems()]).toEqual([LIVE_ROWS - 1, []]);
  opened.close();
});

test("random damage in several files at once is never silent", () => {
  const random = createRandom(Number(process.env.LINESIDE_SEED ?? 1));
  const rounds = Number(process.env.LINESIDE_DAMAGE_ROUNDS ?? 60);
  for (let round = 0; round < rounds; round++) {
    const log = writeLog(round);
    const files = hotFiles(log.folder);
    const hits = 1 + Math.floor(random() * 4);
    for (let hit = 0; hit < hits; hit++) {
      const path = join(log.folder, files[Math.floor(random() * files.length)] ?? "");
      const end = boundariesOf(path).at(-1) ?? HEADER_BYTES;
      const start = Math.floor(random() * end);
      const length = 1 + Math.floor(random() * random() * 9_000);
      edit(path, (bytes) => {
        for (let offset = start; offset < Math.min(start + length, bytes.length); offset++)
          bytes[offset] = random() < 0.5 ? 0 : Math.floor(random() * 256);
      });
    }
    const { lost, counted, named } = reopen(log);
    expect({ round, counted, named }).toEqual({ round, counted: lost, named });
    rmSync(log.folder, { recursive: true, force: true });
  }
});
