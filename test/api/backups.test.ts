// Backups through the API: settings, runs, schedule, what is kept at the place, and a gateway restored from a download.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { restore } from "../../src/modules/backups/restore-job.ts";
import { ArchiveReader } from "../../src/modules/backups/targets/archive-target.ts";
import { apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

const MINUTE_MS = 60_000;
const PATH = "/api/gateway/backup";
const rules = { schedule: null, daily: 7, weekly: 4, maxAgeHours: 36, verifyDays: 14 };

let fixture: TestApp;
let clock: FakeClock;
let root: string;
let stick: string;
let owner: string;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "lineside-backups-"));
  stick = join(root, "stick");
  mkdirSync(stick);
  clock = new FakeClock(Date.parse("2026-03-02T10:00:00Z"));
  fixture = await createTestApp({ clock, host: "one" });
  await signIn();
  for (const role of ["TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"] as const)
    tokens[role] = (await fixture.signIn(role)).token;
});
afterAll(async () => {
  await fixture.stop();
  rmSync(root, { recursive: true, force: true });
});

/** Tokens end while the clock moves. */
async function signIn() {
  owner = (await fixture.signIn("TENANT_OWNER")).token;
}
const newestRun = async () => (await get("/runs")).body[0];
const get = (path = "") => fixture.call("GET", PATH + path, { token: owner });
const put = (body: object) => fixture.call("PUT", PATH, { token: owner, body: { ...rules, ...body } });
const post = (path: string, body?: unknown) =>
  fixture.call("POST", PATH + path, { token: owner, ...(body !== undefined && { body }) });
const folder = (path = stick) => ({ kind: "folder", path });

async function backUp() {
  const { status, body } = await post("/runs");
  expect([status, body.state, body.trigger]).toEqual([202, "RUNNING", "USER"]);
  const ended = await untilAnswer(newestRun, ({ state }) => state !== "RUNNING");
  expect(ended.runId).toBe(body.runId);
  return ended;
}

apiRows(
  () => fixture,
  (["TENANT_ADMIN", "TENANT_RW", "TENANT_READ_ONLY"] as const).flatMap((role) =>
    [
      { method: "GET", path: PATH },
      { method: "PUT", path: PATH, body: { ...rules, place: null } },
      { method: "POST", path: `${PATH}/runs` },
      { method: "GET", path: `${PATH}/snapshots/any/archive` },
    ].map((request) => ({
      name: `${request.method} ${request.path} is forbidden for ${role}`,
      request: () => ({ ...request, token: tokens[role] }),
      status: 403,
      answer: "error" as const,
    })),
  ),
);

test("nothing is set up at first", async () => {
  expect((await get()).body).toEqual({ ...rules, place: null, isEncrypted: false, problems: [], fixed: [] });
  expect((await get("/snapshots")).body).toEqual([]);
  expect((await post("/runs")).body).toMatchObject({ statusCode: 409, code: "backup.no_place" });
});

test("settings are refused that cannot work", async () => {
  const inside = join(fixture.directory, "backups");
  for (const path of [inside, fixture.directory, "relative/path"])
    expect((await put({ place: folder(path) })).body).toMatchObject({
      statusCode: 400,
      code: "backup.folder_invalid",
    });
  const schedule = { expression: "61 3 * * *", timezone: "Europe/Berlin" };
  expect((await put({ place: folder(), schedule })).status).toBe(400);
  expect((await put({ place: folder(), daily: 0 })).status).toBe(400);
  expect((await put({ place: folder(), passphrase: "" })).status).toBe(400);
  expect((await put({ place: { kind: "tape" } })).status).toBe(400);
  expect((await get()).body.place).toBeNull();
});

test("a place is tested before it is used", async () => {
  expect((await post("/test", { place: folder() })).body).toEqual({ success: true });
  expect(readdirSync(stick)).toEqual([]);
  expect((await post("/test", { place: folder(join(root, "unplugged")) })).body).toMatchObject({
    statusCode: 503,
    code: "backup.folder_missing",
  });
});

