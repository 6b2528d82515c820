import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSessions } from "../../../src/mqtt/session/session-store.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { StartupError } from "../../../src/platform/process/startup-error.ts";
import { systemClock } from "../../../src/platform/time/clock.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "lineside-sessions-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const open = (file: string) =>
  loadSessions({
    file: join(directory, file),
    clock: systemClock,
    log: createLogger("test"),
    queuedPerClientMax: 10,
    queuedBytes: { perCredential: 1_000, perTenant: () => 1_000, all: 1_000 },
  });

test("a session file of a newer version is refused and stays where it is", async () => {
  const db = new Database(join(directory, "newer.db"));
  db.run("PRAGMA user_version = 2");
  db.close();
  expect(() => open("newer.db")).toThrow(StartupError);
  expect(() => open("newer.db")).toThrow(/^The database newer\.db was written by a newer Lineside/);
  expect(await readdir(directory)).toContain("newer.db");
});

test("a session file that is no database is set aside", async () => {
  await Bun.write(join(directory, "broken.db"), "x".repeat(5_000));
  open("broken.db").close();
  expect(await readdir(directory)).toContain("set-aside");
});

test("a session file that cannot be opened for now stays where it is", async () => {
  open("sound.db").close();
  await mkdir(join(directory, "sound.db-shm"));
  expect(() => open("sound.db")).toThrow("readonly database");
  await rmdir(join(directory, "sound.db-shm"));
  expect(await readdir(directory)).toContain("sound.db");
  open("sound.db").close();
});
