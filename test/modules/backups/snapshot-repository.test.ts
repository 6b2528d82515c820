// Backups of small databases into a folder, encrypted or not, and into one file: what is written, kept, refused and restored.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BackupJob, runBackup } from "../../../src/modules/backups/backup-job.ts";
import { prepareRestoration, restore } from "../../../src/modules/backups/restore-job.ts";
import type { BackupTarget } from "../../../src/modules/backups/snapshot.types.ts";
import { SnapshotReader } from "../../../src/modules/backups/snapshot-reader.ts";
import { BackupRepository } from "../../../src/modules/backups/snapshot-repository.ts";
import { ArchiveReader, ArchiveWriter } from "../../../src/modules/backups/targets/archive-target.ts";
import { FolderTarget } from "../../../src/modules/backups/targets/folder-target.ts";
import { ownSchemas } from "../../../src/platform/database/data-schemas.ts";
import { openDataDirectory } from "../../../src/platform/files/data-directory.ts";
import { takeFileLock } from "../../../src/platform/files/file-lock.ts";
import { beginInventory } from "../../../src/platform/files/inventory.ts";
import { KEY_BYTES, KEY_NAMES } from "../../../src/platform/secrets/secret-keys.ts";
import { createOtherDatabases } from "../../support/other-databases.ts";

const ROWS = 2_000;
let root: string;
let data: string;
let stick: string;
let now: number;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lineside-backup-"));
  data = join(root, "data");
  stick = join(root, "stick");
  beginInventory(data);
  mkdirSync(join(data, "secrets"), { recursive: true });
  mkdirSync(stick);
  now = Date.parse("2026-03-02T03:30:00Z");
  for (const key of KEY_NAMES) writeFileSync(join(data, "secrets", key), "k".repeat(KEY_BYTES));
  for (const name of ["lineside.db", "telemetry.db"])
    write(name, (db) => {
      db.run("CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)");
      const insert = db.prepare("INSERT INTO item VALUES (?, ?)");
      for (let id = 0; id < ROWS; id++) insert.run(id, `${name} ${id} ${crypto.randomUUID().repeat(8)}`);
      insert.finalize();
    });
  createOtherDatabases(data);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(name: string, work: (db: Database) => void): void {
  const db = new Database(join(data, name), { create: true });
  db.run("PRAGMA journal_mode=WAL");
  db.transaction(() => work(db))();
  db.close();
}

const read = (folder: string, name: string): unknown[] => {
  const db = new Database(join(folder, name));
  try {
    return db.query("SELECT * FROM item ORDER BY id").all();
  } finally {
    db.close();
  }
};

const backUp = (target: BackupTarget, options: Partial<BackupJob> = {}) =>
  runBackup(target, {
    dataPath: data,
    lineside: "test",
    now: () => now,
    bytesPerSecond: 1e12,
    opensAll: true,
    passphrase: undefined,
    retention: undefined,
    machine: undefined,
    verifyDays: 14,
    ...options,
  });

const restoreInto = (
  target: BackupTarget,
  folder: string,
  options: { passphrase?: string; snapshot?: string } = {},
) => restore(target, { dataPath: folder, passphrase: options.passphrase, snapshot: options.snapshot });

/** Returns the objects of a folder with their bytes. */
const objectsOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