test("a backup by hand is kept, listed, downloaded, and restores the gateway", async () => {
  await put({ place: folder() });
  const { deviceId } = await fixture.createDevice(owner, { name: "kept" });
  const run = await backUp();
  expect(run).toMatchObject({ state: "DONE", openedAll: true });
  const [snapshot] = (await get("/snapshots")).body;
  expect(snapshot).toMatchObject({
    isGood: true,
    id: run.snapshotId,
    bytes: run.bytes,
    addedBytes: run.addedBytes,
  });
  expect((await get()).body.newestGood).toEqual(run);

  const second = await backUp();
  expect(second.addedBytes).toBeLessThan(run.addedBytes / 2);
  expect((await get("/snapshots")).headers.get("x-total-count")).toBe("2");

  const link = await fixture.call("POST", `${PATH}/snapshots/${run.snapshotId}/download-link`, {
    token: owner,
  });
  const response = await fetch(`${fixture.app.url}${link.body.path}`);
  expect((await fetch(`${fixture.app.url}${link.body.path}`)).status).toBe(404);
  expect(response.headers.get("content-disposition")).toContain(".backup");
  const file = join(root, "download.backup");
  writeFileSync(file, new Uint8Array(await response.arrayBuffer()));
  const directory = join(root, "restored");
  const archive = new ArchiveReader(file);
  await restore(archive, { dataPath: directory, passphrase: undefined, snapshot: undefined });
  archive.close();
  const restored = await createTestApp({ directory, clock });
  try {
    // Sessions are kept, too: the token of the gateway that was backed up is good.
    const device = await restored.call("GET", `/api/devices/${deviceId}`, { token: owner });
    expect([device.status, device.body.name]).toEqual([200, "kept"]);
  } finally {
    await restored.stop();
  }
});

test("a backup that fails says why, and is tried again", async () => {
  await put({ place: folder(join(root, "unplugged")) });
  const failed = await backUp();
  expect(failed).toMatchObject({
    state: "FAILED",
    error: { code: "backup.folder_missing", params: { path: join(root, "unplugged") } },
  });
  expect((await get("/snapshots")).body).toMatchObject({ statusCode: 503, code: "backup.folder_missing" });
  expect((await get()).body.problems).toMatchObject([{ code: "backup.last_failed" }]);
  clock.advance(1_000);
  await put({ place: folder() });
  expect((await get()).body.problems).toEqual([]);
  await put({ place: folder(join(root, "unplugged")) });
  mkdirSync(join(root, "unplugged"));
  expect(await backUp()).toMatchObject({ state: "DONE" });
});

test("no new backups begin below the mount point of a drive that had backups", async () => {
  const drive = join(root, "drive");
  mkdirSync(drive);
  await put({ place: folder(drive) });
  expect(await backUp()).toMatchObject({ state: "DONE" });
  renameSync(drive, `${drive}-away`);
  mkdirSync(drive);
  expect(await backUp()).toMatchObject({ state: "FAILED", error: { code: "backup.place_empty" } });
  expect(readdirSync(drive)).toEqual([]);
  rmSync(drive, { recursive: true });
  renameSync(`${drive}-away`, drive);
  expect(await backUp()).toMatchObject({ state: "DONE" });
  rmSync(drive, { recursive: true });
  mkdirSync(drive);
  await put({ place: folder(drive) }); // which confirms it
  expect(await backUp()).toMatchObject({ state: "DONE" });
});

test("a backup of a gateway whose file is missing fails, and the next one succeeds", async () => {
  expect((await put({ place: folder() })).status).toBe(200);
  const path = join(fixture.directory, "secrets", "jwt.key");
  renameSync(path, `${path}.away`);
  expect(await backUp()).toMatchObject({
    state: "FAILED",
    error: {
      code: "backup.data_damaged",
      params: { problems: "secrets/jwt.key is missing or truncated" },
    },
  });
  renameSync(`${path}.away`, path);
  expect(await backUp()).toMatchObject({ state: "DONE" });
});

test("backups are encrypted with a passphrase that nobody reads", async () => {
  const place = folder(join(root, "encrypted"));
  mkdirSync(place.path);
  const saved = await put({ place, passphrase: "correct horse" });
  expect(saved.body.isEncrypted).toBe(true);
  expect(saved.text).not.toContain("correct horse");
  expect(await backUp()).toMatchObject({ state: "DONE" });
  // Absent: as it is.
  expect((await put({ place })).body.isEncrypted).toBe(true);
  expect((await post("/test", { place, passphrase: "wrong" })).body).toMatchObject({
    statusCode: 403,
    code: "backup.passphrase_wrong",
  });
  expect((await post("/test", { place })).status).toBe(200);
  const audited = await fixture.call("GET", "/api/audit?action=backup.configure", { token: owner });
  expect(audited.text).not.toContain("correct horse");
  expect((await put({ place: folder(), passphrase: null })).body.isEncrypted).toBe(false);
});

test("the keys of a bucket are kept and never shown", async () => {
  const place = {
    kind: "s3",
    endpoint: "http://127.0.0.1:9",
    region: "us-east-1",
    bucket: "backups",
    prefix: "plant/",
    accessKeyId: "id",
  };
  const saved = await put({ place: { ...place, secretAccessKey: "hush-hush" } });
  expect(saved.body.place).toEqual({ ...place, hasSecretAccessKey: true });
  expect((await put({ place })).body.place.hasSecretAccessKey).toBe(true);
  expect((await get()).text).not.toContain("hush-hush");
});

