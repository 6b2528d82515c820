// A file system that the kernel has given up after an error: it refuses writes, and some kernels still call it writable.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../src/platform/core/log.ts";
import { DiskGuard } from "../../src/platform/files/disk-guard.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { mountLoopDisk } from "../support/loop-disk.ts";
import { until } from "../support/until.ts";

const home = mkdtempSync(join(tmpdir(), "lineside-read-only-"));
const disk = mountLoopDisk(home, 16);
if (disk === undefined) console.warn("not run: this process may not mount a file system");
afterAll(() => {
  disk?.unmount();
  rmSync(home, { recursive: true, force: true });
});

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
