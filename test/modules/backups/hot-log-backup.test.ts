// Backups beside a store that seals, and begins files of its log anew, again and again.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runBackup } from "../../../src/modules/backups/backup-job.ts";
import { restore } from "../../../src/modules/backups/restore-job.ts";
import { HotLogWatch } from "../../../src/modules/backups/snapshot-writer.ts";
import { FolderTarget } from "../../../src/modules/backups/targets/folder-target.ts";
import { listHotLogs } from "../../../src/platform/database/hot-log-names.ts";
import { KEY_BYTES, KEY_NAMES } from "../../../src/platform/secrets/secret-keys.ts";
import { createOtherDatabases } from "../../support/other-databases.ts";
import { StoreFixture } from "../telemetry/store/store-fixture.ts";

const ROUNDS = 6;
let root: string;
let data: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lineside-log-backup-"));
  data = join(root, "data");
  mkdirSync(join(data, "secrets"), { recursive: true });
  for (const key of KEY_NAMES) writeFileSync(join(data, "secrets", key), "k".repeat(KEY_BYTES));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const backUp = () =>
  runBackup(new FolderTarget(join(root, "stick")), {
    dataPath: data,
    lineside: "test",
    now: Date.now,
    bytesPerSecond: 1e9,
    opensAll: true,
    passphrase: undefined,
    retention: undefined,
    machine: undefined,
    verifyDays: 14,
  });

test("a backup holds everything that was acknowledged before it began, and a restoration no log of the present data", async () => {
  mkdirSync(join(root, "stick"));
  const source = new StoreFixture({ hotPointsMax: 200, blockRowsTarget: 64 }, join(data, "telemetry.db"));
  await source.store.start();
  createOtherDatabases(data);
  let acknowledged = 0;
  let isWriting = true;
  const writing = (async () => {
    for (let ts = 0; isWriting; ts++) {
      await source.put("d", "n", ts, ts);
      acknowledged = ts + 1;
    }
  })();
  try {
    const other = join(root, "other");
    mkdirSync(other);
    for (let round = 0; round < ROUNDS; round++) {
      const before = acknowledged;
      expect((await backUp()).problems).toEqual([]);
      // A log that is there already belongs to other data.
      writeFileSync(join(other, "telemetry.db-hot7"), "of the data that is replaced");
      await restore(new FolderTarget(join(root, "stick")), {
        dataPath: other,
        passphrase: undefined,
        snapshot: undefined,
      });
      expect(listHotLogs(other)).not.toContain("telemetry.db-hot7");
      const restored = new StoreFixture({}, join(other, "telemetry.db"));
      await restored.store.start();
      const points = await restored.points("d", "n");
      expect(points).toEqual(points.map((_, ts) => [ts, ts]));
      expect(points.length).toBeGreaterThanOrEqual(before);
      expect((await restored.store.check()).problems).toEqual([]);
      await restored.dispose();
    }
  } finally {
    isWriting = false;
    await writing;
    await source.dispose();
  }
});

test("a file of the log that is begun anew while it is copied is noticed, a longer one is not", async () => {
  const source = new StoreFixture({}, join(data, "telemetry.db"));
  await source.store.start();
  await source.put("d", "n", 1, 1);
  const watch = new HotLogWatch(data);
  expect(watch.files().map(({ name }) => name)).toEqual(["telemetry.db-hot1"]);
  await source.put("d", "n", 2, 2);
  expect(watch.isUnchanged()).toBe(true);
  await source.store.compact();
  await source.put("d", "n", 3, 3);
  expect(watch.isUnchanged()).toBe(false);
  cpSync(join(data, "telemetry.db-hot1"), join(data, "telemetry.db-hot2"));
  expect(new HotLogWatch(data).isUnchanged()).toBe(true);
  await source.dispose();
});
