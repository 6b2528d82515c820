// Backups with what no run has written, and data directories with files that do not belong to a gateway.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Of } from "../../../src/modules/backups/pack-writer.ts";
import { PageMap } from "../../../src/modules/backups/page-map.ts";
import type { SnapshotRecord } from "../../../src/modules/backups/snapshot.types.ts";
import { SnapshotReader } from "../../../src/modules/backups/snapshot-reader.ts";
import { FolderTarget } from "../../../src/modules/backups/targets/folder-target.ts";
import { BackupFixture } from "./backup-fixture.ts";

let fixture: BackupFixture;

beforeAll(async () => {
  fixture = new BackupFixture();
  await fixture.fill(10);
});
const emptyStick = () => {
  rmSync(fixture.stick, { recursive: true });
  mkdirSync(fixture.stick);
};
beforeEach(emptyStick);
afterEach(() => rmSync(join(fixture.root, "restored"), { recursive: true, force: true }));
afterAll(() => fixture.dispose());

const secret = (name: string, folder = fixture.data) => join(folder, "secrets", name);

async function verify() {
  const repository = await fixture.repository();
  return new SnapshotReader(repository, await repository.snapshot(undefined)).verify(
    join(fixture.root, "check"),
  );
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: { code?: string }) => error.code ?? String(error),
  );

describe("a backup of a data directory", () => {
  test.each(["storage.key~", "my key.pem", "schlüssel.pem"])(
    "restores the file %p of its keys",
    async (name) => {
      writeFileSync(secret(name), "own");
      await fixture.backUp();
      await verify();
      const folder = join(fixture.root, "restored");
      await fixture.restore(folder);
      expect(readFileSync(secret(name, folder), "utf8")).toBe("own");
      rmSync(secret(name));
    },
  );

  test("leaves out what an editor or an interrupted write has left beside the keys", async () => {
    for (const name of [".storage.key.swp", "storage.key.new"]) writeFileSync(secret(name), "rest");
    await fixture.backUp();
    await verify();
    const folder = join(fixture.root, "restored");
    await fixture.restore(folder);
    expect(readdirSync(join(folder, "secrets")).toSorted()).toEqual(
      readdirSync(join(fixture.data, "secrets"))
        .filter((name) => !name.includes(".swp") && !name.endsWith(".new"))
        .toSorted(),
    );
  });

  test("is refused while a key is being replaced, which it could not restore", async () => {
    writeFileSync(secret("storage.key.next"), "n".repeat(32));
    expect(await codeOf(fixture.backUp())).toBe("backup.key_begun");
    rmSync(secret("storage.key.next"));
    await fixture.backUp();
  });
});

