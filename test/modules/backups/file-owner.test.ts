// Root backs up and restores the data of a gateway that runs as another user, who has to open every file afterwards.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runBackup } from "../../../src/modules/backups/backup-job.ts";
import { restore } from "../../../src/modules/backups/restore-job.ts";
import { SnapshotReader } from "../../../src/modules/backups/snapshot-reader.ts";
import { BackupRepository } from "../../../src/modules/backups/snapshot-repository.ts";
import { FolderTarget } from "../../../src/modules/backups/targets/folder-target.ts";
import { ensureSecret } from "../../../src/platform/files/data-directory.ts";
import { beginRestoration } from "../../../src/platform/files/restoration.ts";
import { KEY_BYTES, KEY_NAMES } from "../../../src/platform/secrets/secret-keys.ts";
import { createOtherDatabases } from "../../support/other-databases.ts";

const USER = 61_217;
const isRoot = process.geteuid?.() === 0;
if (!isRoot) console.warn("not run: only root can give files to other users");

let root: string;
let data: string;
let stick: string;

const ownersBelow = (folder: string) =>
  new Set(
    readdirSync(folder, { recursive: true, withFileTypes: true }).map(
      ({ parentPath, name }) => statSync(join(parentPath, name)).uid,
    ),
  );

const backUp = () =>
  runBackup(new FolderTarget(stick), {
    dataPath: data,
    lineside: "test",
    now: () => Date.parse("2026-03-02T03:30:00Z"),
    bytesPerSecond: 1e12,
    opensAll: true,
    passphrase: undefined,
    retention: undefined,
    machine: undefined,
    verifyDays: 14,
  });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lineside-owner-"));
  data = join(root, "data");
  stick = join(root, "stick");
  for (const folder of [data, stick]) {
    mkdirSync(folder);
    if (isRoot) chownSync(folder, USER, USER);
  }
  for (const name of KEY_NAMES) ensureSecret(data, name, KEY_BYTES);
  for (const path of createOtherDatabases(data)) if (isRoot) chownSync(path, USER, USER);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test.if(isRoot)("a backup leaves no file of root in the data, nor at the place", async () => {
  await backUp();
  expect([ownersBelow(data), ownersBelow(stick)]).toEqual([new Set([USER]), new Set([USER])]);
  expect(statSync(join(data, "backup.lock")).mode & 0o077).toBe(0);
});

test.if(isRoot)(
  "a restoration gives every file to the owner of the data, also when it does not end",
  async () => {
    await backUp();
    await restore(new FolderTarget(stick), { dataPath: data, passphrase: undefined, snapshot: undefined });
    expect(ownersBelow(data)).toEqual(new Set([USER]));
    const repository = await BackupRepository.open(new FolderTarget(stick), undefined);
    const record = await repository.snapshot(undefined);
    const reader = new SnapshotReader(repository, record);
    const folder = beginRestoration(data);
    await reader.restoreDatabases(
      folder,
      record.databases.map(({ name }) => name),
    );
    reader.restoreFiles(folder);
    expect(ownersBelow(data)).toEqual(new Set([USER]));
  },
);