describe("a backup into a folder", () => {
  test("is restored with every row and every key", async () => {
    const result = await backUp(new FolderTarget(stick));
    expect(result.opened).toEqual(["mqtt.db", "telemetry.db", "identity.db", "lineside.db"]);
    const other = join(root, "other");
    await restoreInto(new FolderTarget(stick), other);
    for (const name of ["lineside.db", "telemetry.db"]) expect(read(other, name)).toEqual(read(data, name));
    expect(readFileSync(join(other, "secrets", "storage.key"), "utf8")).toBe("k".repeat(32));
  });

  test("adds only what is new", async () => {
    const first = await backUp(new FolderTarget(stick));
    write("telemetry.db", (db) => db.run("UPDATE item SET text = 'changed' WHERE id = 7"));
    const second = await backUp(new FolderTarget(stick));
    expect(second.addedBytes).toBeLessThan(first.addedBytes * 0.05);
    await restoreInto(new FolderTarget(stick), join(root, "other"));
    expect(read(join(root, "other"), "telemetry.db")).toEqual(read(data, "telemetry.db"));
  });

  test("restores an earlier backup by its id", async () => {
    const before = read(data, "lineside.db");
    const { id } = await backUp(new FolderTarget(stick));
    now += 60_000;
    write("lineside.db", (db) => db.run("DELETE FROM item WHERE id % 2 = 0"));
    await backUp(new FolderTarget(stick));
    await restoreInto(new FolderTarget(stick), join(root, "other"), { snapshot: id });
    expect(read(join(root, "other"), "lineside.db")).toEqual(before);
  });

  test("keeps the newest of each day and week, and removes what only others used", async () => {
    const target = new FolderTarget(stick);
    const start = now;
    for (let day = 0; day < 30; day++) {
      now = start + day * 86_400_000;
      write("lineside.db", (db) => db.run(`UPDATE item SET text = 'day ${day}' WHERE id % 30 = ${day}`));
      await backUp(target, { retention: { daily: 3, weekly: 2 } });
    }
    const repository = await BackupRepository.open(target, undefined);
    const snapshots = await repository.snapshots();
    // 29 to 31 March, and Sunday the 29th as the newest of the week before.
    expect(snapshots.map(({ id }) => id.slice(7, 15))).toEqual(["20260329", "20260330", "20260331"]);
    const used = new Set(snapshots.flatMap(({ packs }) => packs.map(({ name }) => name)));
    expect(await target.list("packs/")).toEqual([...used].sort());
    for (const snapshot of snapshots)
      await new SnapshotReader(repository, snapshot).verify(join(root, "check"));
  });

  test("writes sparsely used packs anew, so that old ones give their room back", async () => {
    const target = new FolderTarget(stick);
    await backUp(target);
    for (let round = 0; round < 60; round++) {
      now += 86_400_000;
      const first = (round * 733) % (ROWS - 400);
      write("telemetry.db", (db) =>
        db.run(`UPDATE item SET text = hex(randomblob(140)) WHERE id BETWEEN ${first} AND ${first + 400}`),
      );
      await backUp(target, { retention: { daily: 1, weekly: 0 } });
    }
    for (let round = 0; round < 5; round++) await backUp(target);
    const repository = await BackupRepository.open(target, undefined);
    const snapshot = await repository.snapshot(undefined);
    const live = new Map<number, number>();
    for (const map of (await repository.maps(snapshot)).values()) map.countLive(live);
    const shares = snapshot.packs.map(({ pages }, pack) => (live.get(pack) ?? 0) / pages);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.3);
  });

  test("refuses a folder that is not there, and the folder of another gateway", async () => {
    await expect(backUp(new FolderTarget(join(root, "unplugged")))).rejects.toMatchObject({
      code: "backup.folder_missing",
    });
    await backUp(new FolderTarget(stick));
    writeFileSync(join(data, "secrets", "storage.key"), "x".repeat(32));
    await expect(backUp(new FolderTarget(stick))).rejects.toMatchObject({ code: "backup.other_gateway" });
  });

  test("is refused while another one runs", async () => {
    const lock = takeFileLock(join(data, "backup.lock"));
    await expect(backUp(new FolderTarget(stick))).rejects.toMatchObject({ code: "backup.running" });
    lock?.release();
    await backUp(new FolderTarget(stick));
  });

  test("never counts when the target fails, and leaves the ones before whole", async () => {
    const folder = new FolderTarget(stick);
    await backUp(folder);
    write("telemetry.db", (db) => db.run("UPDATE item SET text = hex(randomblob(200))"));
    const objects = (await folder.list("packs/")).length + 2;
    for (const failing of ["packs/", "maps/", "snapshots/"]) {
      const target: BackupTarget = {
        list: (prefix) => folder.list(prefix),
        sizes: (prefix) => folder.sizes(prefix),
        removeUnfinished: () => folder.removeUnfinished(),
        read: (name) => folder.read(name),
        remove: (name) => folder.remove(name),
        write: (name, bytes) =>
          name.startsWith(failing) ? Promise.reject(new Error("stick pulled")) : folder.write(name, bytes),
      };
      await expect(backUp(target)).rejects.toThrow("stick pulled");
    }
    const repository = await BackupRepository.open(folder, undefined);
    expect(await repository.snapshots()).toHaveLength(1);
    await new SnapshotReader(repository, await repository.snapshot(undefined)).verify(join(root, "check"));
    await repository.prune([]);
    expect((await folder.list("")).length + (await folder.list("packs/")).length).toBeLessThanOrEqual(
      objects + 4,
    );
  });

  test("does not count when the database is damaged", async () => {
    const path = join(data, "lineside.db");
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4_096, 8_192);
    writeFileSync(path, bytes);
    await expect(backUp(new FolderTarget(stick))).rejects.toThrow();
    expect(await new FolderTarget(stick).list("snapshots/")).toEqual([]);
  });

  test("tells which object is damaged, byte by byte", async () => {
    await backUp(new FolderTarget(stick));
    const packs = join(stick, "packs");
    for (const name of readdirSync(packs)) {
      const path = join(packs, name);
      const bytes = readFileSync(path);
      for (const position of [0, Math.floor(bytes.length / 2), bytes.length - 1]) {
        const damaged = Buffer.from(bytes);
        damaged[position] = (damaged[position] ?? 0) ^ 0xff; // a single bit may stand for the same content
        writeFileSync(path, damaged);
        await expect(restoreInto(new FolderTarget(stick), join(root, "other"))).rejects.toMatchObject({
          code: "backup.object_damaged",
          params: { name: `packs/${name}` },
        });
      }
      writeFileSync(path, bytes);
    }
  });
});

