// Keys of a data directory: what they protect is unreadable without them, survives their replacement, and ends nowhere in plain text.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gatewayIdOf } from "../../src/modules/backups/backup-job.ts";
import { acceptNextKey } from "../../src/platform/files/inventory.ts";
import { beginKeyRotation } from "../../src/platform/secrets/key-rotation.ts";
import { KEY_NAMES, KEY_PURPOSES } from "../../src/platform/secrets/secret-keys.ts";
import { createStoredSecrets } from "../../src/platform/secrets/stored-secrets.ts";
import {
  close,
  data,
  fill,
  INTEGRATION_SECRET,
  keyOf,
  open,
  run,
  useDataDirectory,
} from "../support/keys-fixture.ts";

useDataDirectory();

/** Texts of all databases that a key opens. */
function openedWith(key: Uint8Array, purposes: readonly string[]): string[] {
  const boxes = purposes.map((purpose) => createStoredSecrets(key, purpose));
  return ["lineside.db", "identity.db"].flatMap((file) => {
    const database = new Database(join(data, file));
    const tables = database
      .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all();
    const rows = tables.flatMap(({ name }) => database.query(`SELECT * FROM "${name}"`).all());
    database.close();
    const texts = JSON.stringify(rows).match(/[A-Za-z0-9_-]{38,}/g) ?? [];
    return texts.flatMap((text) => boxes.flatMap((box) => box.open(text) ?? []));
  });
}

