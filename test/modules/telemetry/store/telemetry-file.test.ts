import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PAGE_BYTES, TelemetryFile } from "../../../../src/modules/telemetry/store/telemetry-file.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-file-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const COMMITS = 50;

/** Opens what a crash would leave of the file now. */
function openCopy(path: string): TelemetryFile {
  const copy = `${path}.copy`;
  for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, copy + suffix);
  return new TelemetryFile(copy);
}

const edit = (file: TelemetryFile) => file.transact(() => file.db.run("UPDATE sealed SET hot = hot + 1"));

test("what a reader keeps in the log does not count until it has left", () => {
  const path = join(directory, "telemetry.db");
  const file = new TelemetryFile(path);
  const reader = new Database(path, { readonly: true });
  file.checkpoint("TRUNCATE");
  reader.run("BEGIN");
  reader.query("SELECT count(*) FROM sealed").get();
  for (let commit = 0; commit < COMMITS; commit++) edit(file);
  expect(file.walBytes).toBeGreaterThanOrEqual(COMMITS * PAGE_BYTES);
  file.checkpoint();
  expect(file.walBytes).toBe(0);
  edit(file);
  expect(file.walBytes).toBeGreaterThan(0);
  expect(file.walBytes).toBeLessThan(COMMITS * PAGE_BYTES);
  reader.run("COMMIT");
  file.checkpoint();
  // The next transaction begins the log anew.
  edit(file);
  const copy = openCopy(path);
  expect(copy.walBytes).toBeLessThan(COMMITS * PAGE_BYTES);
  copy.close();
  reader.close();
  file.close();
});

test("the log that a crash leaves counts towards the next checkpoint", () => {
  const path = join(directory, "telemetry.db");
  const file = new TelemetryFile(path);
  file.checkpoint("TRUNCATE");
  for (let commit = 0; commit < COMMITS; commit++) edit(file);
  const crashed = openCopy(path);
  expect(crashed.walBytes).toBeGreaterThanOrEqual(COMMITS * PAGE_BYTES);
  crashed.close();
  file.checkpoint("TRUNCATE");
  const stopped = openCopy(path);
  expect(stopped.walBytes).toBe(0);
  stopped.close();
  file.close();
});
