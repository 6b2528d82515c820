// A backup of a damaged data directory: it must never pass for a good one, nor push a good one out.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agedSnapshots } from "../../../src/modules/backups/backup-job.ts";
import { PageMap } from "../../../src/modules/backups/page-map.ts";
import { SnapshotReader } from "../../../src/modules/backups/snapshot-reader.ts";
import { mapsName } from "../../../src/modules/backups/snapshot-repository.ts";
import { writeStamp } from "../../../src/platform/database/database-stamp.ts";
import { listHotLogs } from "../../../src/platform/database/hot-log-names.ts";
import { DATABASE_FILES, type DatabaseName } from "../../../src/platform/files/inventory.ts";
import {
  createRecord,
  keyChecksOf,
  readRecord,
  writeRecord,
} from "../../../src/platform/files/inventory-record.ts";
import { KEY_NAMES } from "../../../src/platform/secrets/secret-keys.ts";
import { BackupFixture } from "./backup-fixture.ts";

const GENERATION = 5;
let fixture: BackupFixture;

beforeEach(async () => {
  fixture = new BackupFixture();
  await fixture.fill(200);
  const keys = keyChecksOf(fixture.data);
  writeRecord(fixture.data, createRecord({ gateway: "this", generation: GENERATION, keys }));
  for (const name of DATABASE_FILES) stamp(name, GENERATION);
});
afterEach(() => fixture.dispose());

const stamp = (name: string, generation: number, gateway = "this") =>
  fixture.change(name, (db) => writeStamp(db, { gateway, generation, keys: {} }));
const remove = (name: string) => {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(fixture.data, name + suffix), { force: true });
};

/** Expects that a backup fails because of this file, and that neither the place nor the data has changed. */
async function expectRefusal(problem: string): Promise<void> {
  const secrets = readdirSync(join(fixture.data, "secrets"));
  await expect(fixture.backUp({ retention: { daily: 1, weekly: 0 } })).rejects.toMatchObject({
    code: "backup.data_damaged",
    params: { problems: expect.stringContaining(problem) },
  });
  expect(readdirSync(fixture.stick)).toEqual([]);
  expect(readdirSync(join(fixture.data, "secrets"))).toEqual(secrets);
}

test.each(DATABASE_FILES)(
  "a data directory whose %s is missing, older or foreign is not backed up",
  async (name) => {
    stamp(name, GENERATION - 1);
    await expectRefusal(`${name} is older than the rest`);
    stamp(name, GENERATION, "other");
    await expectRefusal(`${name} is from another gateway`);
    remove(name);
    await expectRefusal(`${name} is missing`);
    writeFileSync(join(fixture.data, name), "");
    await expectRefusal(`${name} is empty`);
  },
);

test("a missing database is not backed up either where the inventory is lost or accepts it", async () => {
  remove("lineside.db");
  const record = readRecord(fixture.data);
  writeRecord(fixture.data, {
    ...createRecord({ gateway: "this", generation: 0, keys: {} }),
    ...record,
    accepted: ["lineside.db"],
  });
  await expectRefusal("lineside.db is missing");
  rmSync(join(fixture.data, "inventory.json"));
  await expectRefusal("lineside.db is missing");
});

test.each(KEY_NAMES)("a data directory whose %s is missing or another is not backed up", async (name) => {
  const path = join(fixture.data, "secrets", name);
  const key = readFileSync(path);
  writeFileSync(path, Buffer.alloc(key.length, 1));
  await expectRefusal(`secrets/${name} is damaged, or from another gateway`);
  rmSync(path);
  await expectRefusal(`secrets/${name} is missing`);
});

test("databases that are stamped a moment before the inventory are backed up", async () => {
  for (const name of DATABASE_FILES) stamp(name, GENERATION + 1);
  stamp("mqtt.db", GENERATION);
  expect((await fixture.backUp()).problems).toEqual([]);
});

test("a backup without a file of the hot log is damaged, and never counts as good", async () => {
  const good = await fixture.backUp();
  const [log = ""] = listHotLogs(fixture.data).filter((name) => name.endsWith("1"));
  rmSync(join(fixture.data, log));
  const damaged = await fixture.backUp();
  expect(damaged.problems.length).toBeGreaterThan(0);
  const repository = await fixture.repository();
  expect((await agedSnapshots(repository)).map(({ id, isGood }) => [id, isGood])).toEqual([
    [good.id, true],
    [damaged.id, false],
  ]);
  const record = await repository.snapshot(damaged.id);
  const { problems } = await new SnapshotReader(repository, record).verify(join(fixture.root, "check"));
  expect(problems).toEqual(damaged.problems);
  const folder = join(fixture.root, "restored");
  expect((await fixture.restore(folder)).problems).toEqual(damaged.problems);
});

test.each(DATABASE_FILES)("a backup without %s is neither whole nor restored as a whole", async (missing) => {
  const { id } = await fixture.backUp();
  const repository = await fixture.repository();
  const whole = await repository.snapshot(id);
  const databases = whole.databases.filter(({ name }) => name !== missing);
  const pageMaps = await repository.maps(whole);
  const positions = new Map(whole.packs.map((_, position) => [position, position]));
  const maps = await repository.writeMaps(
    mapsName(id),
    databases.map(({ name }) => (pageMaps.get(name) ?? new PageMap()).encode(positions)),
  );
  await repository.commit({ ...whole, databases, maps });
  const absent = { code: "backup.database_absent", params: { name: missing } };
  await expect(
    new SnapshotReader(repository, await repository.snapshot(id)).verify(join(fixture.root, "check")),
  ).rejects.toMatchObject(absent);
  expect((await agedSnapshots(repository)).map(({ isGood }) => isGood)).toEqual([false]);
  const folder = join(fixture.root, "restored");
  mkdirSync(folder);
  cpSync(fixture.data, folder, { recursive: true });
  const rows = fixture.rows(folder);
  await expect(fixture.restore(folder)).rejects.toMatchObject(absent);
  expect(fixture.rows(folder)).toEqual(rows);
  const part = missing.replace(".db", "") as DatabaseName;
  await expect(fixture.restore(folder, { only: [part] })).rejects.toMatchObject({
    code: "backup.part_missing",
  });
  const { skipped } = await fixture.restore(folder, { skipsDamaged: true });
  expect(skipped).toEqual([missing]);
  // The backup has nothing that could take its place.
  expect(readdirSync(folder)).toContain(missing);
  await fixture.restore(folder, { only: [missing === "mqtt.db" ? "lineside" : "mqtt"] });
});
