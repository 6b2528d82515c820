import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiRows } from "../support/api-rows.ts";
import {
  chirpstackCollection,
  thingsNetworkCollection,
  windScript,
  writeCollection,
  zipOf,
} from "../support/codec-collections.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

const PATH = "/api/integrations/codec-index";
const PART_BYTES = 700;

let fixture: TestApp;
let root: string;
let folder: string;
const tokens = { owner: "", admin: "", writer: "", reader: "", limited: "", stranger: "" };
type Who = keyof typeof tokens;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "lineside-codec-index-"));
  folder = writeCollection(join(root, "things"), thingsNetworkCollection);
  fixture = await createTestApp({ host: "one", directory: join(root, "data") });
  tokens.owner = (await fixture.signIn("TENANT_OWNER")).token;
  tokens.admin = (await fixture.signIn("TENANT_ADMIN")).token;
  tokens.writer = (await fixture.signIn("TENANT_RW")).token;
  tokens.reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  tokens.limited = (await fixture.signIn("TENANT_OWNER", { devices: [] })).token;
  tokens.stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
});
afterAll(async () => {
  await fixture.stop();
  rmSync(root, { recursive: true, force: true });
});

const call = (method: string, rest: string, body?: unknown, who: Who = "owner") =>
  fixture.call(method, PATH + rest, { token: tokens[who], ...(body !== undefined && { body }) });

const untilLoaded = () =>
  untilAnswer(
    async () => (await call("GET", "")).body,
    (status) => status.loading === null,
  );

async function upload(bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length; offset += PART_BYTES) {
    const { status } = await fixture.call("PUT", `${PATH}/archive?offset=${offset}&total=${bytes.length}`, {
      token: tokens.owner,
      raw: bytes.slice(offset, offset + PART_BYTES),
      headers: { "content-type": "application/octet-stream" },
    });
    expect(status).toBe(200);
  }
}

async function loadThings() {
  expect((await call("POST", "/load", { folder })).status).toBe(202);
  expect((await untilLoaded()).error).toBeNull();
}

const idOf = async (search: string): Promise<string> =>
  (await call("GET", `/entries?search=${encodeURIComponent(search)}`)).body[0].entryId;

