// What a run proves about the place and about the data that it backs up, and what it writes anew.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gatewayIdOf } from "../../../src/modules/backups/backup-job.ts";
import type { BackupTarget } from "../../../src/modules/backups/snapshot.types.ts";
import { SnapshotReader } from "../../../src/modules/backups/snapshot-reader.ts";
import { BackupRepository } from "../../../src/modules/backups/snapshot-repository.ts";
import { FolderTarget } from "../../../src/modules/backups/targets/folder-target.ts";
import { acceptFiles, DATABASE_FILES } from "../../../src/platform/files/inventory.ts";
import { verifyInventory } from "../../../src/platform/files/inventory-check.ts";
import { KEY_BYTES, KEY_NAMES } from "../../../src/platform/secrets/secret-keys.ts";
import { BackupFixture, DAY_MS } from "./backup-fixture.ts";

const VALUES = 500;
let fixture: BackupFixture;

beforeEach(async () => {
  fixture = new BackupFixture();
  await fixture.fill(VALUES);
});
afterEach(() => fixture.dispose());

const packs = () =>
  readdirSync(fixture.object("packs"))
    .sort()
    .map((name) => `packs/${name}`);

async function verifyAll(): Promise<void> {
  const repository = await fixture.repository();
  for (const record of await repository.snapshots())
    expect(
      (await new SnapshotReader(repository, record).verify(join(fixture.root, "check"))).problems,
    ).toEqual([]);
}

/** Counts what is read from the place. */
function counted(): { target: BackupTarget; reads: string[] } {
  const [folder, reads] = [new FolderTarget(fixture.stick), [] as string[]];
  return {
    reads,
    target: {
      list: (prefix) => folder.list(prefix),
      sizes: (prefix) => folder.sizes(prefix),
      read: (name) => {
        reads.push(name);
        return folder.read(name);
      },
      write: (name, bytes) => folder.write(name, bytes),
      remove: (name) => folder.remove(name),
      removeUnfinished: () => folder.removeUnfinished(),
    },
  };
}