test("secrets are nowhere in plain text, and every file is for its owner alone", async () => {
  const { device, factor, integration } = await fill();
  expect(integration.body).toMatchObject({ integrationId: expect.any(String) });
  expect(factor.status).toBe(200);
  await close();
  const secrets = [device.token, factor.body.secret, INTEGRATION_SECRET];
  expect(secrets.every((secret) => typeof secret === "string" && secret.length > 8)).toBe(true);
  for (const entry of readdirSync(data, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    expect([path, statSync(path).mode & 0o077]).toEqual([path, 0]);
    if (!entry.isFile()) continue;
    const bytes = readFileSync(path);
    expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([]);
  }
});

test("new keys seal everything anew: devices keep their tokens, and sessions end", async () => {
  const { token, device } = await fill();
  await close();
  const series = gatewayIdOf(data);
  const oldKeys = KEY_NAMES.map((name) => [name, keyOf(name)] as const);
  const before = oldKeys.map(([name, key]) => openedWith(key, KEY_PURPOSES[name]).sort());
  expect(before.flat().join()).toContain(INTEGRATION_SECRET);
  expect(run("keys", "rotate")).toMatchObject({ exitCode: 0 });
  expect(gatewayIdOf(data)).toBe(series);
  for (const [name, key] of oldKeys) expect(openedWith(key, KEY_PURPOSES[name])).toEqual([]);
  expect(KEY_NAMES.map((name) => openedWith(keyOf(name), KEY_PURPOSES[name]).sort())).toEqual(before);

  const { call } = await open();
  const sent = await call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
  expect(sent.status).toBe(200);
  expect((await call("GET", "/api/auth/me", { token })).status).toBe(401);
});

test("a replacement that was killed between two databases is finished by the next start", async () => {
  await fill();
  await close();
  const [key, identity] = ["storage.key", "identity.db"] as const;
  const [oldKey, oldIdentity] = [keyOf(key), readFileSync(join(data, identity))];
  const inventory = readFileSync(join(data, "inventory.json"));
  const purposes = KEY_PURPOSES["storage.key"];
  const before = openedWith(oldKey, purposes).sort();
  expect(run("keys", "rotate", key).exitCode).toBe(0);
  // One database is converted, the other is not, and the new key has no name of its own yet.
  renameSync(join(data, "secrets", key), join(data, "secrets", `${key}.next`));
  await Bun.write(join(data, "secrets", key), oldKey);
  await Bun.write(join(data, "inventory.json"), inventory);
  acceptNextKey(data, key, { old: oldKey, next: keyOf(`${key}.next`) });
  for (const suffix of ["-wal", "-shm"]) rmSync(join(data, `${identity}${suffix}`), { force: true });
  await Bun.write(join(data, "copy"), oldIdentity);
  renameSync(join(data, "copy"), join(data, identity));
  await open();
  await close();
  expect(openedWith(oldKey, purposes)).toEqual([]);
  expect(openedWith(keyOf(key), purposes).sort()).toEqual(before);
  expect(existsSync(join(data, "secrets", `${key}.next`))).toBe(false);
});

/** Returns a hash of all files but locks and SQLite's index of a log. */
function filesOf(): Record<string, unknown> {
  const entries = readdirSync(data, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && !/-shm$|-wal$|\.lock(-journal)?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.sort().map((path) => [path, Bun.hash(readFileSync(path))]));
}

test.each<[string, string, (path: string) => void]>([
  ["a database is missing", "lineside.db", (path) => rmSync(path)],
  ["a database is empty", "identity.db", (path) => truncateSync(path, 0)],
  [
    "a page of a database is damaged",
    "identity.db",
    (path) => writeFileSync(path, readFileSync(path).fill(0, 4_096, 3 * 4_096)),
  ],
  [
    "a database is from another gateway",
    "lineside.db",
    (path) => {
      const database = new Database(path);
      database.run("UPDATE __inventory SET gateway = 'other'");
      database.close();
    },
  ],
  [
    "a key has a flipped bit",
    "secrets/storage.key",
    (path) => {
      const bytes = readFileSync(path);
      bytes[5]! ^= 1;
      writeFileSync(path, bytes);
    },
  ],
])("if %s, no key is replaced, and with the right file every token works", async (_, name, damage) => {
  const { device } = await fill();
  await close();
  const path = join(data, name);
  const right = readFileSync(path);
  damage(path);
  const before = filesOf();
  expect(run("keys", "rotate")).toMatchObject({ exitCode: 1, text: expect.stringContaining(name) });
  expect(filesOf()).toEqual(before);
  writeFileSync(path, right);
  const { call } = await open();
  const sent = await call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
  expect(sent.status).toBe(200);
});

test("a start finishes a killed replacement only if every database is there", async () => {
  const { device } = await fill();
  await close();
  beginKeyRotation(data, ["storage.key"]);
  const lineside = join(data, "lineside.db");
  const right = readFileSync(lineside);
  rmSync(lineside);
  const before = filesOf();
  await expect(open()).rejects.toThrow("lineside.db is missing");
  expect(filesOf()).toEqual(before);
  writeFileSync(lineside, right);
  const { call } = await open();
  const sent = await call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
  expect([sent.status, existsSync(join(data, "secrets", "storage.key.next"))]).toEqual([200, false]);
});

test("a new key that seals secrets already must not be damaged, and an unused one is set aside", async () => {
  await fill();
  await close();
  const next = join(data, "secrets", "storage.key.next");
  beginKeyRotation(data, ["storage.key"]);
  acceptNextKey(data, "storage.key", { old: keyOf("storage.key"), next: readFileSync(next) });
  truncateSync(next, 0);
  await expect(open()).rejects.toThrow(
    "secrets/storage.key.next is damaged, and secrets may be sealed with it",
  );
  expect(run("set-aside", "secrets/storage.key.next").exitCode).toBe(0);
  writeFileSync(next, "");
  const key = keyOf("storage.key");
  await open();
  expect(keyOf("storage.key")).toEqual(key);
  expect(readdirSync(join(data, "set-aside")).sort()).toEqual(["storage.key.next.1", "storage.key.next.2"]);
});

test("the key that a replacement has replaced is not accepted again", async () => {
  await fill();
  await close();
  const old = keyOf("storage.key");
  expect(run("keys", "rotate", "storage.key").exitCode).toBe(0);
  writeFileSync(join(data, "secrets", "storage.key"), old);
  await expect(open()).rejects.toThrow("secrets/storage.key is damaged, or from another gateway");
});

test("a created key does not make a damaged key pass", async () => {
  await fill();
  await close();
  writeFileSync(join(data, "secrets", "storage.key"), Buffer.alloc(32, 1));
  rmSync(join(data, "secrets", "jwt.key"));
  expect(run("keys", "create-missing").exitCode).toBe(0);
  const problem = "secrets/storage.key is damaged, or from another gateway";
  expect(run("user", "list")).toMatchObject({ exitCode: 1, text: expect.stringContaining(problem) });
  await expect(open()).rejects.toThrow(problem);
});

test("a running gateway keeps its keys", async () => {
  await open();
  expect(run("keys", "rotate")).toMatchObject({ exitCode: 1, text: expect.stringContaining("is running") });
});

test("a missing key is named and not made anew, until somebody accepts the loss", async () => {
  const { device } = await fill();
  await close();
  rmSync(join(data, "secrets"), { recursive: true });
  for (const command of [
    ["serve", "--http-port", "0", "--mqtt-port", "0"],
    ["user", "list"],
  ]) {
    const { exitCode, text } = run(...command);
    expect([exitCode, text]).toEqual([1, expect.stringContaining("storage.key is missing")]);
  }
  expect(run("keys", "create-missing").exitCode).toBe(0);
  const { call } = await open();
  const sent = await call("POST", `/api/v1/${device.token}/telemetry`, { body: { a: 1 } });
  expect(sent.status).toBe(400);
});

test("every secret is sealed for a purpose that the replacement of keys knows", () => {
  const source = join(import.meta.dir, "..", "..", "src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const texts = files.map((file) => readFileSync(join(source, file), "utf8"));
  const purposes = texts.flatMap((text) =>
    [...text.matchAll(/(?:\.secrets\(|createSealedBox\(.+?, )"([^"]+)"\)/g)].map(([, purpose]) => purpose),
  );
  // What an external sign-in carries is kept by the browser for minutes, and a new address by the link in a mail.
  const expected = [...Object.values(KEY_PURPOSES).flat(), "external sign-in", "e-mail change"];
  expect([...new Set(purposes)].sort()).toEqual([...new Set(expected)].sort());
});
