// A replacement of keys that fails or is interrupted anywhere loses no secret and reports no loss.
import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createLogger } from "../../src/platform/core/log.ts";
import { openMainDatabase } from "../../src/platform/database/database.ts";
import { walLossOf } from "../../src/platform/database/wal-position.ts";
import { acceptNextKey, acceptRestored, DATABASE_FILES } from "../../src/platform/files/inventory.ts";
import { beginRestoration, completeRestoration } from "../../src/platform/files/restoration.ts";
import { beginKeyRotation, rotateKeys } from "../../src/platform/secrets/key-rotation.ts";
import { KEY_NAMES } from "../../src/platform/secrets/secret-keys.ts";
import { close, data, fill, keyOf, open, run, useDataDirectory } from "../support/keys-fixture.ts";

useDataDirectory();

/** Runs the work with a COMMIT that fails in the databases whose names begin so. Returns the files in which it failed. */
function withFailingCommit(name: string, work: () => void): string[] {
  const failed: string[] = [];
  const original = Database.prototype.run;
  const spy = spyOn(Database.prototype, "run").mockImplementation(function (this: Database, sql, ...rest) {
    if (sql === "COMMIT" && basename(this.filename).startsWith(name)) {
      failed.push(basename(this.filename));
      throw new Error("disk I/O error");
    }
    return original.call(this, sql, ...rest);
  });
  try {
    work();
  } finally {
    spy.mockRestore();
  }
  return failed;
}

test.each(["lineside.db", "identity.db"])(
  "after a whole restoration, a replacement that fails when %s is committed loses no secret",
  async (name) => {
    const { device } = await fill();
    await close();
    acceptRestored(data, DATABASE_FILES); // the check values of the keys are unknown until the next start
    const failed = withFailingCommit(name, () =>
      expect(() => rotateKeys(data, ["storage.key"])).toThrow("disk I/O error"),
    );
    expect(failed).toEqual([name]);
    expect(existsSync(join(data, "secrets", "storage.key.next"))).toBe(true);
    const { call } = await open();
    const sent = await call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
    expect([sent.status, existsSync(join(data, "secrets", "storage.key.next"))]).toEqual([200, false]);
  },
);

test.each(["nothing was moved", "the present file was removed", "every file was moved"])(
  "keys are replaced after an interrupted restoration is finished: %s",
  async (step) => {
    const { device } = await fill();
    await close();
    const folder = beginRestoration(data);
    const [present, restored] = [join(data, "lineside.db"), join(folder, "lineside.db")];
    copyFileSync(present, restored);
    completeRestoration(data, ["lineside.db"]);
    if (step !== "nothing was moved") {
      acceptRestored(data, ["lineside.db"]);
      rmSync(present);
      writeFileSync(join(folder, "cleared"), "");
    }
    if (step === "every file was moved") renameSync(restored, present);
    const { exitCode, text } = run("keys", "rotate");
    expect([exitCode, text]).toEqual([0, expect.stringContaining("Finished an interrupted restoration")]);
    const { call } = await open();
    const sent = await call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
    expect([sent.status, existsSync(folder)]).toEqual([200, false]);
  },
);

test("keys are not replaced while a database that was set aside is missing", async () => {
  await fill();
  await close();
  expect(run("set-aside", "lineside.db").exitCode).toBe(0);
  const keys = KEY_NAMES.map(keyOf);
  const { exitCode, text } = run("keys", "rotate");
  expect([exitCode, text.trim().split("\n")]).toEqual([
    1,
    [expect.stringContaining("lineside.db is missing. Start the gateway once")],
  ]);
  expect(KEY_NAMES.map(keyOf)).toEqual(keys);
  expect(readdirSync(join(data, "secrets")).filter((name) => name.endsWith(".next"))).toEqual([]);
});

