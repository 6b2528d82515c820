// Setting files aside can be interrupted anywhere: no start uses a file that was meant to go, or a part of it.
import { expect, spyOn, test } from "bun:test";
import { copyFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setAsideCommand } from "../../src/cli/commands/set-aside.ts";
import { readRecord } from "../../src/platform/files/inventory-record.ts";
import { close, data, open, useDataDirectory } from "../support/keys-fixture.ts";

useDataDirectory();

test.each([
  [0, "older than the rest"],
  [1, "missing"],
  [2, "missing"],
])("an older database is set aside after an interruption behind %i files", async (count, state) => {
  const [path, older] = [join(data, "lineside.db"), join(data, "older")];
  await open();
  await close();
  copyFileSync(path, older);
  await open();
  await close();
  copyFileSync(older, path);
  await expect(open()).rejects.toThrow("lineside.db is older than the rest");

  const folder = join(data, "set-aside");
  if (count === 0) writeFileSync(folder, ""); // no file can be moved
  let moved = 0;
  const log = spyOn(console, "log").mockImplementation(() => {
    moved++;
    if (moved === count) throw new Error("interrupted");
  });
  await expect(setAsideCommand(["lineside.db", "--data", data])).rejects.toThrow();
  expect(moved).toBe(count);
  await expect(open()).rejects.toThrow(`lineside.db is ${state}`);
  expect(readRecord(data)).toMatchObject({ accepted: [], losses: [] });

  if (count === 0) rmSync(folder);
  expect(await setAsideCommand(["lineside.db", "--data", data])).toBe(0);
  log.mockRestore();
  const loss = { code: "loss.set_aside", params: { file: "lineside.db" } };
  expect(readRecord(data)).toMatchObject({ losses: [loss] });
  await open();
  const names = ["lineside.db-shm.1", "lineside.db-synced.1", "lineside.db-wal.1", "lineside.db.1"];
  expect(readdirSync(folder).sort()).toEqual(names);
});
