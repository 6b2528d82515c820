// The commands backup and restore as a person runs them: what they refuse, what they say, and their exit codes.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { prepareRestoration } from "../../src/modules/backups/restore-job.ts";
import { FolderTarget } from "../../src/modules/backups/targets/folder-target.ts";
import { ownSchemas } from "../../src/platform/database/data-schemas.ts";
import { takeFileLock } from "../../src/platform/files/file-lock.ts";
import { BackupFixture } from "../modules/backups/backup-fixture.ts";
import { mountLoopDisk } from "../support/loop-disk.ts";
import { PROGRAM } from "../support/program.ts";

let fixture: BackupFixture;

beforeAll(async () => {
  fixture = new BackupFixture();
  await fixture.fill(500);
});
afterAll(() => fixture.dispose());

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([...PROGRAM, ...args], {
    env: { ...process.env, LC_ALL: "C", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { output, errors, code };
}
const backup = (args: readonly string[], env?: Record<string, string>) =>
  run(["backup", ...args, "--data", fixture.data], env);

test("an empty passphrase is refused, whether it comes from a file or a variable", async () => {
  const [place, file] = [join(fixture.root, "plain"), join(fixture.root, "passphrase")];
  mkdirSync(place);
  writeFileSync(file, "\n");
  const byFile = await backup(["--to", place, "--passphrase-file", file]);
  expect([byFile.code, byFile.errors]).toEqual([
    1,
    `lineside backup: The passphrase file ${file} is empty. Write a passphrase to it, or leave out --passphrase-file for unencrypted backups.\n`,
  ]);
  const byVariable = await backup(["--to", place], { LINESIDE_BACKUP_PASSPHRASE: "" });
  expect([byVariable.code, byVariable.errors]).toEqual([
    1,
    expect.stringContaining("LINESIDE_BACKUP_PASSPHRASE must be a non-empty string."),
  ]);
  const missing = await backup(["--to", place, "--passphrase-file", join(fixture.root, "none")]);
  expect([missing.code, missing.errors.split("\n").length]).toEqual([1, 2]);
  expect(readdirSync(place)).toEqual([]);
});

test("a place or archive in the data directory is refused, and nothing is written", async () => {
  const before = readFileSync(join(fixture.data, "lineside.db"));
  for (const args of [
    ["--archive", join(fixture.data, "lineside.db")],
    ["--archive", join(fixture.data, "new.backup")],
    ["--to", fixture.data],
    ["--to", join(fixture.data, "backups")],
    ["--to", fixture.root],
  ]) {
    const { code, errors } = await backup(args);
    expect([code, errors]).toEqual([1, expect.stringContaining("is in the data directory, or contains it.")]);
  }
  expect(readFileSync(join(fixture.data, "lineside.db")).equals(before)).toBe(true);
  expect(readdirSync(fixture.data)).not.toContain("backups");
});

test("verifying all backups of an empty place fails", async () => {
  const place = join(fixture.root, "emptied");
  mkdirSync(place);
  expect((await backup(["--to", place])).code).toBe(0);
  rmSync(join(place, "snapshots"), { recursive: true });
  const { code, errors } = await backup(["verify", "--all", "--to", place]);
  expect([code, errors]).toEqual([1, expect.stringContaining("no backup")]);
});

test("backups are verified beside a backup of the gateway, and by one command at a time", async () => {
  expect((await backup(["--to", fixture.stick])).code).toBe(0);
  const copy = join(fixture.data, "backup-check", "lineside.db");
  mkdirSync(dirname(copy));
  writeFileSync(copy, "checked by the gateway");
  expect((await backup(["verify", "--to", fixture.stick])).code).toBe(0);
  expect(existsSync(copy)).toBe(true);
  const lock = takeFileLock(join(fixture.data, "backup-verify.lock"));
  const second = await backup(["verify", "--to", fixture.stick]);
  lock?.release();
  expect([second.code, second.errors]).toEqual([
    1,
    expect.stringContaining("Another command verifies backups."),
  ]);
  rmSync(fixture.stick, { recursive: true });
  mkdirSync(fixture.stick);
});

test("all backups are verified, and a damaged one is named with exit code 1", async () => {
  expect((await backup(["--to", fixture.stick])).code).toBe(0);
  fixture.change("lineside.db", (db) => db.run("UPDATE item SET text = hex(randomblob(40))"));
  expect((await backup(["--to", fixture.stick])).code).toBe(0);
  const whole = await backup(["verify", "--all", "--to", fixture.stick]);
  expect([whole.code, whole.errors]).toEqual([0, ""]);
  expect(whole.output).toContain("2 backups, 0 damaged.");
  const [pack = ""] = readdirSync(fixture.object("packs")).sort();
  rmSync(fixture.object(`packs/${pack}`));
  const damaged = await backup(["verify", "--all", "--to", fixture.stick]);
  expect(damaged.code).toBe(1);
  expect(damaged.output).toContain("2 backups, 2 damaged.");
  expect(
    damaged.errors.split("\n").filter((line) => line.includes(`packs/${pack} is missing.`)),
  ).toHaveLength(2);
  const next = await backup(["--to", fixture.stick]);
  expect(next.code).toBe(1);
  expect(next.errors).toContain(`packs/${pack} at the backup place is missing or damaged.`);
  expect((await backup(["verify", "--to", fixture.stick])).code).toBe(0);
  expect((await backup(["list", "--to", fixture.stick])).output).toContain("damaged");
});

test("a refused archive leaves nothing where it was to be restored", async () => {
  const archive = join(fixture.root, "gateway.backup");
  expect((await backup(["--archive", archive])).code).toBe(0);
  const bytes = readFileSync(archive);
  const middle = Math.floor(bytes.length / 2);
  writeFileSync(archive, bytes.fill(0, middle, middle + 4_096));
  const fresh = join(fixture.root, "fresh");
  const { code, errors } = await run(["restore", "--from", archive, "--data", join(fresh, "nested")]);
  expect([code, errors]).toEqual([1, expect.stringMatching(/^lineside restore: .+\n$/)]);
  expect(existsSync(fresh)).toBe(false);
  mkdirSync(fresh);
  expect((await run(["restore", "--from", archive, "--data", fresh])).code).toBe(1);
  expect(readdirSync(fresh)).toEqual([]);
});

test("a missing location, or a location without backups, is refused with what to do", async () => {
  const data = join(fixture.root, "restored");
  const missing = await run(["restore", "--from", "/nope", "--data", data]);
  expect([missing.code, missing.errors]).toEqual([
    1,
    "lineside restore: --from /nope does not exist. Connect the drive with the backups, or name the folder, archive file or s3:// bucket that has them.\n",
  ]);
  const place = join(fixture.root, "empty");
  mkdirSync(place);
  const empty = await run(["restore", "--from", place, "--data", data]);
  expect([empty.code, empty.errors]).toEqual([
    1,
    expect.stringContaining("Specify the folder, archive file"),
  ]);
});

test("one database is restored by its name", async () => {
  const rows = fixture.rows(fixture.data);
  await fixture.fill(500);
  const more = fixture.rows(fixture.data);
  const from = ["--from", fixture.stick, "--data", fixture.data];
  expect((await run(["restore", ...from, "--only", "lineside"])).errors).toContain("--replace");
  expect((await run(["restore", ...from, "--replace", "--only", "all"])).errors).toContain(
    "--only takes lineside, identity, telemetry, mqtt",
  );
  expect((await run(["restore", ...from, "--replace", "--only", "telemetry"])).code).toBe(0);
  expect(fixture.rows(fixture.data)).toEqual(more);
  expect((await run(["restore", ...from, "--replace", "--only", "lineside,identity"])).code).toBe(0);
  expect(fixture.rows(fixture.data)).toEqual(rows);
});

test("a full disk is named without a stack, and a restoration leaves nothing on it", async () => {
  const disk = mountLoopDisk(fixture.root, 8);
  if (disk === undefined) return console.warn("not run: only root can mount a file system");
  try {
    const data = join(disk.path, "data");
    mkdirSync(data);
    // Room for a part: what is compared before the restoration does not count what others write meanwhile.
    writeFileSync(join(disk.path, "others"), Buffer.alloc(3 * 1024 * 1024));
    const large = join(fixture.root, "large");
    mkdirSync(large);
    fixture.change("lineside.db", (db) => {
      for (let row = 0; row < 100; row++) db.run("INSERT INTO item (text) VALUES (hex(randomblob(50000)))");
    });
    expect((await backup(["--to", large])).code).toBe(0);
    const { code, errors } = await run(["restore", "--from", large, "--data", data]);
    expect([code, errors.trim().split("\n")]).toEqual([1, [expect.stringContaining("too little room")]]);
    expect(existsSync(join(data, "restoring"))).toBe(false);
    const unlimited = { dataPath: data, passphrase: undefined, snapshot: undefined, schemas: ownSchemas() };
    await expect(prepareRestoration(new FolderTarget(large), unlimited)).rejects.toMatchObject({
      code: "backup.disk_full",
    });
    expect(existsSync(join(data, "restoring"))).toBe(false);

    const place = join(disk.path, "place");
    mkdirSync(place);
    const full = await backup(["--to", place]);
    expect([full.code, full.errors.trim()]).toEqual([
      1,
      `lineside backup: There is no room left in ${place}. Delete files there, or keep fewer backups.`,
    ]);
    expect(readdirSync(join(place, "packs"))).toEqual([]);
    rmSync(join(disk.path, "others"));
  } finally {
    disk.unmount();
  }
});

test("neither a backup nor a restoration writes below a disk that is not mounted", async () => {
  const [disk, good] = [join(fixture.root, "unmounted"), join(fixture.root, "mounted")];
  const table = join(fixture.root, "fstab");
  for (const folder of [disk, good]) mkdirSync(folder);
  writeFileSync(table, `/dev/none ${disk} ext4 defaults 0 2\n`);
  expect((await backup(["--to", good])).code).toBe(0);
  const namespace = [
    "unshare",
    "--mount",
    "sh",
    "-c",
    `mount --bind '${table}' /etc/fstab && exec "$@"`,
    "sh",
  ];
  if (Bun.spawnSync([...namespace, "true"], { stderr: "ignore" }).exitCode !== 0)
    return console.warn("not run: only root can mount a file");
  const without = (...args: string[]) => {
    const { exitCode, stderr } = Bun.spawnSync([...namespace, ...PROGRAM, ...args]);
    return [exitCode, stderr.toString()];
  };
  const refused = [1, expect.stringContaining("is not mounted, although /etc/fstab names it")];
  expect(without("backup", "--to", disk, "--data", fixture.data)).toEqual(refused);
  expect(without("restore", "--from", good, "--data", join(disk, "data"))).toEqual(refused);
  expect(readdirSync(disk)).toEqual([]);
});