test("after keys were replaced, a lost inventory does not make them pass for foreign", async () => {
  const { device } = await fill();
  await close();
  const old = keyOf("storage.key");
  expect(run("keys", "rotate").exitCode).toBe(0);
  rmSync(join(data, "inventory.json"));
  const { call } = await open();
  const sent = await call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
  expect(sent.status).toBe(200);
  await close();
  rmSync(join(data, "inventory.json"));
  writeFileSync(join(data, "secrets", "storage.key"), old);
  await expect(open()).rejects.toThrow("secrets/storage.key is damaged, or from another gateway");
});

test.each(["lineside.db", "identity.db"])(
  "a replacement that failed when %s was committed is finished without its inventory",
  async (name) => {
    const { device } = await fill();
    await close();
    withFailingCommit(name, () => expect(() => rotateKeys(data, ["storage.key"])).toThrow("disk I/O error"));
    rmSync(join(data, "inventory.json"));
    const { call } = await open();
    const sent = await call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
    expect([sent.status, existsSync(join(data, "secrets", "storage.key.next"))]).toEqual([200, false]);
  },
);

test("a replacement without its inventory is finished if only the new key's name is missing", async () => {
  const { device } = await fill();
  await close();
  const old = keyOf("storage.key");
  expect(run("keys", "rotate", "storage.key").exitCode).toBe(0);
  renameSync(join(data, "secrets", "storage.key"), join(data, "secrets", "storage.key.next"));
  writeFileSync(join(data, "secrets", "storage.key"), old, { mode: 0o600 });
  rmSync(join(data, "inventory.json"));
  const { call } = await open();
  const sent = await call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
  expect([sent.status, existsSync(join(data, "secrets", "storage.key.next"))]).toEqual([200, false]);
});

test("a new key that was written after an interrupted replacement does not pass for a damaged key", async () => {
  await fill();
  await close();
  const old = keyOf("storage.key");
  expect(run("keys", "rotate", "storage.key").exitCode).toBe(0);
  const key = keyOf("storage.key");
  acceptNextKey(data, "storage.key", { old, next: key }); // as a kill leaves it before `acceptKeys`
  beginKeyRotation(data, ["storage.key"]);
  await open();
  expect(existsSync(join(data, "secrets", "storage.key.next"))).toBe(false);
});

test("a start finishes a killed replacement in the databases that were not set aside", async () => {
  await fill();
  await close();
  beginKeyRotation(data, ["storage.key"]);
  const [key, next] = ["storage.key", "storage.key.next"].map(keyOf);
  expect(run("set-aside", "lineside.db").exitCode).toBe(0);
  await open();
  expect(keyOf("storage.key")).toEqual(next!);
  expect(keyOf("storage.key")).not.toEqual(key!);
});

/** Leaves synced changes in the logs of the databases that hold sealed secrets, as a kill does. */
async function leaveLogs(): Promise<void> {
  for (const name of ["lineside", "identity"]) {
    const database = openMainDatabase(join(data, `${name}.db`), name, createLogger("test"));
    database.sqlite.run("CREATE TABLE kept (text TEXT)");
    await database.durable();
    database.abandon();
  }
}

const lossesOf = () => ["lineside.db", "identity.db"].map((name) => walLossOf(join(data, name)));

test.each(["lineside.db", "identity.db"])(
  "a replacement that fails when %s is committed reports no loss of a log",
  async (name) => {
    await fill();
    await close();
    await leaveLogs();
    withFailingCommit(name, () => expect(() => rotateKeys(data, ["storage.key"])).toThrow("disk I/O error"));
    expect(statSync(join(data, `${name}-wal`)).size).toBeGreaterThan(0);
    expect(lossesOf()).toEqual([undefined, undefined]);
  },
);

test("a replacement that ends while it closes a database reports no loss of its log", async () => {
  await fill();
  await close();
  await leaveLogs();
  const original = Database.prototype.close;
  const spy = spyOn(Database.prototype, "close").mockImplementation(function (this: Database, ...args) {
    original.call(this, ...args);
    if (basename(this.filename) === "lineside.db" && !existsSync(`${this.filename}-wal`))
      throw new Error("ended");
  });
  expect(() => rotateKeys(data, ["storage.key"])).toThrow("ended");
  spy.mockRestore();
  expect(existsSync(join(data, "lineside.db-wal"))).toBe(false);
  expect(lossesOf()[0]).toBeUndefined();
});

