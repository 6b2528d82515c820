// An end while databases are open, as after a failure of the disk that keeps a part from stopping.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../../src/platform/core/log.ts";
import { openMainDatabase } from "../../../src/platform/database/database.ts";
import { walLossOf } from "../../../src/platform/database/wal-position.ts";

test("no database is taken for damaged after an end that closes none", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lineside-end-"));
  try {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "end-process-child.ts"), directory], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    expect([await child.exited, await new Response(child.stdout).text()]).toEqual([74, "last line\n"]);
    const file = join(directory, "identity.db");
    expect(walLossOf(file)).toBeUndefined();
    const database = openMainDatabase(file, "identity", createLogger());
    expect(database.sqlite.query("SELECT value FROM kept").values()).toEqual([[1]]);
    database.close();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
