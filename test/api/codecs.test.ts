import { describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { call, fixture, id, path, source, tokens, useCodecs, type Who } from "./codecs-fixture.ts";

useCodecs();

describe("the library", () => {
  test("keeps a codec, shows it, changes it and deletes it", async () => {
    const created = await call("POST", "", { name: "LHT65", source }, "admin");
    expect(created.status).toBe(201);
    const { codecId } = created.body;
    expect(created.body).toEqual({
      codecId: expect.any(String),
      name: "LHT65",
      description: null,
      source,
      functions: ["decodeUplink"],
      usedBy: [],
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect((await call("GET", `/${codecId}`, undefined, "reader")).body).toEqual(created.body);
    const { source: _, ...listed } = created.body;
    expect((await call("GET", "", undefined, "reader")).body).toContainEqual(listed);
    const both = `${source} function encodeDownlink() { return { bytes: [] }; }`;
    const changed = await call("PATCH", `/${codecId}`, { source: both, description: "new" });
    expect(changed.body).toMatchObject({
      name: "LHT65",
      description: "new",
      functions: ["decodeUplink", "encodeDownlink"],
    });
    expect((await call("PATCH", `/${codecId}`, { description: null })).body).toMatchObject({
      description: null,
      source: both,
    });
    expect((await call("DELETE", `/${codecId}`)).body).toEqual({ success: true });
    expect((await call("GET", `/${codecId}`)).status).toBe(404);
  });

  test("takes a file as it is, and as a form", async () => {
    const post = (name: string, raw: string | Uint8Array, type: string) =>
      fixture.call("POST", `${path}/import?name=${name}`, {
        token: tokens.owner,
        raw,
        headers: { "content-type": type },
      });
    const plain = await post("plain", source, "text/javascript; charset=utf-8");
    expect([plain.status, plain.body.source]).toEqual([201, source]);
    const form = `--b\r\nContent-Disposition: form-data; name="file"; filename="c.js"\r\nContent-Type: text/javascript\r\n\r\n${source}\r\n--b--\r\n`;
    expect((await post("form", form, "multipart/form-data; boundary=b")).body).toMatchObject({
      name: "form",
      source,
    });
    expect((await post("large", `//${"x".repeat(257 * 1024)}`, "text/javascript")).status).toBe(413);
    expect((await post("json", "{}", "application/json")).status).toBe(415);
    expect((await post("bytes", Uint8Array.of(0xff, 0xfe), "text/plain")).status).toBe(400);
    const long = form.replace(source, `${source}//${"x".repeat(100 * 1024)}`);
    expect((await post("long form", long, "multipart/form-data; boundary=b")).status).toBe(201);
    expect((await post("empty", "", "multipart/form-data; boundary=b")).status).toBe(400);
    for (const { codecId, name } of (await call("GET", "")).body)
      if (["plain", "form", "long form"].includes(name))
        expect((await call("DELETE", `/${codecId}`)).status).toBe(200);
  });

  test("reports an error in a source with its line", async () => {
    const messageOf = async (wrong: string) => {
      const { status, body } = await call("POST", "", { name: "wrong", source: wrong });
      return `${status} ${body.message}`;
    };
    expect(await messageOf("\nfunction decodeUplink( {")).toStartWith(
      "400 Line 2 of the source: The script is not valid JavaScript: SyntaxError",
    );
    expect(await messageOf("let x = 1;")).toContain("must define one of these functions: transform,");
    expect(await messageOf("for (;;);")).toContain("100 ms");
    expect((await call("PATCH", `/${id}`, { source: "(" })).status).toBe(400);
    expect((await call("GET", `/${id}`)).body.source).toBe(source);
  });

  test("has each name once, whatever its case", async () => {
    expect((await call("POST", "", { name: "VICKI", source })).status).toBe(409);
    expect((await call("POST", "", { name: "vicki", source }, "stranger")).status).toBe(201);
    const two = await Promise.all([1, 2, 3].map(() => call("POST", "", { name: "at once", source })));
    expect(two.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const codecId = two.find(({ status }) => status === 201)?.body.codecId;
    expect((await call("PATCH", `/${codecId}`, { name: "Vicki" })).status).toBe(409);
    expect((await call("PATCH", `/${codecId}`, { name: "AT ONCE" })).body.name).toBe("AT ONCE");
    await call("DELETE", `/${codecId}`);
  });

  test("is in the audit log with its changes", async () => {
    await call("PATCH", `/${id}`, { description: "for radiators" });
    const { body } = await fixture.call("GET", "/api/audit?limit=20", { token: tokens.owner });
    const entries = (body.items ?? body).filter((entry: { targetId: string }) => entry.targetId === id);
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(["codec.update", "codec.create"]);
  });
});

describe("a trial", () => {
  const trial = async (body: Record<string, unknown>) => (await call("POST", "/preview", body)).body;

  test("decodes a frame in hexadecimal or base64", async () => {
    const expected = { result: { t: 21.5, port: 3 }, dropped: false, bytes: null, warnings: [], error: null };
    for (const frame of ["2b", "0x2B", "Kw==", "Kw"])
      expect(await trial({ source, frame, fPort: 3 })).toMatchObject(expected);
    expect(await trial({ source, frame: "2b00", encoding: "base64" })).toMatchObject({
      result: { t: 0xd9 / 2, port: 1 },
    });
    for (const frame of ["xyz!", "a", "ab".repeat(256)])
      expect((await call("POST", "/preview", { source, frame })).status).toBe(400);
    expect((await call("POST", "/preview", { source, frame: "Kw==", encoding: "hex" })).status).toBe(400);
  });

  test("transforms a message, with its console", async () => {
    const transform =
      "function transform(m, meta) { console.log(m); return meta.topic === 'x' ? null : { ...m, ok: true }; }";
    expect(await trial({ source: transform, message: { a: 1 } })).toMatchObject({
      result: { a: 1, ok: true },
      console: [{ level: "log", text: '{"a":1}' }],
      usedMs: expect.any(Number),
    });
    expect(await trial({ source: transform, metadata: { topic: "x" } })).toMatchObject({
      result: null,
      dropped: true,
    });
  });

  test("keeps a list a list, and a __proto__ key a key", async () => {
    const echo = "function transform(m) { return m; }";
    expect((await trial({ source: echo, message: [1, [2]] })).result).toEqual([1, [2]]);
    const text = '{"source":"function transform(m) { return m; }","message":{"__proto__":{"a":1}}}';
    const response = await fixture.call("POST", `${path}/preview`, {
      token: tokens.owner,
      raw: text,
      headers: { "content-type": "application/json" },
    });
    expect([200, 400]).toContain(response.status);
    expect(response.body.result?.a).toBeUndefined();
  });

  test("encodes a downlink", async () => {
    const encode =
      "function encodeDownlink({ data, fPort }) { return { bytes: [data.v, fPort], warnings: ['w'] }; }";
    expect(await trial({ source: encode, direction: "downlink", data: { v: 7 }, fPort: 2 })).toMatchObject({
      result: null,
      bytes: { hex: "0702", base64: "BwI=", fPort: 2 },
      warnings: ["w"],
    });
  });

  test("reports an error with its line and the console output before it", async () => {
    const failing = "function transform() {\n  console.log('here');\n  return missing;\n}";
    expect(await trial({ source: failing })).toMatchObject({
      result: null,
      dropped: false,
      console: [{ level: "log", text: "here" }],
      error: {
        code: "script.error",
        message: "The script failed: ReferenceError: 'missing' is not defined.",
        line: 3,
      },
    });
    expect((await trial({ source: "for (;;);" })).error).toMatchObject({
      code: "script.overrun",
      line: null,
    });
  });

  test("of an endless script does not delay telemetry", async () => {
    const device = await fixture.createDevice(tokens.owner, { name: "meter" });
    let isOver = false;
    const endless = trial({ source: "new Array(1e9).join('x')" }).finally(() => {
      isOver = true;
    });
    let sent = 0;
    while (!isOver) {
      const response = await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { n: sent } });
      expect(response.status).toBe(200);
      sent++;
    }
    expect((await endless).error.code).toBe("script.overrun");
    expect(sent).toBeGreaterThan(5);
  });
});

describe("access", () => {
  const as = (who: Who, method: string, rest: () => string, body?: unknown) => () => ({
    method,
    path: path + rest(),
    token: tokens[who],
    ...(body !== undefined && { body }),
  });
  const pathOf = () => `/${id}`;
  const body = { name: "x", source };
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous lists nothing",
        request: () => ({ method: "GET", path }),
        status: 401,
        answer: "none",
      },
      {
        name: "anonymous tries nothing",
        request: () => ({ method: "POST", path: `${path}/preview`, body: { source } }),
        status: 401,
        answer: "none",
      },
      { name: "a reader reads", request: as("reader", "GET", pathOf), status: 200 },
      {
        name: "a writer adds nothing",
        request: as("writer", "POST", () => "", body),
        status: 403,
        answer: "error",
      },
      {
        name: "a writer imports nothing",
        request: as("writer", "POST", () => "/import?name=x", body),
        status: 403,
        answer: "error",
      },
      {
        name: "a writer tries nothing",
        request: as("writer", "POST", () => "/preview", { source }),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader changes nothing",
        request: as("reader", "PATCH", pathOf, { name: "x" }),
        status: 403,
        answer: "error",
      },
      {
        name: "a writer deletes nothing",
        request: as("writer", "DELETE", pathOf),
        status: 403,
        answer: "error",
      },
      {
        name: "a user limited to some devices adds nothing",
        request: as("limited", "POST", () => "", body),
        status: 403,
        answer: "error",
      },
      {
        name: "a user limited to some devices deletes nothing",
        request: as("limited", "DELETE", pathOf),
        status: 403,
        answer: "error",
      },
      {
        name: "another tenant reads nothing",
        request: as("stranger", "GET", pathOf),
        status: 404,
        answer: "error",
      },
      {
        name: "another tenant changes nothing",
        request: as("stranger", "PATCH", pathOf, { name: "x" }),
        status: 404,
        answer: "error",
      },
      {
        name: "another tenant deletes nothing",
        request: as("stranger", "DELETE", pathOf),
        status: 404,
        answer: "error",
      },
      {
        name: "a codec without a source is refused",
        request: as("owner", "POST", () => "", { name: "x" }),
        status: 400,
        answer: "error",
      },
      {
        name: "a codec without a name is refused",
        request: as("owner", "POST", () => "", { name: " ", source }),
        status: 400,
        answer: "error",
      },
      {
        name: "a source that is too long is refused",
        request: as("owner", "POST", () => "", { name: "x", source: "x".repeat(256 * 1024 + 1) }),
        status: 400,
        answer: "error",
      },
    ],
  );

  test("another tenant's list has none of it", async () => {
    const { body: listed } = await call("GET", "", undefined, "stranger");
    expect(listed.map(({ codecId }: { codecId: string }) => codecId)).not.toContain(id);
  });
});
