// A file system that the kernel has given up after an error: it refuses writes, and some kernels still call it writable.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runBackup } from "../../src/modules/backups/backup-job.ts";
import { FolderTarget } from "../../src/modules/backups/targets/folder-target.ts";
import { createLogger } from "../../src/platform/core/log.ts";
import { openMainDatabase } from "../../src/platform/database/database.ts";
import { checkDatabase } from "../../src/platform/database/database-check.ts";
import { DiskGuard } from "../../src/platform/files/disk-guard.ts";
import { isReadOnlyFolder } from "../../src/platform/files/write-fault.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { mountLoopDisk } from "../support/loop-disk.ts";
import { until } from "../support/until.ts";

const home = mkdtempSync(join(tmpdir(), "lineside-read-only-"));
const disk = mountLoopDisk(home, 16);
if (disk === undefined) console.warn("not run: this process may not mount a file system");
afterAll(() => {
  disk?.unmount();
  full?.unmount();
  readOnly?.unmount();
  rmSync(home, { recursive: true, force: true });
});

const full = mountLoopDisk(mkdtempSync(join(home, "full-")), 16);

// SQLite calls a write that a quota refuses a failed one, and the free space of the file system does not show the quota. A full disk stands in for it.
test.skipIf(full === undefined)(
  "a write without space is no failed disk, and data waits for space",
  async () => {
    const clock = new FakeClock();
    const directory = full?.path ?? "";
    const space = { free: 1e9, total: 1e9 };
    const guard = new DiskGuard({
      directory,
      freeBytesMin: 0,
      clock,
      log: createLogger("test"),
      readSpace: async () => space,
    });
    await guard.start();
    const refused = Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_WRITE" });
    expect(guard.whyFailed(refused)).toBe("failed");
    expect(guard.whyFailed(Object.assign(new Error("full"), { code: "SQLITE_FULL" }))).toBe("full"); // of whatever disk
    expect(guard.problem()).toBeUndefined();
    const filler = join(directory, "filler");
    expect(() => writeFileSync(filler, new Uint8Array(32 << 20))).toThrow();
    expect(guard.whyFailed(refused)).toBe("full");
    expect(guard.problem()).toMatchObject({ severity: "UNREADY", code: "storage.disk_full" });
    expect(() => guard.ensureRoom()).toThrow();
    expect(existsSync(join(directory, "ballast"))).toBe(false);
    rmSync(filler);
    await until(() => {
      clock.advance(2_000);
      return guard.problem() === undefined;
    });
    guard.ensureRoom();
    expect(readdirSync(directory)).toContain("ballast");
    guard.stop();
  },
);

const readOnly = mountLoopDisk(mkdtempSync(join(home, "only-")), 16);

test.skipIf(readOnly === undefined)(
  "a database of a stopped gateway is checked on a read-only disk",
  async () => {
    const path = readOnly?.path ?? "";
    const folder = join(path, "data? #1");
    mkdirSync(folder);
    const log = createLogger("test");
    openMainDatabase(join(folder, "lineside.db"), "lineside", log).close();
    expect(isReadOnlyFolder(folder)).toBe(false);
    expect(Bun.spawnSync(["mount", "-o", "remount,ro", path]).exitCode).toBe(0);
    expect(isReadOnlyFolder(folder)).toBe(true);
    expect(checkDatabase(join(folder, "lineside.db"))).toEqual([]);
    const job = { dataPath: folder } as Parameters<typeof runBackup>[1];
    await expect(runBackup(new FolderTarget(path), job)).rejects.toMatchObject({ code: "backup.read_only" });
  },
);

describe.skipIf(disk === undefined)("a file system that the kernel has given up", () => {
  test("is noticed without a write, and is fatal when it lasts", async () => {
    const clock = new FakeClock();
    const directory = disk?.path ?? "";
    const guard = new DiskGuard({ directory, freeBytesMin: 0, clock, log: createLogger("test") });
    await guard.start();
    expect(guard.problem()).toBeUndefined();
    disk?.abort();
    const severities = new Set<string | undefined>();
    await until(() => {
      clock.advance(2_000);
      severities.add(guard.problem()?.severity);
      return severities.has("FATAL");
    });
    guard.stop();
    expect([...severities]).toContain("UNREADY");
    expect(guard.problem()?.code).toBe("storage.file_system_read_only");
  });
});
