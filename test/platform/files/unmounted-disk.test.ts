// A disk that is not mounted: its mount point is an empty folder, on which a new gateway would start.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unmountedPointOf } from "../../../src/platform/files/unmounted-disk.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lineside-mounts-"));
  writeFileSync(
    join(folder, "fstab"),
    [
      "# /dev/sdx /commented ext4 defaults 0 2",
      "UUID=1 / ext4 defaults 0 1",
      "UUID=2 none swap sw 0 0",
      "UUID=3\t/mnt/data/ ext4 defaults,nofail 0 2",
      "UUID=4 /mnt/with\\040space ext4 defaults 0 2",
      "UUID=5 /mnt/stick vfat noauto,user 0 0",
      "UUID=6 /mnt/present ext4 defaults 0 2",
      "",
    ].join("\n"),
  );
  writeFileSync(join(folder, "mounts"), "/dev/sda1 / ext4 rw 0 0\n/dev/sdb1 /mnt/present ext4 rw 0 0\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["/mnt/data/lineside", "/mnt/data"],
  ["/mnt/data", "/mnt/data"],
  ["/mnt/with space/lineside", "/mnt/with space"],
  ["/mnt/database", undefined],
  ["/mnt/stick/lineside", undefined],
  ["/mnt/present/lineside", undefined],
  ["/commented/lineside", undefined],
  ["/var/lib/lineside", undefined],
])("a data directory in %s is on the unmounted disk %p", (path, point) => {
  const files = { expected: join(folder, "fstab"), mounted: join(folder, "mounts") };
  expect(unmountedPointOf(path, files)).toBe(point);
  expect(unmountedPointOf(path, { ...files, expected: join(folder, "none") })).toBeUndefined();
});
