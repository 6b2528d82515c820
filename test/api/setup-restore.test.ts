// Restoration of an uploaded backup on a gateway without an owner.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { PROGRAM } from "../support/program.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

const PATH = "/api/setup/restore";
const MEBIBYTE = 1024 * 1024;
const PASSPHRASE = "correct horse";
const EMAIL = "user1@one.example";
const OCTETS = { "content-type": "application/octet-stream" };

let root: string;
let archive: Uint8Array;
let fresh: TestApp;
let token: string;
let free = 1e12;

/** Returns the archive of another gateway, as its owner downloads it. */
async function downloadArchive(): Promise<Uint8Array> {
  const source = await createTestApp({ host: "one" });
  const { token: owner } = await source.signIn("TENANT_OWNER");
  await source.createDevice(owner, { name: "Press 7" });
  const stick = join(root, "stick");
  mkdirSync(stick);
  const settings = { place: { kind: "folder", path: stick }, passphrase: PASSPHRASE, schedule: null };
  const body = { ...settings, daily: 7, weekly: 4, maxAgeHours: 36 };
  await source.call("PUT", "/api/gateway/backup", { token: owner, body });
  await source.call("POST", "/api/gateway/backup/runs", { token: owner });
  const run = await untilAnswer(
    async () => (await source.call("GET", "/api/gateway/backup/runs", { token: owner })).body[0],
    ({ state }) => state !== "RUNNING",
  );
  const path = `/api/gateway/backup/snapshots/${run.snapshotId}/archive`;
  const headers = { authorization: `Bearer ${owner}` };
  const bytes = await (await fetch(`${source.app.url}${path}`, { headers })).bytes();
  await source.stop();
  return bytes;
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "lineside-setup-restore-"));
  archive = await downloadArchive();
  fresh = await createTestApp({
    directory: join(root, "data"),
    readSpace: async () => ({ free, total: 2e12 }),
  });
  token = fresh.app.services.setup.createLink();
});
afterAll(async () => {
  await fresh.stop();
  rmSync(root, { recursive: true, force: true });
});

const status = async () => (await fresh.call("GET", `${PATH}?token=${token}`)).body;
const begin = (passphrase?: string) =>
  fresh.call("POST", PATH, { body: { token, ...(passphrase !== undefined && { passphrase }) } });
const part = (offset: number, raw: Uint8Array, total = archive.length, secret = token) => ({
  method: "PUT",
  path: `${PATH}/archive?token=${secret}&offset=${offset}&total=${total}`,
  raw,
  headers: OCTETS,
});
const send = (...args: Parameters<typeof part>) => {
  const { method, path, ...options } = part(...args);
  return fresh.call(method, path, options);
};

async function upload(bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length; offset += MEBIBYTE) {
    const response = await send(offset, bytes.subarray(offset, offset + MEBIBYTE), bytes.length);
    expect([response.status, response.body.uploadedBytes]).toEqual([
      200,
      Math.min(offset + MEBIBYTE, bytes.length),
    ]);
  }
}

/** Restores and returns the state after it. */
async function restored(passphrase?: string) {
  expect((await begin(passphrase)).status).toBe(202);
  return untilAnswer(status, ({ state }) => state !== "RESTORING");
}

const tiny = new Uint8Array(10);
apiRows(
  () => fresh,
  [
    {
      name: "the state is hidden without a valid link",
      request: () => ({ method: "GET", path: `${PATH}?token=wrong` }),
      status: 404,
      answer: "error",
    },
    {
      name: "a part is refused without a valid link",
      request: () => part(0, tiny, 10, "wrong"),
      status: 404,
      answer: "error",
    },
    {
      name: "a restoration is refused without a valid link",
      request: () => ({ method: "POST", path: PATH, body: { token: "wrong" } }),
      status: 404,
      answer: "error",
    },
    {
      name: "a restoration is refused before a file is uploaded",
      request: () => ({ method: "POST", path: PATH, body: { token } }),
      status: 409,
      answer: "error",
    },
    {
      name: "a part that begins in the middle is refused",
      request: () => part(5, tiny, 100),
      status: 409,
      answer: ({ body }) =>
        expect(body).toMatchObject({ code: "backup.upload_offset", params: { offset: 0 } }),
    },
    {
      name: "a part beyond the end of the file is refused",
      request: () => part(0, tiny, 9),
      status: 400,
      answer: "error",
    },
    {
      name: "a part of more than 1 MiB is refused",
      request: () => part(0, new Uint8Array(MEBIBYTE + 1), 3 * MEBIBYTE),
      status: 413,
      answer: "error",
    },
    {
      name: "a file for which the disk has no room is refused",
      request: () => part(0, tiny, 999_999_999_999),
      status: 409,
      answer: ({ body }) => expect(body.code).toBe("backup.no_room"),
    },
    {
      name: "the other routes of the setup still take short bodies only",
      request: () => ({ method: "POST", path: PATH, raw: " ".repeat(100_000), headers: OCTETS }),
      status: 413,
      answer: "error",
    },
  ],
);