test("a new key that has sealed nothing is deleted after a failure", async () => {
  await fill();
  await close();
  const old = keyOf("storage.key");
  const original = Database.prototype.run;
  const spy = spyOn(Database.prototype, "run").mockImplementation(function (this: Database, sql, ...rest) {
    if (sql.startsWith("BEGIN") && basename(this.filename) === "identity.db") throw new Error("busy");
    return original.call(this, sql, ...rest);
  });
  expect(() => rotateKeys(data, ["storage.key"])).toThrow("busy");
  spy.mockRestore();
  expect(readdirSync(join(data, "secrets")).filter((name) => name.endsWith(".next"))).toEqual([]);
  await open();
  expect(keyOf("storage.key")).toEqual(old);
});

test.each(["identity.db-synced", "mqtt.db-wal"])(
  "no command waits for a pipe in place of %s",
  async (name) => {
    await open();
    await close();
    const place = mkdtempSync(join(tmpdir(), "lineside-place-"));
    rmSync(join(data, name), { force: true });
    Bun.spawnSync(["mkfifo", join(data, name)]);
    for (const command of [["keys", "rotate"], ["backup", "--to", place], ["user", "list"], ["check"]]) {
      const { exitCode, text } = run(...command);
      expect([command, exitCode, text]).toEqual([
        command,
        1,
        expect.stringContaining(`${name} is a pipe or device, but a file belongs there`),
      ]);
    }
    rmSync(place, { recursive: true, force: true });
  },
);

test.each<[string, (folder: string) => void]>([
  [
    "a pipe in place of the marker of a restoration",
    (folder) => {
      mkdirSync(folder);
      Bun.spawnSync(["mkfifo", join(folder, "complete")]);
    },
  ],
  ["a file in place of the folder of a restoration", (folder) => writeFileSync(folder, "")],
])("%s is not a restoration", async (_, place) => {
  await open();
  await close();
  place(join(data, "restoring"));
  expect(run("keys", "create-missing")).toEqual({ exitCode: 0, text: "No key is missing.\n" });
  expect(existsSync(join(data, "restoring"))).toBe(false);
});

test("commands name a file in place of the folder of the keys, and a folder in place of a lock", async () => {
  await open();
  await close();
  renameSync(join(data, "secrets"), join(data, "kept"));
  writeFileSync(join(data, "secrets"), "");
  const place = mkdtempSync(join(tmpdir(), "lineside-place-"));
  const backup = ["backup", "--to", place];
  for (const command of [["check"], ["keys", "rotate"], backup])
    expect([command, run(...command)]).toEqual([
      command,
      { exitCode: 1, text: expect.stringContaining(`${join(data, "secrets")} is not a folder`) },
    ]);
  rmSync(join(data, "secrets"));
  renameSync(join(data, "kept"), join(data, "secrets"));
  rmSync(join(data, "lineside.lock"));
  mkdirSync(join(data, "lineside.lock"));
  expect(run(...backup)).toEqual({ exitCode: 1, text: expect.stringContaining("lineside.lock is a folder") });
  rmSync(place, { recursive: true, force: true });
});

test("creating a lost key can be repeated after an interruption", async () => {
  await open();
  await close();
  rmSync(join(data, "secrets", "jwt.key"));
  mkdirSync(join(data, "inventory.json.new")); // nothing can be recorded
  expect(run("keys", "create-missing").exitCode).toBe(1);
  rmSync(join(data, "inventory.json.new"), { recursive: true, force: true });
  expect(run("keys", "create-missing")).toEqual({ exitCode: 0, text: "Created jwt.key.\n" });
  const { call } = await open();
  expect((await call("GET", "/readyz")).status).toBe(200);
});