test("a schedule makes backups, catches up on missed ones, and warns when none was good", async () => {
  await put({ place: folder(), schedule: { expression: "30 10 * * *", timezone: "UTC" }, maxAgeHours: 1 });
  expect((await get()).body.nextAt).toBe("2026-03-02T10:30:00.000Z");
  const before = (await get("/runs")).headers.get("x-total-count");
  clock.leap(40 * MINUTE_MS);
  await signIn();
  const scheduled = await untilAnswer(
    newestRun,
    ({ state, trigger }) => state === "DONE" && trigger === "SCHEDULE",
  );
  expect(Date.parse(scheduled.startedAt)).toBeGreaterThanOrEqual(Date.parse("2026-03-02T10:30:00Z"));
  expect(Number((await get("/runs")).headers.get("x-total-count"))).toBe(Number(before) + 1);
  expect((await get()).body.problems).toEqual([]);

  rmSync(stick, { recursive: true, force: true });
  clock.leap(90 * MINUTE_MS);
  await signIn();
  const { body } = await untilAnswer(get, (response) => response.body.problems.length > 0);
  expect(body.problems).toMatchObject([{ code: "backup.overdue", params: { hours: 1 } }]);
  mkdirSync(stick);
});

test("a failure is shown although the place was set while the clock was ahead", async () => {
  const aheadMs = 3_650 * 24 * 60 * MINUTE_MS;
  clock.jump(aheadMs);
  await signIn();
  const schedule = { expression: "0 0 1 1 *", timezone: "UTC" };
  await put({ place: folder(join(root, "gone")), schedule });
  clock.jump(-aheadMs);
  await signIn();
  expect((await backUp()).state).toBe("FAILED");
  const codes = (await get()).body.problems.map(({ code }: { code: string }) => code);
  expect(codes).toEqual(["backup.last_failed"]);
  await put({ place: folder() });
});

test("the configuration has priority over what the console sets", async () => {
  const place = join(root, "configured");
  mkdirSync(place);
  const config = { backup_to: place, backup_schedule: "30 2 * * *", backup_passphrase: "correct horse" };
  const other = await createTestApp({ clock, host: "one", config });
  try {
    const { token } = await other.signIn("TENANT_OWNER");
    const call = (method: string, path: string, body?: unknown) =>
      other.call(method, PATH + path, { token, ...(body !== undefined && { body }) });
    const shown = (await call("GET", "")).body;
    expect(shown).toMatchObject({
      place: { kind: "folder", path: place },
      schedule: { expression: "30 2 * * *", timezone: "UTC" },
      isEncrypted: true,
      fixed: ["backup_to", "backup_schedule", "backup_passphrase"],
    });
    const same = { ...rules, place: shown.place, schedule: shown.schedule, daily: 3 };
    expect((await call("PUT", "", same)).body.daily).toBe(3);
    for (const [change, key] of [
      [{ place: folder() }, "backup_to"],
      [{ schedule: null }, "backup_schedule"],
      [{ passphrase: null }, "backup_passphrase"],
    ] as const)
      expect((await call("PUT", "", { ...same, ...change })).body).toMatchObject({
        statusCode: 409,
        code: "backup.fixed",
        params: { key },
      });
    await call("POST", "/runs");
    await untilAnswer(
      async () => (await call("GET", "/runs")).body[0],
      ({ state }) => state === "DONE",
    );
    expect(readdirSync(place)).toContain("repository.json");
  } finally {
    await other.stop();
  }
  const link = join(root, "link");
  symlinkSync(join(root, "linked", "secrets"), link);
  const linked = await createTestApp({
    clock,
    host: "one",
    directory: join(root, "linked"),
    config: { backup_to: link },
  });
  try {
    const { token } = await linked.signIn("TENANT_OWNER");
    await linked.call("POST", `${PATH}/runs`, { token });
    const { error } = await untilAnswer(
      async () => (await linked.call("GET", `${PATH}/runs`, { token })).body[0],
      ({ state }) => state === "FAILED",
    );
    expect(error.code).toBe("backup.folder_invalid");
  } finally {
    await linked.stop();
  }
  const refused = (name: string, wrong: object) =>
    createTestApp({ clock, config: wrong, directory: join(root, name) });
  await expect(refused("one", { backup_schedule: "61 3 * * *" })).rejects.toThrow("backup_schedule");
  await expect(refused("two", { backup_to: join(root, "two", "inside") })).rejects.toThrow("backup_to");
});