describe("a damaged place", () => {
  test.each([
    ["missing", (path: string) => rmSync(path)],
    ["cut", (path: string) => truncateSync(path, 1_000)],
    ["flipped", (path: string) => fixture.flip(path, 2_000)],
  ])("has a pack that is %s written anew, and older backups read it", async (_, damage) => {
    const first = await fixture.backUp();
    fixture.now += DAY_MS;
    const [pack = ""] = packs();
    damage(fixture.object(pack));
    const { place } = await fixture.backUp();
    expect(place.damagedObjects).toEqual([pack]);
    expect(place.repairedSnapshots).toEqual([first.id]);
    expect(place.damagedSnapshots).toEqual([]);
    await verifyAll();
    expect(existsSync(fixture.object(pack))).toBe(false);
    fixture.now += DAY_MS;
    expect((await fixture.backUp()).place.damagedObjects).toEqual([]);
  });

  test("names the backups whose pages have changed since, which are restored in part", async () => {
    const { id } = await fixture.backUp();
    fixture.now += DAY_MS;
    fixture.change("lineside.db", (db) => db.run("UPDATE item SET text = hex(randomblob(40))"));
    const [pack = ""] = packs();
    rmSync(fixture.object(pack));
    const { place } = await fixture.backUp();
    expect(place.damagedSnapshots).toEqual([id]);
    const other = join(fixture.root, "other");
    await expect(fixture.restore(other, { snapshot: id })).rejects.toMatchObject({
      code: "backup.object_missing",
    });
    expect(existsSync(join(other, "restoring"))).toBe(false);
    const { skipped, problems } = await fixture.restore(other, { snapshot: id, skipsDamaged: true });
    expect(skipped).toEqual(["lineside.db"]);
    expect(problems).toEqual([]);
    expect(await fixture.values(other)).toEqual({ right: fixture.valuesWritten, wrong: 0 });
    fixture.now += DAY_MS;
    expect((await fixture.backUp()).place.damagedSnapshots).toEqual([id]);
  });

  test("is read back within the days that are asked for", async () => {
    for (let day = 0; day < 6; day++) {
      await fixture.fill(20);
      await fixture.backUp({ opensAll: false });
      fixture.now += DAY_MS;
    }
    const written = packs();
    const { target, reads } = counted();
    fixture.target = target;
    const late = new Set(written);
    for (let day = 0; day < 5; day++) {
      const result = await fixture.backUp({ opensAll: true, verifyDays: 5 });
      expect(result.place.checkedObjects).toBeGreaterThan(0);
      fixture.now += DAY_MS;
    }
    for (const name of reads) late.delete(name);
    expect([...late]).toEqual([]);
  });

  test("is read back when it is due, whatever times a list of checks has", async () => {
    for (let day = 0; day < 6; day++) {
      await fixture.fill(20);
      await fixture.backUp({ opensAll: false });
      fixture.now += DAY_MS;
    }
    const strange = packs().map((name, index) => [name, index % 2 === 0 ? { at: "x" } : null]);
    const list = { format: 1, objects: Object.fromEntries(strange) };
    writeFileSync(fixture.object("checks.json"), JSON.stringify(list));
    const { target, reads } = counted();
    fixture.target = target;
    await fixture.backUp({ opensAll: true, verifyDays: 5 });
    for (const name of packs().slice(0, 3)) expect([...reads]).toContain(name); // written four days ago or earlier
  });

  test("with a damaged record, page map or list of checks stops nothing", async () => {
    const first = await fixture.backUp();
    fixture.now += DAY_MS;
    await fixture.fill(20);
    const second = await fixture.backUp();
    fixture.now += DAY_MS;
    writeFileSync(fixture.object(`snapshots/${second.id}.json`), "{");
    writeFileSync(fixture.object("snapshots/notes.json"), "of somebody else");
    writeFileSync(fixture.object("checks.json"), "[1");
    const third = await fixture.backUp({ retention: { daily: 7, weekly: 4 } });
    expect(third.place.damagedObjects).toContain(`snapshots/${second.id}.json`);
    expect(third.place.damagedSnapshots).toEqual([second.id]);
    expect((await (await fixture.repository()).snapshots()).map(({ id }) => id)).toEqual([
      first.id,
      third.id,
    ]);
    // Somebody may read the record still.
    const ids = packs().map((name) => name.slice(6, 12));
    expect(new Set(ids)).toEqual(new Set(["000001", "000002", "000003"].filter((id) => ids.includes(id))));
    expect(readdirSync(fixture.object("maps"))).toHaveLength(3);
    fixture.now += DAY_MS;
    rmSync(fixture.object(`maps/${third.id}`));
    const fourth = await fixture.backUp();
    expect(fourth.place.damagedSnapshots).toEqual([second.id, third.id]);
    const other = join(fixture.root, "other");
    await fixture.restore(other);
    expect(await fixture.values(other)).toEqual({ right: fixture.valuesWritten, wrong: 0 });
  });

  test("with a damaged repository record is opened by its copy, also when it is encrypted", async () => {
    fixture.passphrase = "correct horse";
    await fixture.backUp();
    fixture.flip(fixture.object("repository.json"), 60);
    await fixture.restore(join(fixture.root, "other"));
    expect(fixture.rows(join(fixture.root, "other"))).toEqual(fixture.rows(fixture.data));
    fixture.now += DAY_MS;
    await fixture.backUp();
    rmSync(fixture.object("repository-copy.json"));
    await fixture.restore(join(fixture.root, "another"));
  });

  test("keeps nothing of a run that failed, so that the next one has its room", async () => {
    await fixture.backUp();
    const before = readdirSync(fixture.stick, { recursive: true }).sort();
    await fixture.fill(VALUES);
    const folder = new FolderTarget(fixture.stick);
    fixture.target = {
      ...counted().target,
      write: (name, bytes) => failing(name) ?? folder.write(name, bytes),
    };
    const failing = (name: string) =>
      name.startsWith("maps/") ? Promise.reject(new Error("no room")) : undefined;
    await expect(fixture.backUp()).rejects.toThrow("no room");
    expect(readdirSync(fixture.stick, { recursive: true }).sort()).toEqual(before);
    writeFileSync(fixture.object("packs/half.new"), "of a run that was killed");
    fixture.target = folder;
    await fixture.backUp();
    expect(packs()).not.toContain("packs/half.new");
  });
});

