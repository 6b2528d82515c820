// Notes of people on devices: who reads and writes them, what belongs to a range of time, and how many there can be.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { DEVICE_NOTES_MAX } from "../../src/modules/notes/notes.resource.ts";
import { apiRows } from "../support/api-rows.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const PATH = "/api/notes";
const BEGIN = "2026-11-28T08:30:00.000Z";
const UNTIL = "2026-11-28T09:15:00.000Z";

let fixture: TestApp;
let tokens: Record<"owner" | "writer" | "reader" | "stranger" | "granted", string>;
let deviceId = "";
let otherId = "";
let noteId = "";

beforeAll(async () => {
  fixture = await createTestApp({});
  const tokenOf = async (...signIn: Parameters<TestApp["signIn"]>) => (await fixture.signIn(...signIn)).token;
  const owner = await tokenOf("TENANT_OWNER");
  deviceId = (await fixture.createDevice(owner, { name: "Kiln" })).deviceId;
  otherId = (await fixture.createDevice(owner, { name: "Press" })).deviceId;
  tokens = {
    owner,
    writer: await tokenOf("TENANT_RW"),
    reader: await tokenOf("TENANT_READ_ONLY"),
    stranger: await tokenOf("TENANT_OWNER", { tenant: "other" }),
    granted: await tokenOf("TENANT_RW", { devices: [otherId] }),
  };
  noteId = (await write({ until: UNTIL })).body.noteId;
});
afterAll(() => fixture.stop());

const body = (changes: object = {}) => ({ deviceId, text: " Bearing replaced ", at: BEGIN, ...changes });
const call = (method: string, path: string, sent?: unknown, as: keyof typeof tokens = "owner") =>
  fixture.call(method, path, { token: tokens[as], ...(sent !== undefined && { body: sent }) });
const write = (changes: object = {}, as: keyof typeof tokens = "owner") =>
  call("POST", PATH, body(changes), as);
const textsIn = async (query: string, as: keyof typeof tokens = "owner") =>
  (await call("GET", `${PATH}?${query}`, undefined, as)).body.map(({ text }: { text: string }) => text);

describe("who reads and writes notes", () => {
  const row = (
    name: string,
    as: keyof typeof tokens,
    status: number,
    request: () => [string, string, unknown?],
  ) => ({
    name: `${as}: ${name}`,
    request: () => {
      const [method, path, sent] = request();
      return { method, path, token: tokens[as], ...(sent !== undefined && { body: sent }) };
    },
    status,
    ...(status >= 400 && { answer: "error" as const }),
  });
  const own = () => `${PATH}/${noteId}`;
  apiRows(
    () => fixture,
    [
      { name: "anonymous", request: () => ({ method: "GET", path: PATH }), status: 401 },
      row("reads", "reader", 200, () => ["GET", own()]),
      row("does not write", "reader", 403, () => ["POST", PATH, body()]),
      row("does not change", "reader", 403, () => ["PATCH", own(), { text: "x" }]),
      row("does not delete", "reader", 403, () => ["DELETE", own()]),
      ...(["stranger", "granted"] as const).flatMap((as) => [
        row("does not read", as, 404, () => ["GET", own()]),
        row("does not list the device's", as, 404, () => ["GET", `${PATH}?deviceId=${deviceId}`]),
        row("does not write", as, 404, () => ["POST", PATH, body()]),
        row("does not change", as, 404, () => ["PATCH", own(), { text: "x" }]),
        row("does not delete", as, 404, () => ["DELETE", own()]),
      ]),
      row("writes", "writer", 201, () => ["POST", PATH, body({ text: "of a writer" })]),
      row("empty text", "owner", 400, () => ["POST", PATH, body({ text: " \n" })]),
      row("long text", "owner", 400, () => ["POST", PATH, body({ text: "x".repeat(2_001) })]),
      row("no time", "owner", 400, () => ["POST", PATH, body({ at: "yesterday" })]),
      row("time without a zone", "owner", 400, () => ["POST", PATH, body({ at: "2026-11-28T08:30" })]),
      row("end before the beginning", "owner", 400, () => [
        "POST",
        PATH,
        body({ until: "2026-11-28T08:29:59Z" }),
      ]),
      row("beginning after the end", "owner", 400, () => ["PATCH", own(), { at: "2026-11-29T00:00:00Z" }]),
      row("unknown device", "owner", 404, () => ["POST", PATH, body({ deviceId: "none" })]),
      row("unknown note", "owner", 404, () => ["PATCH", `${PATH}/none`, { text: "x" }]),
    ],
  );
  test("a list without a device holds the notes that the caller may see", async () => {
    await write({ deviceId: otherId, text: "of the press" });
    expect(await textsIn("", "granted")).toEqual(["of the press"]);
    expect(await textsIn("", "stranger")).toEqual([]);
    expect((await textsIn("", "reader")).toSorted()).toEqual([
      "Bearing replaced",
      "of a writer",
      "of the press",
    ]);
  });
});

