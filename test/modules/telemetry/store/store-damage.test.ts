import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { createRandom } from "../../../../src/lib/data/random.ts";
import { deviceId, StoreFixture } from "./store-fixture.ts";

let fixture: StoreFixture;
const devices = Array.from({ length: 8 }, (_, no) => `d${no}`);
const rows = 2_000;
const valueAt = (no: number, ts: number) => Math.sin(ts * (no + 1)) * 1e6;

beforeEach(async () => {
  fixture = await StoreFixture.start({ blockRowsTarget: 100 });
});
afterEach(() => fixture.dispose());

async function fill(): Promise<void> {
  for (let ts = 0; ts < rows; ts++) {
    for (const [no, device] of devices.entries()) fixture.put(device, "a", ts, valueAt(no, ts));
    if (ts % 200 === 199) await fixture.put("d0", "b", ts, ts);
  }
  await fixture.store.compact();
  await fixture.store.stop();
}

/** Reads everything; a value that comes back must be the one written. Returns how many did. */
async function pointsServed(): Promise<number> {
  let served = 0;
  for (const [no, device] of devices.entries()) {
    const points = await fixture.points(device, "a").catch(() => []);
    for (const [ts, value] of points) if (value !== valueAt(no, ts)) throw new Error(`wrong value at ${ts}`);
    served += points.length;
  }
  return served;
}

test("a sound file passes the check, with everything counted", async () => {
  await fill();
  await fixture.store.start();
  await fixture.put("d0", "a", rows, 1);
  const report = await fixture.store.check();
  expect(report).toMatchObject({ points: rows * devices.length + 10, hotRows: 1, problems: [] });
  expect(report.blocks).toBeGreaterThan(100);
});

test("a file that was cut off opens, serves what is left, names the loss and takes new points", async () => {
  await fill();
  const { size } = statSync(fixture.file);
  truncateSync(fixture.file, size - 3 * 2048 - 700);
  await fixture.store.start();
  expect(await pointsServed()).toBeGreaterThan(rows * devices.length * 0.5);
  const { corruptBlocks } = await fixture.store.stats();
  expect(corruptBlocks[0]).toContain("shorter than it should be");
  await fixture.put("new", "a", 1, 2);
  await fixture.restart();
  expect(await fixture.points("new", "a")).toEqual([[1, 2]]);
});

test("bytes flipped anywhere in the blocks never make a wrong value, and each damaged block is named", async () => {
  await fill();
  const db = new Database(fixture.file);
  const bodies = db.query<{ id: number; data: Uint8Array }, []>("SELECT id, data FROM body").all();
  db.close();
  const bytes = readFileSync(fixture.file);
  const random = createRandom(5);
  const hit = new Set<number>();
  for (let left = 20; left > 0; left--) {
    const { id, data } = bodies[Math.floor(random() * bodies.length)]!;
    // The start of a body lies in one piece within its page; that is enough to find it in the file.
    const index = bytes.indexOf(data.subarray(0, 64));
    if (index < 0) continue;
    bytes[index + 32]! ^= 1 << Math.floor(random() * 8);
    hit.add(id);
  }
  expect(hit.size).toBeGreaterThan(10);
  writeFileSync(fixture.file, bytes);
  await fixture.store.start();
  const served = await pointsServed();
  expect(served).toBeGreaterThan(0);
  expect(served).toBeLessThan(rows * devices.length);
  const { problems } = await fixture.store.check();
  expect(problems.length).toBeGreaterThanOrEqual(10);
  expect(problems.every((problem) => problem.includes("device no."))).toBe(true);
});

test("pages lost anywhere never make a wrong value, and the check says that something is wrong", async () => {
  await fill();
  const sound = readFileSync(fixture.file);
  const pages = sound.length / 2048;
  const random = createRandom(11);
  for (let round = 0; round < 12; round++) {
    const damaged = Buffer.from(sound);
    // Behind the tables' own first pages, whose loss leaves nothing to serve.
    const page = 20 + Math.floor(random() * (pages - 20));
    damaged.fill(0, page * 2048, (page + 1) * 2048);
    writeFileSync(fixture.file, damaged);
    await fixture.restart();
    const served = await pointsServed();
    const { problems } = await fixture.store.check();
    expect([page, served === rows * devices.length || problems.length > 0]).toEqual([page, true]);
    await fixture.put("new", "a", round, round);
    await fixture.store.stop();
  }
});

test("a block of which only the directory is left is named, and reading, checking and what comes next end", async () => {
  await fill();
  const db = new Database(fixture.file);
  const { body } = db.query<{ body: number }, []>("SELECT body FROM block ORDER BY body LIMIT 1").get()!;
  db.run("DELETE FROM body WHERE id = ?", [body]);
  db.close();
  await fixture.store.start();
  const { problems } = await fixture.store.check();
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain("its body is missing");
  expect(await pointsServed()).toBe(rows * devices.length - 100);
  await fixture.put("d0", "a", rows, valueAt(0, rows));
  await fixture.store.compact();
  expect((await fixture.points("d0", "a")).at(-1)).toEqual([rows, valueAt(0, rows)]);
});

test("the log is cut again when a reader that held it up for long has gone", async () => {
  const reader = new Database(fixture.file, { readonly: true });
  const wal = () => statSync(`${fixture.file}-wal`).size;
  reader.run("BEGIN");
  reader.query("SELECT count(*) FROM block").get();
  const text = "x".repeat(50_000);
  for (let ts = 0; ts < 400; ts++) await fixture.put("d", `k${ts % 2}`, ts, text + Math.random());
  reader.run("ROLLBACK");
  reader.close();
  await fixture.store.applyRetention([{ deviceId: deviceId("d"), before: 0 }]);
  expect(wal()).toBeLessThan(1024 * 1024);
  expect((await fixture.points("d", "k0")).length).toBe(200);
});