describe("an encrypted backup", () => {
  test("shows nothing of its content, and is restored with the passphrase alone", async () => {
    await backUp(new FolderTarget(stick), { passphrase: "correct horse" });
    for (const path of objectsOf(stick)) expect(readFileSync(path).includes("telemetry.db")).toBe(false);
    const other = join(root, "other");
    await expect(restoreInto(new FolderTarget(stick), other)).rejects.toMatchObject({
      code: "backup.passphrase_missing",
    });
    await expect(restoreInto(new FolderTarget(stick), other, { passphrase: "wrong" })).rejects.toMatchObject({
      code: "backup.passphrase_wrong",
    });
    await restoreInto(new FolderTarget(stick), other, { passphrase: "correct horse" });
    expect(read(other, "telemetry.db")).toEqual(read(data, "telemetry.db"));
  });

  test("refuses objects that changed places", async () => {
    await backUp(new FolderTarget(stick), { passphrase: "correct horse" });
    const [snapshot = ""] = readdirSync(join(stick, "snapshots"));
    const [map = ""] = readdirSync(join(stick, "maps"));
    writeFileSync(join(stick, "snapshots", snapshot), readFileSync(join(stick, "maps", map)));
    expect(
      restoreInto(new FolderTarget(stick), join(root, "other"), { passphrase: "correct horse" }),
    ).rejects.toMatchObject({ code: "backup.object_damaged" });
  });

  test("is not mixed with plain ones", async () => {
    await backUp(new FolderTarget(stick));
    await expect(backUp(new FolderTarget(stick), { passphrase: "later" })).rejects.toMatchObject({
      code: "backup.not_encrypted",
    });
  });
});

describe("an archive", () => {
  test("is one file that restores the gateway", async () => {
    const file = join(root, "gateway.backup");
    const writer = new ArchiveWriter(file);
    await backUp(writer);
    writer.finish();
    const reader = new ArchiveReader(file);
    await restoreInto(reader, join(root, "other"));
    reader.close();
    expect(read(join(root, "other"), "lineside.db")).toEqual(read(data, "lineside.db"));
  });

  test("is refused when it is cut off anywhere", async () => {
    const file = join(root, "gateway.backup");
    const writer = new ArchiveWriter(file);
    await backUp(writer);
    writer.finish();
    const bytes = readFileSync(file);
    for (const length of [0, 10, 40, Math.floor(bytes.length / 2), bytes.length - 1]) {
      writeFileSync(file, bytes.subarray(0, length));
      expect(() => new ArchiveReader(file)).toThrow("This file is not a complete backup archive.");
    }
  });
});

describe("a restoration", () => {
  test("that was interrupted leaves the present data in place", async () => {
    await backUp(new FolderTarget(stick));
    const [pack = ""] = readdirSync(join(stick, "packs"));
    rmSync(join(stick, "packs", pack));
    const before = read(data, "lineside.db");
    await expect(restoreInto(new FolderTarget(stick), data)).rejects.toMatchObject({
      code: "backup.object_missing",
    });
    openDataDirectory(data).release();
    expect(read(data, "lineside.db")).toEqual(before);
    expect(readdirSync(data)).not.toContain("restoring");
  });

  test("that is complete takes the place of all databases at the next start", async () => {
    const before = read(data, "lineside.db");
    await backUp(new FolderTarget(stick));
    write("lineside.db", (db) => db.run("DELETE FROM item"));
    write("mqtt.db", (db) => db.run("INSERT INTO item (text) VALUES ('newer')"));
    await prepareRestoration(new FolderTarget(stick), {
      dataPath: data,
      passphrase: undefined,
      snapshot: undefined,
      schemas: ownSchemas(),
    });
    expect(read(data, "lineside.db")).toEqual([]);
    openDataDirectory(data).release();
    expect(read(data, "lineside.db")).toEqual(before);
    expect(read(data, "mqtt.db")).toEqual([]);
  });

  test("is refused while a gateway runs on the data", async () => {
    await backUp(new FolderTarget(stick));
    const directory = openDataDirectory(data);
    await expect(restoreInto(new FolderTarget(stick), data)).rejects.toMatchObject({
      code: "backup.gateway_running",
    });
    directory.release();
  });
});

test("the newest backup is the last one made, also after the clock was set back", async () => {
  const target = new FolderTarget(stick);
  await backUp(target);
  now -= 400 * 86_400_000;
  write("lineside.db", (db) => db.run("DELETE FROM item"));
  const { id } = await backUp(target, { retention: { daily: 1, weekly: 0 } });
  expect((await (await BackupRepository.open(target, undefined)).snapshot(undefined)).id).toBe(id);
});