test("an upload goes on where it was interrupted, and a part is not taken twice", async () => {
  const half = Math.floor(archive.length / 2);
  expect((await send(0, archive.subarray(0, 1000))).body.uploadedBytes).toBe(1000);
  expect((await send(0, archive.subarray(0, 1000))).body.uploadedBytes).toBe(1000);
  const rest = archive.subarray(1000, Math.min(half, MEBIBYTE));
  const responses = await Promise.all([send(1000, rest), send(1000, rest)]);
  expect(responses.map((response) => response.status).sort()).toEqual([200, 409]);
  expect(await status()).toMatchObject({ state: "IDLE", uploadedBytes: 1000 + rest.length });
  expect((await begin()).body.code).toBe("backup.upload_incomplete");
});

test("a part is refused while the disk is full", async () => {
  free = 1000;
  const refused = await untilAnswer(
    () => send(0, tiny, 10),
    ({ status }) => status === 503,
  );
  expect(refused.body.code).toBe("storage.disk_full");
  free = 1e12;
  await untilAnswer(
    () => send(0, tiny, 10),
    ({ status }) => status === 200,
  );
});

test("a file that is no archive and a damaged archive are refused and removed", async () => {
  await upload(new Uint8Array(1000));
  expect(await restored()).toMatchObject({
    state: "FAILED",
    totalBytes: 0,
    error: { code: "backup.not_an_archive", message: expect.stringContaining("archive") },
  });
  const damaged = Uint8Array.from(archive, (byte, index) =>
    index === Math.floor(archive.length / 2) ? byte ^ 1 : byte,
  );
  await upload(damaged);
  expect(await restored(PASSPHRASE)).toMatchObject({
    state: "FAILED",
    error: { code: "backup.object_damaged" },
  });
  expect(readdirSync(fresh.directory)).not.toContain("restoring");
  expect(readdirSync(fresh.directory)).not.toContain("restore-upload.backup");
});

test.each([
  ["lineside.db", "INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('x', 9000000000000000)"],
  ["mqtt.db", "PRAGMA user_version=1000"],
])("a backup whose %s is newer than the gateway is refused", async (name, statement) => {
  const directory = join(root, `newer ${name}`);
  const source = await createTestApp({ directory });
  await source.app.stop();
  const database = new Database(join(directory, name));
  database.run(statement);
  database.close();
  const file = join(root, `newer ${name}.backup`);
  const command = [...PROGRAM, "backup", "--archive", file, "--data", directory];
  expect(await Bun.spawn(command, { stdout: "ignore" }).exited).toBe(0);
  await upload(readFileSync(file));
  expect(await restored()).toMatchObject({ state: "FAILED", error: { code: "backup.format_newer" } });
  expect(readdirSync(fresh.directory)).not.toContain("restoring");
});

test("a setup link does not expire while a restoration uses it", async () => {
  const clock = new FakeClock();
  const slow = await createTestApp({ clock });
  const link = slow.app.services.setup.createLink();
  const response = async () => (await slow.call("GET", `${PATH}?token=${link}`)).status;
  for (let round = 0; round < 3; round++) {
    clock.advance(20 * 60_000);
    expect(await response()).toBe(200);
  }
  clock.advance(31 * 60_000);
  expect(await response()).toBe(404);
  await slow.stop();
});

test("the passphrase can be entered again without another upload", async () => {
  await upload(archive);
  expect((await restored()).error.code).toBe("backup.passphrase_missing");
  expect((await restored("wrong")).error.code).toBe("backup.passphrase_wrong");
  expect(await status()).toMatchObject({ uploadedBytes: archive.length, totalBytes: archive.length });
});

test("nobody can create an owner while a backup is restored, and the restart brings its accounts", async () => {
  expect((await begin(PASSPHRASE)).status).toBe(202);
  expect((await begin(PASSPHRASE)).body.code).toBe("backup.restoring");
  const body = { token, email: "x@y.example", password: PASSWORD, fullName: "X", tenantName: "Y" };
  expect((await fresh.call("POST", "/api/setup", { body })).body.code).toBe("backup.restoring");
  await fresh.app.restartRequested;
  expect((await status()).state).toBe("RESTARTING");
  expect((await send(0, tiny, 10)).body.code).toBe("backup.restoring");
  await fresh.app.stop();

  fresh = await createTestApp({ directory: join(root, "data") });
  expect(readdirSync(fresh.directory)).not.toContain("restore-upload.backup");
  expect(fresh.app.services.setup.isRequired()).toBe(false);
  expect(readFileSync(join(fresh.directory, "secrets", "jwt.key")).length).toBe(32);
  const signIn = await fresh.call("POST", "/idp/authorize", { body: { email: EMAIL, password: PASSWORD } });
  expect(signIn.status).toBe(200);
});

apiRows(
  () => fresh,
  [
    {
      name: "the state is hidden from the link after there is an owner",
      request: () => ({ method: "GET", path: `${PATH}?token=${token}` }),
      status: 404,
      answer: "error",
    },
    {
      name: "a part is refused after there is an owner",
      request: () => part(0, tiny, 10),
      status: 404,
      answer: "error",
    },
    {
      name: "a restoration is refused after there is an owner",
      request: () => ({ method: "POST", path: PATH, body: { token } }),
      status: 404,
      answer: "error",
    },
  ],
);
