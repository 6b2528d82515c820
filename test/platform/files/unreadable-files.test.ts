// Files with a sector that the disk cannot read any more.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeSystemError } from "../../../src/platform/process/system-errors.ts";
import { createTestApp } from "../../support/test-app.ts";

const root = mkdtempSync(join(tmpdir(), "lineside-unreadable-"));
const killed = join(root, "killed");

const run = (...command: string[]): boolean => Bun.spawnSync(command, { stderr: "ignore" }).exitCode === 0;
/** Puts a file in its place whose reading fails with EIO. */
const fail = (path: string): boolean => run("mount", "--bind", `/proc/${process.pid}/mem`, path);
const mend = (path: string): boolean => run("umount", "-l", path);

const probe = join(root, "probe");
await Bun.write(probe, "");
const mayMount = process.getuid?.() === 0 && fail(probe) && mend(probe);
if (!mayMount) console.warn("not run: this process may not mount a file");

async function started(name: string): Promise<string[]> {
  const data = mkdtempSync(join(root, "data-"));
  cpSync(killed, data, { recursive: true });
  fail(join(data, name));
  try {
    const fixture = await createTestApp({ directory: data });
    const codes = fixture.app.health.problems().map(({ code }) => code);
    await fixture.stop();
    return codes;
  } finally {
    mend(join(data, name));
  }
}

describe.skipIf(!mayMount)("a start with a file that cannot be read", () => {
  beforeAll(async () => {
    const data = join(root, "live");
    await (await createTestApp({ directory: data })).stop();
    const fixture = await createTestApp({ directory: data });
    cpSync(data, killed, { recursive: true });
    await fixture.stop();
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test.each([
    ["clock", "system.clock_unknown"],
    ["telemetry.db-position", "storage.lost"],
    ["lineside.db-synced", "storage.lost"],
  ])("goes on without %s, which holds no data, and says so", async (name, code) => {
    expect(await started(name)).toContain(code);
  });

  test.each(["secrets/storage.key", "lineside.db-wal"])(
    "is refused without %s, and names the file",
    async (name) => {
      const error = await started(name).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(describeSystemError(error)).toContain(`${name}). Check the system log`);
    },
  );
});

const mayChangeUser = process.getuid?.() === 0 && Bun.which("setpriv") !== null;

/** Runs a script as another user, who may read the folder, and returns its output. */
function asOther(folder: string, script: string): string {
  chmodSync(folder, 0o755);
  const user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];
  const { stdout } = Bun.spawnSync([...user, process.execPath, "-e", script], { env: { HOME: folder } });
  rmSync(folder, { recursive: true });
  return stdout.toString();
}
const moduleOf = (path: string) => JSON.stringify(join(import.meta.dir, "../../../src/platform", path));

test.skipIf(!mayChangeUser)("an inventory without access is not taken for a damaged one", () => {
  const data = mkdtempSync(join(tmpdir(), "lineside-access-"));
  writeFileSync(join(data, "inventory.json"), "{}", { mode: 0o600 });
  const script = `import { readRecord } from ${moduleOf("files/inventory-record.ts")};
    try { console.log(readRecord(${JSON.stringify(data)})); } catch (error) { console.log(error.code, error.path); }`;
  expect(asOther(data, script)).toBe(`EACCES ${join(data, "inventory.json")}\n`);
});

test.skipIf(!mayChangeUser).each(["identity.db", "identity.db-wal", "identity.db-shm"])(
  "%s that may only be read is named, and its database not opened for writing",
  (name) => {
    const data = mkdtempSync(join(tmpdir(), "lineside-access-"));
    const file = join(data, "identity.db");
    const database = new Database(file, { create: true });
    database.run("CREATE TABLE item (id INTEGER)");
    database.close();
    for (const suffix of ["-wal", "-shm"]) writeFileSync(file + suffix, "");
    for (const other of readdirSync(data)) chmodSync(join(data, other), other === name ? 0o644 : 0o666);
    const script = `import { openDatabaseFile } from ${moduleOf("database/database-file.ts")};
      try { openDatabaseFile(${JSON.stringify(file)}, "create"); } catch (error) { console.log(error.code, error.path); }`;
    expect(asOther(data, script)).toBe(`EACCES ${join(data, name)}\n`);
  },
);