describe("the index of codecs", () => {
  test("is empty at first", async () => {
    expect((await call("GET", "", undefined, "reader")).body).toEqual({
      index: null,
      loading: null,
      error: null,
      uploadedBytes: 0,
      totalBytes: 0,
    });
    expect((await call("GET", "/entries")).body).toEqual([]);
  });

  test("loads a folder, and every tenant searches it", async () => {
    await loadThings();
    expect((await call("GET", "", undefined, "stranger")).body.index).toEqual({
      origin: folder,
      layouts: ["THINGS_NETWORK"],
      entries: 3,
      vendors: 1,
      scripts: 2,
      skipped: 1,
      loadedAt: expect.stringMatching(/Z$/),
    });
    const found = await call("GET", "/entries?search=wind%20gusts", undefined, "stranger");
    expect(found.headers.get("x-total-count")).toBe("1");
    expect(found.body).toEqual([
      {
        entryId: expect.stringMatching(/^[0-9a-f]{24}$/),
        vendor: "Gusts & Söhne",
        model: "Wind Sensor",
        description: "Measures the wind",
        firmware: "",
        file: "vendor/gusts/wind.js",
        license: "Apache License",
        fPorts: [1, 42],
        exampleCount: 3,
      },
    ]);
    const page = await call("GET", "/entries?limit=1&offset=1");
    expect([page.body.length, page.headers.get("x-total-count"), page.headers.get("link")]).toEqual([
      1,
      "3",
      `<${PATH}/entries?limit=1&offset=2>; rel="next"`,
    ]);
  });

  test("runs the examples of a codec in the sandbox, and says which fail", async () => {
    const good = await call("POST", `/entries/${await idOf("wind")}/test`, undefined, "admin");
    expect([good.body.passed, good.body.total]).toEqual([3, 3]);
    const second = (await call("GET", "/entries?search=twin")).body[1].entryId;
    const bad = await call("POST", `/entries/${second}/test`);
    expect(bad.body).toMatchObject({
      passed: 0,
      total: 1,
      results: [{ isPassed: false, example: { expected: { data: { t: 2 } } }, trial: { result: { t: 1 } } }],
    });
  });

  test("gives a source that becomes a codec of the tenant", async () => {
    const entry = (await call("GET", `/entries/${await idOf("wind")}`, undefined, "stranger")).body;
    expect(entry.source).toBe(windScript);
    const created = await fixture.call("POST", "/api/integrations/codecs", {
      token: tokens.stranger,
      body: { name: `${entry.vendor} ${entry.model}`, source: entry.source },
    });
    expect([created.status, created.body.functions]).toEqual([201, ["decodeUplink", "encodeDownlink"]]);
  });

  test("is replaced by an uploaded archive as a whole", async () => {
    await upload(zipOf(chirpstackCollection));
    const begun = await call("POST", "/load", { name: "chirpstack.zip" });
    expect(begun.status).toBe(202);
    const { index, uploadedBytes } = await untilLoaded();
    expect(index).toMatchObject({ origin: "chirpstack.zip", layouts: ["CHIRPSTACK"], entries: 1 });
    expect(uploadedBytes).toBe(0);
    expect((await call("GET", "/entries?search=wind")).body).toEqual([]);
    // The folder of the repository in the archive is left out.
    const [{ file }] = (await call("GET", "/entries?search=acme")).body;
    expect(file).toStartWith("vendors/");
    expect((await call("POST", `/entries/${await idOf("acme")}/test`)).body).toMatchObject({
      passed: 2,
      total: 2,
    });
    expect(readdirSync(fixture.directory).filter((name) => name.startsWith("codec-index"))).toEqual([
      "codec-index.db",
    ]);
  });

  test("stays as it is when a load fails, which says why", async () => {
    await upload(Buffer.from("this is no archive at all"));
    await call("POST", "/load", {});
    const { error, index } = await untilLoaded();
    expect([error.code, index.entries]).toEqual(["codec_index.archive_unknown", 1]);
    expect(error.message).toBe("The file is neither a zip nor a tar.gz archive.");
    expect((await call("POST", "/load", {})).body.code).toBe("codec_index.archive_missing");
  });

  test("refuses folders that are not there or hold the gateway's data, and archives that are too large", async () => {
    mkdirSync(join(fixture.directory, "inside"));
    for (const [path, code] of [
      ["relative", "codec_index.folder_invalid"],
      [fixture.directory, "codec_index.folder_invalid"],
      [join(fixture.directory, "inside"), "codec_index.folder_invalid"],
      [join(root, "gone"), "codec_index.folder_unreadable"],
    ]) {
      const { status, body } = await call("POST", "/load", { folder: path });
      expect([status, body.code]).toEqual([400, code]);
    }
    const large = await fixture.call("PUT", `${PATH}/archive?offset=0&total=${2 ** 31}`, {
      token: tokens.owner,
      raw: "x",
    });
    expect([large.status, large.body.code]).toEqual([400, "codec_index.archive_too_large"]);
  });

  test("loads one collection at a time", async () => {
    const responses = await Promise.all([1, 2, 3].map(() => call("POST", "/load", { folder })));
    expect(responses.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    await untilLoaded();
    expect((await call("GET", "")).body.index.entries).toBe(3);
  });

  test("is in the audit log", async () => {
    const { body } = await fixture.call("GET", "/api/audit?action=codec-index.load", { token: tokens.owner });
    expect(body.length).toBeGreaterThan(0);
  });

  test("survives a restart, and is deleted", async () => {
    await loadThings();
    await fixture.app.stop();
    fixture = await createTestApp({ host: "one", directory: fixture.directory });
    expect((await call("GET", "")).body.index.entries).toBe(3);
    expect((await call("GET", "/entries?search=wind")).body).toHaveLength(1);
    const gone = await call("DELETE", "");
    expect([gone.status, gone.body.index]).toEqual([200, null]);
    expect((await call("GET", "/entries")).body).toEqual([]);
    expect(readdirSync(fixture.directory)).not.toContain("codec-index.db");
  });
});

describe("access to the index", () => {
  const as = (who: Who, method: string, rest: string, body?: unknown) => () => ({
    method,
    path: PATH + rest,
    token: tokens[who],
    ...(body !== undefined && { body }),
  });
  const refused = { status: 403, answer: "error" } as const;
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous searches nothing",
        request: () => ({ method: "GET", path: `${PATH}/entries` }),
        status: 401,
        answer: "none",
      },
      { name: "a reader searches", request: as("reader", "GET", "/entries?search=a"), status: 200 },
      { name: "a reader tests nothing", request: as("reader", "POST", "/entries/a/test"), ...refused },
      { name: "a writer tests nothing", request: as("writer", "POST", "/entries/a/test"), ...refused },
      {
        name: "an administrator tests what is there",
        request: as("admin", "POST", "/entries/a/test"),
        status: 404,
        answer: "error",
      },
      {
        name: "an administrator loads nothing",
        request: as("admin", "POST", "/load", { folder: "/srv" }),
        ...refused,
      },
      { name: "an administrator deletes nothing", request: as("admin", "DELETE", ""), ...refused },
      {
        name: "an administrator uploads nothing",
        request: as("admin", "PUT", "/archive?offset=0&total=1"),
        ...refused,
      },
      {
        name: "an owner limited to some devices loads nothing",
        request: as("limited", "POST", "/load", { folder: "/srv" }),
        ...refused,
      },
      {
        name: "another tenant's owner loads nothing",
        request: as("stranger", "POST", "/load", { folder: "/srv" }),
        ...refused,
      },
      { name: "another tenant's owner deletes nothing", request: as("stranger", "DELETE", ""), ...refused },
      {
        name: "a load with a folder that is no text is refused",
        request: as("owner", "POST", "/load", { folder: 7 }),
        status: 400,
        answer: "error",
      },
    ],
  );
});