describe("damaged telemetry", () => {
  test("is named, and never takes the place of the last good backup", async () => {
    const good = await fixture.backUp({ retention: { daily: 2, weekly: 0 } });
    fixture.rot(3);
    let newest = good;
    for (let day = 0; day < 6; day++) {
      fixture.now += DAY_MS;
      newest = await fixture.backUp({ retention: { daily: 2, weekly: 0 } });
      expect(newest.problems).toHaveLength(3);
    }
    const kept = (await (await fixture.repository()).snapshots()).map(({ id }) => id);
    expect(kept).toHaveLength(3);
    expect([kept[0], kept.at(-1)]).toEqual([good.id, newest.id]);
    const other = join(fixture.root, "other");
    await fixture.restore(other, { snapshot: good.id });
    expect(await fixture.values(other)).toEqual({ right: fixture.valuesWritten, wrong: 0 });
    expect((await fixture.restore(join(fixture.root, "newest"))).problems).toHaveLength(3);
  });

  test("in the log is found as well", async () => {
    const [log = ""] = readdirSync(fixture.data).filter((name) => name.startsWith("telemetry.db-hot"));
    fixture.flip(join(fixture.data, log), 3_000);
    const { problems } = await fixture.backUp();
    expect(problems.length).toBeGreaterThan(0);
  });
});

describe("a restoration in part", () => {
  test("replaces one database and its log, and leaves the others", async () => {
    await fixture.backUp();
    const before = fixture.valuesWritten;
    await fixture.fill(VALUES);
    const rows = fixture.rows(fixture.data);
    await fixture.restore(fixture.data, { only: ["telemetry"] });
    expect(fixture.rows(fixture.data)).toEqual(rows);
    expect(await fixture.values(fixture.data)).toEqual({ right: before, wrong: 0 });
    await fixture.restore(fixture.data, { only: ["lineside"] });
    expect(fixture.rows(fixture.data)).toHaveLength(VALUES);
  });

  test("is refused after the backup's keys were replaced", async () => {
    await fixture.backUp();
    writeFileSync(join(fixture.data, "secrets", "outbound.key"), "x".repeat(32));
    await expect(fixture.restore(fixture.data, { only: ["lineside"] })).rejects.toMatchObject({
      code: "backup.other_keys",
    });
    await fixture.restore(fixture.data, { only: ["telemetry"] });
    expect(readFileSync(join(fixture.data, "secrets", "outbound.key"), "utf8")).toBe("x".repeat(32));
  });

  test("of another gateway is refused, and leaves this one's data", async () => {
    await fixture.backUp();
    const other = join(fixture.root, "other");
    mkdirSync(join(other, "secrets"), { recursive: true });
    for (const key of KEY_NAMES) writeFileSync(join(other, "secrets", key), key.padEnd(KEY_BYTES, "."));
    writeFileSync(join(other, "telemetry.db"), "its own");
    await expect(fixture.restore(other, { only: ["telemetry"] })).rejects.toMatchObject({
      code: "backup.other_gateway",
    });
    expect(readFileSync(join(other, "telemetry.db"), "utf8")).toBe("its own");
    expect(existsSync(join(other, "restoring"))).toBe(false);
  });
});

