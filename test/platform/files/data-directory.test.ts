import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkDatabases } from "../../../src/cli/check-databases.ts";
import { type DataDirectory, openDataDirectory } from "../../../src/platform/files/data-directory.ts";
import { KEY_NAMES } from "../../../src/platform/secrets/secret-keys.ts";

let path: string;
let data: DataDirectory;

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "lineside-test-"));
  data = openDataDirectory(path);
});
afterEach(async () => {
  data.release();
  await rm(path, { recursive: true });
});

test("a secret stays the same, for its owner's eyes only", async () => {
  const secret = data.secret("key", 32);
  expect(secret).toHaveLength(32);
  expect(Buffer.from(data.secret("key", 32))).toEqual(Buffer.from(secret));
  expect((await stat(join(path, "secrets", "key"))).mode & 0o777).toBe(0o600);
  expect((await readdir(join(path, "secrets"))).sort()).toEqual(["key", ...KEY_NAMES].sort());
});

test("files and folders that others could read are for the owner alone from the next start on", async () => {
  await mkdir(join(path, "other"));
  data.secret("key", 32);
  for (const name of ["lineside.db", "telemetry.db-wal", "ballast", "notes.txt"])
    await writeFile(join(path, name), "");
  const loose = ["lineside.db", "telemetry.db-wal", "ballast", "notes.txt", "secrets/key"];
  for (const name of loose) await chmod(join(path, name), 0o644);
  for (const name of [".", "secrets", "other"]) await chmod(join(path, name), 0o755);
  await symlink(join(path, "notes.txt"), join(path, "secrets", "linked"));
  data.release();
  data = openDataDirectory(path);
  const modes = [".", "secrets", "other", ...loose].map(async (name) => [
    name,
    ((await stat(join(path, name))).mode & 0o777).toString(8),
  ]);
  expect(Object.fromEntries(await Promise.all(modes))).toEqual({
    ".": "700",
    secrets: "700",
    other: "755",
    "lineside.db": "600",
    "telemetry.db-wal": "600",
    ballast: "600",
    "notes.txt": "644",
    "secrets/key": "600",
  });
  await writeFile(join(path, "new"), "");
  expect((await stat(join(path, "new"))).mode & 0o777).toBe(0o600);
});

test.each([
  "lineside.db-synced",
  "identity.db-wal",
  "mqtt.db-wal",
  "telemetry.db",
  "clock",
  "gateway.json",
  "inventory.json",
  "secrets/storage.key",
  "secrets/jwt.key.next",
])("a broken link, a folder or a pipe in place of %s is named in one sentence", async (name) => {
  data.release();
  const file = join(path, name);
  await rename(file, join(path, "kept")).catch(() => undefined);
  await symlink("/nowhere/at/all", file);
  expect(() => openDataDirectory(path)).toThrow(`${file} is a broken link to /nowhere/at/all. Put back`);
  await rm(file);
  await symlink(file, file);
  expect(() => openDataDirectory(path)).toThrow(`${file} is a broken link to ${file}. Put back`);
  expect(checkDatabases(path).map(({ problems }) => problems.join())).toContain(
    `${file} is a broken link to ${file}`,
  );
  await rm(file);
  await mkdir(file);
  expect(() => openDataDirectory(path)).toThrow(`${file} is a folder, but a file belongs there. Put back`);
  await rm(file, { recursive: true });
  Bun.spawnSync(["mkfifo", file]);
  expect(() => openDataDirectory(path)).toThrow(`${file} is a pipe or device, but a file belongs there. Put`);
  expect(checkDatabases(path).map(({ problems }) => problems.join())).toContain(
    `${file} is a pipe or device, but a file belongs there`,
  );
  await rm(file);
  await rename(join(path, "kept"), file).catch(() => undefined);
  data = openDataDirectory(path);
});

test.each([
  "lineside.db",
  "lineside.db-wal",
  "telemetry.db-synced",
  "telemetry.db-position",
  "telemetry.db-hot1",
  "clock",
  "ballast",
  "inventory.json",
])("a link to a file in place of %s is refused, and the file stays as it is", async (name) => {
  data.release();
  const file = join(path, name);
  const other = join(path, "notes.txt");
  await writeFile(other, "notes");
  await rename(file, join(path, "kept")).catch(() => undefined);
  await symlink(other, file);
  expect(() => openDataDirectory(path)).toThrow(
    `${file} is a link to ${other}, but a file belongs there. Put`,
  );
  expect(checkDatabases(path).map(({ problems }) => problems.join())).toContain(
    `${file} is a link to ${other}, but a file belongs there`,
  );
  expect(await readFile(other, "utf8")).toBe("notes");
  await rm(file);
  await rename(join(path, "kept"), file).catch(() => undefined);
  data = openDataDirectory(path);
});

test("a secret that was cut off while it was written is never used", async () => {
  for (const length of [0, 2, 31]) {
    const file = join(path, "secrets", `key${length}`);
    data.secret(`key${length}`, 32);
    await truncate(file, length);
    const renewed = data.secret(`key${length}`, 32);
    expect(renewed).toHaveLength(32);
    expect(Buffer.from(data.secret(`key${length}`, 32))).toEqual(Buffer.from(renewed));
  }
});

let holder: Bun.Subprocess | undefined;
afterEach(async () => {
  holder?.kill();
  await holder?.exited;
  holder = undefined;
});

/** A command that holds the lock of the directory for a time in ms, or until it is killed. */
async function holding(ms: number): Promise<Bun.Subprocess> {
  const lock = join(import.meta.dir, "../../../src/platform/files/file-lock.ts");
  const script = `const { takeFileLock } = await import(${JSON.stringify(lock)});
    const held = takeFileLock(${JSON.stringify(join(path, "lineside.lock"))});
    console.log(held === undefined ? "taken" : "held");
    setTimeout(() => { held.release(); setInterval(() => {}, 1e6); }, ${ms});`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  holder = child;
  expect(new TextDecoder().decode(value).trim()).toBe("held");
  return child;
}

test("a start waits for a command that holds the lock for a moment", async () => {
  data.release();
  const command = await holding(1_500);
  data = openDataDirectory(path);
  expect(command.exitCode).toBeNull();
});

test.skipIf(process.platform !== "linux")("a start does not wait where another gateway runs", async () => {
  data.release();
  const gateway = await holding(60_000);
  await writeFile(
    join(path, "gateway.json"),
    JSON.stringify({ url: "http://127.0.0.1:1", pid: gateway.pid }),
  );
  expect(() => openDataDirectory(path)).toThrow("Another Lineside is running");
  gateway.kill();
  await gateway.exited;
  data = openDataDirectory(path);
});
