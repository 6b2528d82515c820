// Disks that fail while backups are read or written: sectors that cannot be read any more, and the last free bytes.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agedSnapshots } from "../../../src/modules/backups/backup-job.ts";
import { ArchiveWriter } from "../../../src/modules/backups/targets/archive-target.ts";
import { mountLoopDisk } from "../../support/loop-disk.ts";
import { BackupFixture, DAY_MS } from "./backup-fixture.ts";

/** A file that can be found and opened, and answers a read with EIO. */
const UNREADABLE = "/proc/self/mem";

describe.skipIf(!existsSync(UNREADABLE))("a place with a sector that cannot be read", () => {
  let fixture: BackupFixture;
  let folder: string;
  let ids: string[];

  beforeEach(async () => {
    fixture = new BackupFixture();
    folder = join(fixture.root, "restored");
    ids = [];
    for (let day = 0; day < 3; day++) {
      await fixture.fill(60);
      ids.push((await fixture.backUp()).id);
      fixture.now += DAY_MS;
    }
  });
  afterEach(() => fixture.dispose());

  function fail(name: string): void {
    expect(() => readFileSync(UNREADABLE)).toThrow("EIO");
    rmSync(fixture.object(name));
    symlinkSync(UNREADABLE, fixture.object(name));
  }
  const first = (prefix: string) => `${prefix}/${readdirSync(fixture.object(prefix)).sort()[0]}`;

  test.each(["repository.json", "checks.json", "the oldest record", "the oldest maps"])(
    "in %s restores the newest backup, and backs up again",
    async (kind) => {
      const oldest: Record<string, string> = {
        "the oldest record": first("snapshots"),
        "the oldest maps": first("maps"),
      };
      fail(oldest[kind] ?? kind);
      const states = await agedSnapshots(await fixture.repository());
      expect(states.map(({ id }) => id).sort()).toEqual(ids);
      await fixture.restore(folder);
      expect(await fixture.values(folder)).toEqual({ right: fixture.valuesWritten, wrong: 0 });
      await fixture.backUp({ verifyDays: 1 });
    },
  );

  test("in a pack restores the rest on demand, and the next backup writes the pack anew", async () => {
    const pack = `packs/${readdirSync(fixture.object("packs")).sort().at(-1)}`;
    fail(pack);
    await expect(fixture.restore(folder)).rejects.toMatchObject({
      code: "backup.object_damaged",
      params: { name: pack },
    });
    const { damaged, skipped } = await fixture.restore(folder, { skipsDamaged: true });
    expect(damaged.length + skipped.length).toBeGreaterThan(0);
    const { place } = await fixture.backUp({ verifyDays: 1 });
    expect(place.damagedObjects).toEqual([pack]);
    const other = join(fixture.root, "other");
    await fixture.restore(other);
    expect(await fixture.values(other)).toEqual({ right: fixture.valuesWritten, wrong: 0 });
  });
});

test.skipIf(!existsSync(UNREADABLE))(
  "telemetry that the disk cannot read is named, and the rest of the gateway is backed up",
  async () => {
    const fixture = new BackupFixture();
    await fixture.fill(60);
    const telemetry = join(fixture.data, "telemetry.db");
    const descriptors = new Map([[telemetry, openSync(UNREADABLE, "r")]]);
    const { problems } = await fixture.backUp({ descriptors });
    expect(problems).toContain("telemetry.db: the page at byte 0 cannot be read");
    const [{ isGood } = {}] = await agedSnapshots(await fixture.repository());
    expect(isGood).toBe(false);
    const rows = fixture.rows(fixture.data);
    await fixture.fill(60);
    await fixture.restore(fixture.data, { only: ["lineside"] });
    expect(fixture.rows(fixture.data)).toEqual(rows);
    fixture.dispose();
  },
);

const ENTRY_BYTES = 1_000_001;

test("an archive holds every object whose writing did not fail, up to the last byte of the disk", async () => {
  const home = mkdtempSync(join(tmpdir(), "lineside-archive-"));
  const disk = mountLoopDisk(home, 8);
  if (disk === undefined) return console.warn("not run: this process may not mount a file system");
  try {
    const { bavail, bsize } = statfsSync(disk.path);
    const writer = new ArchiveWriter(join(disk.path, "a.backup"));
    const written: string[] = [];
    const fill = async () => {
      for (let entry = 0; entry * ENTRY_BYTES <= bavail * bsize; entry++) {
        await writer.write(`packs/${entry}`, new Uint8Array(ENTRY_BYTES));
        written.push(`packs/${entry}`);
      }
    };
    await expect(fill()).rejects.toMatchObject({ code: "ENOSPC" });
    for (const name of written) expect((await writer.read(name)).length).toBe(ENTRY_BYTES);
    writer.abandon();
    expect(readdirSync(disk.path)).not.toContain("a.backup.new");
  } finally {
    disk.unmount();
    rmSync(home, { recursive: true, force: true });
  }
});
