// Backups at a server that lists less than it has, as faulty servers and proxies do for a while.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runBackup } from "../../../src/modules/backups/backup-job.ts";
import { restore } from "../../../src/modules/backups/restore-job.ts";
import type { BackupTarget } from "../../../src/modules/backups/snapshot.types.ts";
import { FolderTarget } from "../../../src/modules/backups/targets/folder-target.ts";
import { BackupFixture } from "./backup-fixture.ts";

let fixture: BackupFixture;

beforeAll(async () => {
  fixture = new BackupFixture();
  await fixture.fill(10);
});
beforeEach(async () => {
  rmSync(fixture.stick, { recursive: true });
  mkdirSync(fixture.stick);
  fixture.passphrase = "correct horse battery staple";
  await fixture.backUp();
});
afterAll(() => fixture.dispose());

/** Returns the fixture's place, which does not list names for which `isHidden` is true. */
function hiding(isHidden: (name: string) => boolean): BackupTarget {
  const target = new FolderTarget(fixture.stick);
  const listed = (names: string[]) => names.filter((name) => !isHidden(name));
  return {
    list: async (prefix) => listed(await target.list(prefix)),
    sizes: async (prefix) => new Map([...(await target.sizes(prefix))].filter(([name]) => !isHidden(name))),
    read: (name) => target.read(name),
    write: (name, bytes) => target.write(name, bytes),
    remove: (name) => target.remove(name),
    removeUnfinished: () => target.removeUnfinished(),
  };
}

const objects = () => readdirSync(fixture.stick, { recursive: true }).map(String).sort();
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: { code?: string }) => error.code ?? String(error),
  );

test("no object is deleted when the record of its snapshot is not listed", async () => {
  await fixture.backUp();
  const before = objects();
  const [newest] = before.filter((name) => name.startsWith("snapshots/")).slice(-1);
  for (const isHidden of [
    (name: string) => name.startsWith("snapshots/"),
    (name: string) => name === newest,
  ]) {
    expect(await codeOf(runBackup(hiding(isHidden), fixture.job()))).toBe("backup.list_incomplete");
    expect(objects()).toEqual(before);
  }
  const folder = join(fixture.root, "restored");
  await fixture.restore(folder);
  expect(await fixture.values(folder)).toEqual({ right: fixture.valuesWritten, wrong: 0 });
});

test("the record of a place, whose salt all backups need, is not replaced when it is not listed", async () => {
  const record = () => readFileSync(join(fixture.stick, "repository.json"), "utf8");
  const before = record();
  await runBackup(
    hiding((name) => name.startsWith("repository")),
    fixture.job(),
  );
  expect(record()).toBe(before);
});

test("a backup whose number is lower than others because they were not listed fails, and the next one is the newest", async () => {
  await fixture.backUp();
  const before = objects();
  // Until its first object is written.
  const target = hiding((name) => before.includes(name) && objects().length === before.length);
  expect(await codeOf(runBackup(target, fixture.job()))).toBe("backup.list_incomplete");
  const { id } = await fixture.backUp();
  const report = await fixture.restore(join(fixture.root, "newest"));
  expect(report.record.id).toBe(id);
});

test("objects that a server did not have for once are read again by the next backup", async () => {
  fixture.change("lineside.db", (db) => db.run("UPDATE item SET text = hex(randomblob(40))"));
  const before = objects();
  const isGone = (name: string) => name.startsWith("packs/") && before.includes(name);
  const target = hiding(isGone);
  const read = (name: string) => target.read(isGone(name) ? "packs/none" : name);
  const { place } = await runBackup({ ...target, read }, fixture.job());
  expect(place.damagedSnapshots).toHaveLength(1);
  expect((await fixture.backUp()).place.damagedSnapshots).toEqual([]);
});

test("a restoration of the newest backup does not take an older one in silence when a record is not listed, or read wrongly once", async () => {
  const { id } = await fixture.backUp();
  const name = `snapshots/${id}.json`;
  const options = {
    dataPath: join(fixture.root, "none"),
    passphrase: fixture.passphrase,
    snapshot: undefined,
  };
  expect(
    await codeOf(
      restore(
        hiding((other) => other === name),
        options,
      ),
    ),
  ).toBe("backup.list_incomplete");
  let reads = 0;
  const target = hiding(() => false);
  const read = (other: string) => target.read(other === name && reads++ === 0 ? "repository.json" : other);
  const { record, unreadable } = await restore({ ...target, read }, options);
  expect([record.id < id, unreadable]).toEqual([true, [name]]);
});

test("a backup whose objects another program removes before its record is written fails", async () => {
  const before = objects();
  const target = hiding(() => false);
  const write = async (name: string, bytes: Uint8Array) => {
    const others = objects().filter((other) => other.startsWith("maps/") && !before.includes(other));
    if (name.startsWith("snapshots/")) for (const other of others) await target.remove(other);
    await target.write(name, bytes);
  };
  expect(await codeOf(runBackup({ ...target, write }, fixture.job()))).toBe("backup.object_missing");
});
