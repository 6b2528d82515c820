import { Database } from "bun:sqlite";
import { afterAll, afterEach, expect, test } from "bun:test";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, createApp } from "../../../src/app.ts";
import { keysCommand } from "../../../src/cli/commands/keys.ts";
import { setAsideCommand } from "../../../src/cli/commands/set-aside.ts";
import { inEnglish } from "../../../src/lib/core/domain-error.ts";
import { loadConfig } from "../../../src/platform/config/config.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { openMainDatabase } from "../../../src/platform/database/database.ts";
import { openDataDirectory } from "../../../src/platform/files/data-directory.ts";
import { acceptRestored, DATABASE_FILES } from "../../../src/platform/files/inventory.ts";
import { checkInventory, checkSources } from "../../../src/platform/files/inventory-check.ts";
import { readRecord } from "../../../src/platform/files/inventory-record.ts";
import { until } from "../../support/until.ts";

const root = mkdtempSync(join(tmpdir(), "lineside-inventory-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let running: App | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

const newFolder = (name: string) => mkdtempSync(join(root, `${name}-`));
const configOf = (data: string) => loadConfig(["--data", data, "--http-port", "0", "--mqtt-port", "0"], {});

async function start(data: string): Promise<App> {
  const app = createApp(configOf(data));
  await app.start();
  running = app;
  return app;
}

const generationOf = (data: string) => readRecord(data)?.generation ?? 0;

/** Starts and stops a gateway until its inventory is complete. */
async function run(data: string): Promise<void> {
  const before = generationOf(data);
  const app = await start(data);
  await until(() => generationOf(data) > before);
  await app.stop();
  running = undefined;
}

async function used(name: string): Promise<string> {
  const data = newFolder(name);
  await run(data);
  return data;
}

const refusalOf = async (data: string): Promise<string> => {
  const databases = () =>
    readdirSync(data)
      .filter((file) => DATABASE_FILES.some((name) => name === file))
      .sort();
  const files = databases();
  const message = await start(data).then(
    () => "started",
    (error) => String(error.message),
  );
  // Nothing appears in the place of what is missing.
  expect(databases()).toEqual(files);
  return message;
};

const remove = (data: string, name: string) => {
  for (const file of readdirSync(data)) if (file.startsWith(name)) rmSync(join(data, file));
};

test.each(DATABASE_FILES)("a start without %s refuses, whether it is deleted or empty", async (name) => {
  const data = await used("missing");
  const kept = newFolder("kept");
  cpSync(data, kept, { recursive: true });
  remove(data, name);
  expect(await refusalOf(data)).toContain(`  - ${name} is missing`);
  cpSync(kept, data, { recursive: true });
  remove(data, `${name}-`);
  truncateSync(join(data, name), 0);
  expect(await refusalOf(data)).toContain(`  - ${name} is empty`);
});

test("all files that are missing are named together, with the command that goes on without them", async () => {
  const data = await used("several");
  for (const name of ["lineside.db", "mqtt.db"]) remove(data, name);
  const message = await refusalOf(data);
  expect(message).toContain("  - lineside.db is missing\n  - mqtt.db is missing\n");
  expect(message).toContain(`lineside set-aside lineside.db mqtt.db --data ${data}`);
});

test("a database that was cut off is named with its length, and nothing is changed", async () => {
  const data = await used("cut");
  const path = join(data, "identity.db");
  truncateSync(path, 8_192);
  const before = readFileSync(path);
  expect(await refusalOf(data)).toMatch(/identity\.db was cut off: it has 8192 of \d+ bytes/);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test.each(DATABASE_FILES)("an older copy of %s, and one of another gateway, are refused", async (name) => {
  const data = await used("older");
  const old = newFolder("copy");
  cpSync(data, old, { recursive: true });
  await run(data);
  const current = newFolder("current");
  cpSync(data, current, { recursive: true });
  remove(data, name);
  cpSync(join(old, name), join(data, name));
  expect(await refusalOf(data)).toContain(`  - ${name} is older than the rest`);
  const other = await used("other");
  remove(data, name);
  cpSync(join(other, name), join(data, name));
  expect(await refusalOf(data)).toContain(`  - ${name} is from another gateway`);
  remove(data, name);
  cpSync(join(current, name), join(data, name));
  await run(data);
});

test("a file that is set aside is kept, and the gateway starts with a new one", async () => {
  const data = await used("aside");
  truncateSync(join(data, "lineside.db"), 0);
  expect(await setAsideCommand(["lineside.db", "--data", data])).toBe(0);
  expect(readdirSync(join(data, "set-aside"))).toContain("lineside.db.1");
  await run(data);
  await run(data);
  expect(existsSync(join(data, "lineside.db"))).toBe(true);
});

test("a key with one bit flipped is refused, and so is one of another gateway", async () => {
  const data = await used("key");
  const path = join(data, "secrets", "storage.key");
  const key = readFileSync(path);
  key[7]! ^= 1;
  writeFileSync(path, key);
  expect(await refusalOf(data)).toContain("secrets/storage.key is damaged, or from another gateway");
  key[7]! ^= 1;
  writeFileSync(path, key);
  await run(data);
});

test("a lost or damaged inventory is made anew from the databases, and said so", async () => {
  const data = await used("inventory");
  const { gateway } = readRecord(data) ?? { gateway: "" };
  rmSync(join(data, "inventory.json"));
  const app = await start(data);
  expect(app.health.problems()).toMatchObject([{ code: "storage.lost", params: { count: 1 } }]);
  await app.stop();
  expect(readRecord(data)?.gateway).toBe(gateway);
  writeFileSync(
    join(data, "inventory.json"),
    readFileSync(join(data, "inventory.json"), "utf8").replace("1", "2"),
  );
  const again = await start(data);
  expect(again.health.problems().map(({ code }) => code)).toContain("storage.lost");
});

test("a database and the inventory that are one generation older do not pass", async () => {
  const data = await used("two");
  const copies = newFolder("two-copies");
  const names = ["lineside.db", "inventory.json"];
  for (const name of names) copyFileSync(join(data, name), join(copies, name));
  await run(data);
  for (const name of names) copyFileSync(join(copies, name), join(data, name));
  expect(await refusalOf(data)).toContain("identity.db is newer than the rest");
});

/** The directory as a kill leaves it. */
async function killedCopy(data: string): Promise<string> {
  const app = await start(data);
  await until(() => !readRecord(data)?.isAdvancing);
  const copy = newFolder("killed");
  cpSync(data, copy, { recursive: true });
  await app.stop();
  running = undefined;
  return copy;
}

test("replacing the keys does not hide what a log has lost", async () => {
  const data = await killedCopy(await used("rotate"));
  const wal = join(data, "lineside.db-wal");
  truncateSync(wal, statSync(wal).size - 100);
  expect(await keysCommand(["rotate", "--data", data])).toBe(0);
  await start(data);
  expect(readRecord(data)?.losses.map(inEnglish)).toEqual([expect.stringMatching(/^lineside.db-wal has /)]);
});

test("a start that was killed does not forget what a log has lost", async () => {
  const data = await killedCopy(await used("early-kill"));
  const wal = join(data, "telemetry.db-wal");
  truncateSync(wal, statSync(wal).size - 100);
  openDataDirectory(data).release(); // killed before it has opened a database
  await start(data);
  expect(readRecord(data)?.losses.map(inEnglish)).toEqual([expect.stringMatching(/^telemetry.db-wal has /)]);
  expect(readdirSync(join(data, "set-aside"))).toEqual(["telemetry.db-wal.1"]);
});

test("a start that is refused leaves damaged logs as they are, and records nothing", async () => {
  const data = await killedCopy(newFolder("refused"));
  const [wal, inventory] = [join(data, "telemetry.db-wal"), join(data, "inventory.json")];
  const [bytes, record] = [readFileSync(wal), readFileSync(inventory)];
  bytes[24]! ^= 4;
  writeFileSync(wal, bytes);
  expect(await refusalOf(data)).toContain("telemetry.db has lost all content with its write-ahead log");
  expect([readFileSync(wal).equals(bytes), readFileSync(inventory).equals(record)]).toEqual([true, true]);
  expect(existsSync(join(data, "set-aside"))).toBe(false);
});

test("a position of a write-ahead log that is lost is said so", async () => {
  const data = await used("position");
  for (const damage of [
    () => truncateSync(join(data, "identity.db-synced"), 7),
    () => rmSync(join(data, "identity.db-synced")),
  ]) {
    damage();
    expect(checkInventory(data)).toEqual(["identity.db-synced is missing or damaged"]);
  }
  const app = await start(data);
  expect(app.health.problems()).toMatchObject([{ code: "storage.lost" }]);
});

test("a lost inventory does not make a foreign key pass", async () => {
  const data = await used("foreign-key");
  rmSync(join(data, "inventory.json"));
  const path = join(data, "secrets", "storage.key");
  const own = readFileSync(path);
  writeFileSync(path, crypto.getRandomValues(new Uint8Array(own.length)));
  expect(await refusalOf(data)).toContain("  - secrets/storage.key is damaged, or from another gateway");
  writeFileSync(path, own);
  await run(data);
});

test("a lost inventory and a lost key can be replaced by a person", async () => {
  const data = await used("lost-key");
  rmSync(join(data, "inventory.json"));
  rmSync(join(data, "secrets", "storage.key"));
  expect(await refusalOf(data)).toContain("The key secrets/storage.key is missing");
  expect(await keysCommand(["create-missing", "--data", data])).toBe(0);
  await run(data);
});

test("a lost inventory does not make a missing database pass", async () => {
  const data = await used("both");
  rmSync(join(data, "inventory.json"));
  remove(data, "lineside.db");
  expect(await refusalOf(data)).toContain("  - lineside.db is missing");
});

test("a first start that was killed is begun anew, whatever files it left", async () => {
  const data = newFolder("first");
  const directory = openDataDirectory(data);
  openMainDatabase(directory.file("lineside.db"), "lineside", createLogger("test")).close();
  directory.release();
  expect(generationOf(data)).toBe(0);
  await run(data);
  expect(generationOf(data)).toBe(2); // the start and the stop
});

test("a stamp that a power cut took back does not count as an older file", async () => {
  const data = await used("cut-stamp");
  const before = generationOf(data);
  const database = new Database(join(data, "mqtt.db"));
  expect(database.query("SELECT generation FROM __inventory").get()).toEqual({ generation: before });
  database.run("UPDATE __inventory SET generation = generation + 1"); // written, but the inventory was not
  database.close();
  await run(data);
  expect(generationOf(data)).toBe(before + 2); // the start and the stop
});

test("a database copied shortly before the gateway stopped is older than the rest", async () => {
  const data = await used("minutes");
  const app = await start(data);
  const copies = newFolder("copies");
  await until(() => DATABASE_FILES.every((name) => existsSync(join(data, name))));
  for (const name of DATABASE_FILES) {
    const source = new Database(join(data, name));
    source.run(`VACUUM INTO '${join(copies, name)}'`); // with what is in its log
    source.close();
  }
  await app.stop();
  running = undefined;
  for (const name of DATABASE_FILES) {
    const kept = readFileSync(join(data, name));
    copyFileSync(join(copies, name), join(data, name));
    expect(await refusalOf(data)).toContain(`${name} is older than the rest`);
    writeFileSync(join(data, name), kept);
  }
  await run(data);
});

test("a lost or damaged inventory beside empty or missing files is not a first start", async () => {
  const data = await used("lost");
  rmSync(join(data, "inventory.json"));
  for (const name of DATABASE_FILES) {
    remove(data, `${name}-`);
    truncateSync(join(data, name), 0);
  }
  for (const damage of [() => undefined, () => writeFileSync(join(data, "inventory.json"), "")]) {
    damage();
    const message = await refusalOf(data);
    for (const name of DATABASE_FILES) expect(message).toContain(`  - ${name} is empty`);
  }
});

test("a directory with nothing left but keys is not a first start", async () => {
  const data = await used("keys");
  for (const name of readdirSync(data)) if (name !== "secrets") rmSync(join(data, name), { recursive: true });
  expect(await refusalOf(data)).toContain("  - lineside.db is missing");
});

test("the inventory can be set aside together with other files, and the loss is listed", async () => {
  const data = await used("together");
  remove(data, "lineside.db");
  expect(await setAsideCommand(["lineside.db", "inventory.json", "--data", data])).toBe(0);
  const app = await start(data);
  expect(app.health.problems().map(({ code }) => code)).toContain("storage.lost");
});

test("the hot log and its position can be lost together, and the values are missed all the same", async () => {
  const data = newFolder("hot");
  const { store } = (await start(data)).services;
  const device = store.device("t" as never, "d" as never); // any string is an id
  const values = [{ ts: Date.now(), values: { a: 1 } }];
  await store.append(device, values as never);
  await running?.stop();
  await run(data); // stamps telemetry.db behind the value
  for (const name of readdirSync(data)) if (/-hot|-position/.test(name)) rmSync(join(data, name));
  const app = await start(data);
  await until(() => app.health.problems().some(({ code }) => code === "storage.damaged"));
  expect((await app.services.store.stats()).corruptBlocks.join()).toContain("hot row 1 cannot be read");
});

test("what a restoration leaves out is not missing until the next start", async () => {
  const data = await used("restored");
  expect(checkInventory(data)).toEqual([]);
  remove(data, "telemetry.db-position");
  expect(checkInventory(data)).toEqual(["telemetry.db-position is missing or damaged"]);
  acceptRestored(data, DATABASE_FILES);
  expect(checkInventory(data)).toEqual([]);
});

test("a gateway can be backed up from its start to its end", async () => {
  const data = await used("sources");
  const before = generationOf(data);
  const app = await start(data);
  const found = new Set<string>();
  await until(() => {
    for (const problem of checkSources(data)) found.add(problem);
    return generationOf(data) > before;
  });
  for (const problem of checkSources(data)) found.add(problem);
  await app.stop();
  running = undefined;
  for (const problem of checkSources(data)) found.add(problem);
  expect([...found]).toEqual([]);
});