test("a note has its author, its times and a trimmed text; a change keeps what it leaves out", async () => {
  const { body: user } = await call("GET", "/api/auth/me", undefined, "writer");
  const { status, body: note } = await write({ until: UNTIL }, "writer");
  expect(status).toBe(201);
  expect(note).toMatchObject({ deviceId, text: "Bearing replaced", at: BEGIN, until: UNTIL, by: user.email });
  const path = `${PATH}/${note.noteId}`;
  expect((await call("PATCH", path, { text: "a\nb" })).body).toMatchObject({
    text: "a\nb",
    at: BEGIN,
    until: UNTIL,
    by: user.email,
  });
  expect((await call("PATCH", path, { until: null })).body).toMatchObject({ text: "a\nb", until: null });
  expect((await call("DELETE", path)).body).toEqual({ success: true });
  expect((await call("GET", path)).status).toBe(404);
});

test("a range of time holds the notes that it touches, the latest first", async () => {
  const { deviceId: ranged } = await fixture.createDevice(tokens.owner, { name: "ranged" });
  const times: [string, string, string | null][] = [
    ["moment", "2026-03-01T12:00:00Z", null],
    ["stretch", "2026-03-01T10:00:00Z", "2026-03-01T14:00:00Z"],
    ["later", "2026-03-02T00:00:00Z", null],
  ];
  for (const [text, begin, until] of times) await write({ deviceId: ranged, text, at: begin, until });
  const inRange = (from: string, to: string) =>
    textsIn(`deviceId=${ranged}&from=${Date.parse(from)}&to=${Date.parse(to)}`);
  expect(await textsIn(`deviceId=${ranged}`)).toEqual(["later", "moment", "stretch"]);
  expect(await inRange("2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z")).toEqual(["moment", "stretch"]);
  expect(await inRange("2026-03-01T13:00:00Z", "2026-03-01T13:30:00Z")).toEqual(["stretch"]);
  expect(await inRange("2026-03-01T14:00:01Z", "2026-03-03T00:00:00Z")).toEqual(["later"]);
  expect(await inRange("2025-03-01T00:00:00Z", "2026-03-01T09:59:59Z")).toEqual([]);
});

test("a device has a limit, and its notes end with it", async () => {
  const { deviceId: full } = await fixture.createDevice(tokens.owner, { name: "full" });
  await write({ deviceId: full });
  const database = new Database(join(fixture.directory, "lineside.db"));
  database.run(
    `INSERT INTO device_notes (note_id, tenant_id, device_id, text, "by", "at", created_at, updated_at)
     SELECT note_id || value, tenant_id, device_id, text, "by", created_at, created_at, updated_at
     FROM device_notes, json_each(?) WHERE device_id = ?`,
    [JSON.stringify([...Array(DEVICE_NOTES_MAX - 1).keys()]), full],
  );
  expect(await write({ deviceId: full })).toMatchObject({
    status: 409,
    body: { code: "note.too_many_on_device", params: { max: DEVICE_NOTES_MAX } },
  });
  expect((await write()).status).toBe(201);
  await call("DELETE", `/api/devices/${full}`);
  expect(
    database
      .query<{ n: number }, [string]>("SELECT count(*) n FROM device_notes WHERE device_id = ?")
      .get(full),
  ).toEqual({ n: 0 });
  database.close();
});

test("the audit log has the note before and after a change", async () => {
  await call("PATCH", `${PATH}/${noteId}`, { text: "Seal replaced" });
  const [entry] = (await call("GET", "/api/audit?action=note.update")).body;
  expect(entry).toMatchObject({
    targetId: noteId,
    before: { text: "Bearing replaced" },
    after: { text: "Seal replaced" },
  });
});
