// SQLite has no checksums: damage within stored JSON leaves the structure of a database intact, and only reading the value finds it.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runBackup } from "../../src/modules/backups/backup-job.ts";
import { restore } from "../../src/modules/backups/restore-job.ts";
import { FolderTarget } from "../../src/modules/backups/targets/folder-target.ts";
import { checkDatabase } from "../../src/platform/database/database-check.ts";
import { readStampOf } from "../../src/platform/database/database-stamp.ts";
import { JSON_COLUMNS } from "../../src/platform/database/stored-json.ts";
import { DATABASE_FILES } from "../../src/platform/files/inventory.ts";
import { StartupError } from "../../src/platform/process/startup-error.ts";
import { jsonColumns } from "../security/full-tenant.ts";
import { createTestApp } from "../support/test-app.ts";
import { createTenantObjects } from "./tenant-objects.ts";

const config = { outbound_allow: "127.0.0.1" };
let root: string;
let directory: string;
let owner: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "lineside-values-"));
  directory = join(root, "data");
  await mkdir(join(root, "place"));
  const fixture = await createTestApp({ directory, config });
  const { token, user } = await fixture.signIn("TENANT_OWNER");
  await createTenantObjects(fixture, { token, user });
  await fixture.stop();
  owner = token;
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Cuts the values of a column. Returns a function that puts them back. */
function damage(table: string, column: string): () => void {
  const database = new Database(join(directory, "lineside.db"));
  database.run(`CREATE TABLE kept AS SELECT rowid AS row, "${column}" AS value FROM "${table}"`);
  database.run(`UPDATE "${table}" SET "${column}" = substr("${column}", 1, 1) || '"'`);
  database.close();
  return () => {
    const repaired = new Database(join(directory, "lineside.db"));
    repaired.run(`UPDATE "${table}" SET "${column}" = (SELECT value FROM kept WHERE row = "${table}".rowid)`);
    repaired.run("DROP TABLE kept");
    repaired.close();
  };
}

const problems = () => checkDatabase(join(directory, "lineside.db"));

test("every column with JSON is checked, and intact ones are not taken for damaged", async () => {
  const checked = [...JSON_COLUMNS].flatMap(([table, names]) => names.map((name) => `${table}.${name}`));
  expect((await jsonColumns()).filter((column) => !checked.includes(column))).toEqual([]);
  expect(problems()).toEqual([]);
});

test("a start that needs a damaged value names it, and so does the check", async () => {
  const repair = damage("uplinks", "target");
  const error = await createTestApp({ directory, config }).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(StartupError);
  expect(String(error)).toContain("uplinks (column target) is damaged");
  expect(problems()).toEqual([expect.stringMatching(/^uplinks\.target is damaged in \S+ rows?$/)]);
  repair();
  expect(problems()).toEqual([]);
});

test("a running gateway that meets a damaged value responds with the reason and names it", async () => {
  const repair = damage("data_pipelines", "steps");
  const fixture = await createTestApp({ directory, config });
  const { status, body } = await fixture.call("GET", "/api/data-pipelines", { token: owner });
  expect([status, (body as { code: string }).code]).toEqual([503, "storage.unreadable"]);
  const { body: ready } = await fixture.call("GET", "/readyz");
  expect(JSON.stringify(ready)).toContain("storage.unreadable");
  await fixture.stop();
  repair();
});

test("a backup names damaged values, and does not count as a good one", async () => {
  const repair = damage("uplinks", "target");
  const result = await runBackup(new FolderTarget(join(root, "place")), {
    dataPath: directory,
    lineside: "1",
    now: () => Date.now(),
    bytesPerSecond: 1e9,
    opensAll: true,
    verifyDays: 7,
    passphrase: undefined,
    machine: undefined,
    retention: undefined,
  });
  expect(result.problems).toEqual([expect.stringMatching(/^lineside\.db: uplinks\.target is damaged/)]);
  repair();
  // Restored without a word, it would only end the next start with the same reason.
  const [target, dataPath] = [new FolderTarget(join(root, "place")), join(root, "restored")];
  const job = { dataPath, passphrase: undefined, snapshot: undefined };
  const error = await restore(target, job).catch((failure: unknown) => failure);
  expect(error).toMatchObject({ code: "backup.value_damaged" });
  expect(existsSync(join(dataPath, "lineside.db"))).toBe(false);
  const report = await restore(target, { ...job, skipsDamaged: true });
  expect(report.problems).toEqual([expect.stringMatching(/^lineside\.db: uplinks\.target is damaged/)]);
});

test.each(DATABASE_FILES)("a start replaces damaged check values of keys in %s", async (file) => {
  const path = join(directory, file);
  const database = new Database(path);
  database.run("UPDATE __inventory SET keys = substr(keys, 1, 9)");
  database.close();
  const fixture = await createTestApp({ directory, config });
  await fixture.stop();
  expect(Object.keys(readStampOf(path)?.keys ?? {})).toContain("storage.key");
});