describe("a restoration of what is readable", () => {
  /** Damages the first page of databases in a backup. */
  async function backUpWithout(...names: string[]): Promise<void> {
    await fixture.backUp();
    const repository = await fixture.repository();
    const maps = await repository.maps(await repository.snapshot(undefined));
    const [pack = ""] = packs();
    for (const name of names) {
      const [[block] = []] = [...(maps.get(name)?.livePages() ?? [])];
      fixture.flip(fixture.object(pack), (block?.offset ?? 0) + 20);
    }
  }

  test("keeps a database that the backup lacks, and the keys that it is sealed with", async () => {
    await backUpWithout("lineside.db");
    const key = join(fixture.data, "secrets", "storage.key");
    writeFileSync(key, "n".repeat(32));
    const before = readFileSync(join(fixture.data, "lineside.db"));
    await expect(fixture.restore(fixture.data, { skipsDamaged: true })).rejects.toMatchObject({
      code: "backup.other_keys",
    });
    expect(readFileSync(key, "utf8")).toBe("n".repeat(32));
    expect(readFileSync(join(fixture.data, "lineside.db")).equals(before)).toBe(true);
    writeFileSync(key, "k".repeat(32));
    expect((await fixture.restore(fixture.data, { skipsDamaged: true })).skipped).toEqual(["lineside.db"]);
    expect(readFileSync(join(fixture.data, "lineside.db")).equals(before)).toBe(true);
  });

  for (const names of [["lineside.db", "identity.db"], ["telemetry.db"]])
    test(`without ${names.join(" and ")} is not mixed with what another gateway has`, async () => {
      await backUpWithout(...names);
      const other = join(fixture.root, "other");
      mkdirSync(join(other, "secrets"), { recursive: true });
      for (const key of KEY_NAMES) writeFileSync(join(other, "secrets", key), key.padEnd(KEY_BYTES, "."));
      for (const name of ["lineside.db", "telemetry.db"]) writeFileSync(join(other, name), "its own");
      await expect(fixture.restore(other, { skipsDamaged: true })).rejects.toMatchObject({
        code: "backup.other_gateway",
      });
      for (const name of ["lineside.db", "telemetry.db"])
        expect(readFileSync(join(other, name), "utf8")).toBe("its own");
    });

  test("of nothing is refused", async () => {
    await fixture.backUp();
    const [pack = ""] = packs();
    rmSync(fixture.object(pack));
    const other = join(fixture.root, "other");
    await expect(fixture.restore(other, { skipsDamaged: true })).rejects.toMatchObject({
      code: "backup.object_damaged",
    });
    expect(existsSync(other)).toBe(false);
  });

  test("into an empty directory makes no gateway that starts without the rest", async () => {
    await backUpWithout("lineside.db");
    const other = join(fixture.root, "other");
    await fixture.restore(other, { skipsDamaged: true });
    expect(() => verifyInventory(other)).toThrow("lineside.db is missing");
  });
});

test("a clone of the gateway is refused at its place, until it takes over", async () => {
  await fixture.backUp({ machine: "one" });
  await expect(fixture.backUp({ machine: "two" })).rejects.toMatchObject({ code: "backup.other_machine" });
  await BackupRepository.takeOver(fixture.target, {
    passphrase: undefined,
    gateway: gatewayIdOf(fixture.data),
    machine: "two",
  });
  await fixture.backUp({ machine: "two" });
  await expect(fixture.backUp({ machine: "one" })).rejects.toMatchObject({ code: "backup.other_machine" });
});

test("a copy of the data beside its running gateway is refused at its place", async () => {
  acceptFiles(fixture.data, DATABASE_FILES);
  await fixture.backUp();
  const copy = join(fixture.root, "copy");
  cpSync(fixture.data, copy, { recursive: true });
  const ofCopy = () => fixture.backUp({ dataPath: copy });
  const child = Bun.spawn(["sh", "-c", "exec 9<$0/telemetry.db; echo ready; read line", fixture.data], {
    stdin: "pipe",
    stdout: "pipe",
  });
  await child.stdout.getReader().read();
  writeFileSync(
    join(fixture.data, "gateway.json"),
    JSON.stringify({ url: "http://localhost", pid: child.pid }),
  );
  await expect(ofCopy()).rejects.toMatchObject({ code: "backup.other_copy" });
  await fixture.backUp();
  child.kill();
  await child.exited;
  await ofCopy();
  await fixture.backUp();
});