describe("a backup that somebody else has written", () => {
  beforeAll(async () => {
    emptyStick();
    await fixture.backUp();
    cpSync(fixture.stick, join(fixture.root, "kept"), { recursive: true });
  });
  beforeEach(() => cpSync(join(fixture.root, "kept"), fixture.stick, { recursive: true }));

  /** Changes the record of the newest backup, with a checksum that is right. */
  function forge(change: (record: SnapshotRecord & Record<string, unknown>) => void): void {
    const [file = ""] = readdirSync(fixture.object("snapshots"));
    const name = `snapshots/${file}`;
    const { record } = JSON.parse(readFileSync(fixture.object(name), "utf8"));
    change(record);
    const sha256 = sha256Of(Buffer.from(JSON.stringify([name, record])));
    writeFileSync(fixture.object(name), JSON.stringify({ record, sha256 }));
  }
  const database = (fields: object) => (record: SnapshotRecord) =>
    void Object.assign(record.databases[0] ?? {}, fields);
  const outcomes = async () => [
    await codeOf(verify()),
    await codeOf(fixture.restore(join(fixture.root, "restored"))),
  ];

  test.each<[string, (record: SnapshotRecord & Record<string, unknown>) => void]>([
    ["no databases", (record) => void Object.assign(record, { databases: null })],
    [
      "a database twice",
      (record) => void Object.assign(record, { databases: [record.databases[0], record.databases[0]] }),
    ],
    ["a path as a database", database({ name: "../../x.db" })],
    ["a negative number of pages", database({ pages: -5 })],
    ["a text as a number of pages", database({ pages: "x" })],
    ["pages without bytes", database({ pageBytes: 0 })],
    ["pages of a terabyte", database({ pageBytes: 2 ** 40 })],
    ["a path as a map", (record) => void Object.assign(record.maps, { name: "../../../../etc/passwd" })],
    [
      "a path as a pack",
      (record) => void Object.assign(record.packs[0] ?? {}, { name: "../../../../dev/zero" }),
    ],
    ["a number as a file", (record) => void Object.assign(record, { files: [{ path: 5, base64: {} }] })],
    ["a path as its id", (record) => void Object.assign(record, { id: "../../../x" })],
  ])("with %s is damaged", async (_, change) => {
    forge(change);
    expect(await outcomes()).toEqual(["backup.object_damaged", "backup.object_damaged"]);
  });

  test.each([
    ["thousands of times larger than its pages allow", Buffer.alloc(64 * 1024 * 1024)],
    ["shorter than it says", Buffer.from([0, 0, 0, 0, 0, 0, 0, 64])],
  ])("with a map that is %s is damaged", async (_, map) => {
    forge((record) => {
      const bytes = Bun.zstdCompressSync(map);
      writeFileSync(fixture.object(record.maps.name), bytes);
      Object.assign(record.maps, { sha256: sha256Of(bytes), bytes: bytes.length });
    });
    expect(await outcomes()).toEqual(["backup.object_damaged", "backup.object_damaged"]);
  });

  test("whose page maps take more memory than there is, is not restored", async () => {
    const { databases } = await (await fixture.repository()).snapshot(undefined);
    const pages = databases.reduce((sum, part) => sum + part.pages, 0);
    // Too little for the pages, and enough for them but not for their blocks.
    for (const memoryMax of [1_000, PageMap.memoryOf(pages, 1)])
      expect(await codeOf(fixture.restore(join(fixture.root, "restored"), { memoryMax }))).toBe(
        "backup.too_little_memory",
      );
    expect(await outcomes()).toEqual([undefined, undefined]);
  });

  test("with more lists and objects than a gateway writes is damaged, and not parsed", async () => {
    forge((record) => void Object.assign(record, { more: Array.from({ length: 300_000 }, () => ({})) }));
    expect(await outcomes()).toEqual(["backup.object_damaged", "backup.object_damaged"]);
  });

  test("is read without fields that no gateway writes", async () => {
    forge((record) => {
      Object.assign(record, { more: [{}] });
      Object.assign(record.packs[0] ?? {}, { more: [{}] });
    });
    const record = await (await fixture.repository()).snapshot(undefined);
    expect(JSON.stringify(record)).not.toContain("more");
    expect(await outcomes()).toEqual([undefined, undefined]);
  });

  test("with page maps for much more than the gateway has is no base of the next backup", async () => {
    const pages = 2_000_000;
    forge((record) => {
      const [first] = record.databases;
      const lengths = record.databases.map((part) => (part === first ? 8 + pages * 12 : 8));
      const maps = lengths.flatMap((length, index) => {
        const head = Buffer.alloc(12);
        head.writeBigUInt64LE(BigInt(length));
        head.writeUInt32LE(index === 0 ? pages : 0, 8);
        return [head, Buffer.alloc(length - 4)];
      });
      const bytes = Bun.zstdCompressSync(Buffer.concat(maps));
      writeFileSync(fixture.object(record.maps.name), bytes);
      Object.assign(record.maps, { sha256: sha256Of(bytes), bytes: bytes.length });
      for (const part of record.databases) Object.assign(part, { pages: part === first ? pages : 0 });
    });
    const repository = await fixture.repository();
    const read: string[] = [];
    const target = new FolderTarget(fixture.stick);
    const readObject = target.read.bind(target);
    target.read = (name) => {
      read.push(name);
      return readObject(name);
    };
    fixture.target = target;
    const [forged] = (await repository.survey()).records;
    const result = await fixture.backUp();
    fixture.target = new FolderTarget(fixture.stick);
    expect(read).not.toContain(forged?.maps.name);
    expect(result.place.damagedSnapshots).toEqual([]);
    expect(await outcomes()).toEqual([undefined, undefined]);
  });

  test("with a file that a restoration refuses is not good", async () => {
    forge(({ files }) => void (files as unknown[]).push({ path: "lineside.toml", base64: "" }));
    expect(await outcomes()).toEqual(["backup.file_unknown", "backup.file_unknown"]);
  });

  test("with a pipe in place of a pack is damaged, and nobody waits for it", async () => {
    const [pack = ""] = readdirSync(fixture.object("packs"));
    rmSync(fixture.object(`packs/${pack}`));
    Bun.spawnSync(["mkfifo", fixture.object(`packs/${pack}`)]);
    expect(existsSync(fixture.object(`packs/${pack}`))).toBe(true);
    expect(await outcomes()).toEqual(["backup.object_damaged", "backup.object_damaged"]);
  });
});
