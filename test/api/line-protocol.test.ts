import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { type ApiRow, apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let device: { deviceId: string; token: string };
let gateway: { deviceId: string; token: string };
const TS = 1767268800000;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(owner);
  gateway = await fixture.createDevice(owner, { role: "GATEWAY", deviceType: "gateway" });
});
afterAll(() => fixture.stop());

const write = (
  raw: string | Uint8Array,
  { token = device.token, path = "/write?precision=ms", headers = {} } = {},
) => fixture.call("POST", path, { raw, headers: { authorization: `Token ${token}`, ...headers } });
async function latest(deviceId: string): Promise<Record<string, unknown>> {
  const response = await fixture.call("GET", `/api/devices/${deviceId}/telemetry/latest`, { token: owner });
  return response.body.values ?? response.body;
}
async function childrenOf(deviceId: string): Promise<Record<string, string>> {
  const response = await fixture.call("GET", `/api/devices/${deviceId}/children`, { token: owner });
  return Object.fromEntries(
    response.body.map((child: { name: string; deviceId: string }) => [child.name, child.deviceId]),
  );
}
const rejectionsOf = async (deviceId: string) =>
  (await fixture.call("GET", `/api/devices/${deviceId}/rejections`, { token: owner })).body;

describe("credentials", () => {
  const line = { raw: `m a=1 ${TS}`, method: "POST" };
  const basic = (credential: string) => `Basic ${Buffer.from(credential).toString("base64")}`;
  const row = (name: string, path: () => string, authorization?: () => string, status = 204): ApiRow => ({
    name,
    request: () => ({
      ...line,
      path: path(),
      headers: authorization === undefined ? {} : { authorization: authorization() },
    }),
    status,
    answer: "none",
  });
  const versionOne = () => "/write?db=x&precision=ms";
  const versionTwo = () => "/api/v2/write?org=o&bucket=b&precision=ms";
  apiRows(
    () => fixture,
    [
      row("none is refused", versionOne, undefined, 401),
      row("none is refused by version 2", versionTwo, undefined, 401),
      row("a wrong token is refused", versionTwo, () => "Token wrong", 401),
      row("an access token of a user is refused", versionTwo, () => `Bearer ${owner}`, 401),
      row("a token", versionTwo, () => `Token ${device.token}`),
      row("a bearer token", versionOne, () => `Bearer ${device.token}`),
      row("a basic password", versionOne, () => basic(`telegraf:${device.token}`)),
      row("the query p", () => `/write?db=x&u=telegraf&p=${device.token}&precision=ms`),
    ],
  );

  test("that are wrong are listed", async () => {
    const operator = (await fixture.signIn("TENANT_OWNER", { tenant: "host" })).token;
    const { body } = await fixture.call("GET", "/api/gateway/refusals", { token: operator });
    const reasons = body.map(
      (entry: { edge: string; reason: { code: string } }) => `${entry.edge} ${entry.reason.code}`,
    );
    expect(reasons).toContain("device_api refusal.credential_missing");
    expect(reasons).toContain("device_api refusal.token_wrong");
  });
});

describe("requests", () => {
  const refused = (name: string, request: () => ReturnType<ApiRow["request"]>, status: number): ApiRow => ({
    name,
    request: () => {
      const { headers, ...others } = request();
      return { ...others, headers: { authorization: `Token ${device.token}`, ...headers } };
    },
    status,
    answer: "error",
  });
  const post = (path: string, raw: string | Uint8Array, headers = {}) => ({
    ...{ method: "POST", path, raw, headers },
  });
  const zipped = { "content-encoding": "gzip" };
  apiRows(
    () => fixture,
    [
      refused("an unknown precision", () => post("/write?precision=d", "m a=1"), 400),
      refused("an unknown form of keys", () => post("/write?keys=x", "m a=1"), 400),
      refused("an unknown encoding", () => post("/write", "m a=1", { "content-encoding": "br" }), 415),
      refused("broken gzip", () => post("/write", "m a=1", zipped), 400),
      refused("more than 5 MiB", () => post("/api/v2/write", new Uint8Array(5 * 2 ** 20 + 1)), 413),
      refused("more when unzipped", () => post("/write", gzipSync(new Uint8Array(2 ** 23)), zipped), 413),
      refused("too many lines", () => post("/write", "\n".repeat(100_000)), 413),
      refused("a path below", () => post("/write/x", "m a=1"), 404),
      refused("another method", () => ({ method: "GET", path: "/write" }), 404),
    ],
  );

  test("names the version to those that ask before they write", async () => {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await fixture.call(method, "/ping");
      expect([status, headers.get("x-influxdb-version")]).toEqual([204, expect.stringMatching(/^\d/)]);
    }
  });

  test("says that it is well to those that ask before they write", async () => {
    const { status, body } = await fixture.call("GET", "/health");
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ name: "influxdb", status: "pass", version: expect.stringMatching(/^v\d/) }),
    ]);
  });

  test("takes nothing from an empty body", async () => {
    expect((await write("# only a comment\n\n")).status).toBe(204);
  });

  test("says when to come again beyond the rate", async () => {
    const { body } = await fixture.call("POST", "/api/device-profiles", {
      token: owner,
      body: { name: "slow", messagesPerSecond: 1 },
    });
    const { token } = await fixture.createDevice(owner, { profileId: body.profileId });
    const responses = [];
    for (let count = 0; count < 20; count++) responses.push(await write(`m a=${count}`, { token }));
    const limited = responses.find(({ status }) => status === 429);
    expect(limited?.headers.get("retry-after")).toMatch(/^\d+$/);
  });
});

describe("the token of a device", () => {
  test("stores all lines on it, with their types and times", async () => {
    const { deviceId, token } = await fixture.createDevice(owner);
    const body = gzipSync(
      `cpu,cpu=cpu0,host=a usage=1.5,n=3i,on=t,text="x y" ${TS}000000\ncpu,cpu=cpu1,host=b usage=2 ${TS}000000\nmem free=7u`,
    );
    const path = "/api/v2/write?bucket=b";
    expect((await write(body, { token, path, headers: { "content-encoding": "gzip" } })).status).toBe(204);
    expect(await latest(deviceId)).toMatchObject({
      "cpu.cpu0.usage": 1.5,
      "cpu.cpu0.n": 3,
      "cpu.cpu0.on": true,
      "cpu.cpu0.text": "x y",
      "cpu.cpu1.usage": 2,
      "mem.free": 7,
    });
    const range = await fixture.call(
      "GET",
      `/api/devices/${deviceId}/telemetry/range?from=${TS}&to=${TS}&keys=cpu.cpu1.usage`,
      { token: owner },
    );
    expect(range.text).toContain(`"ts":${TS},"value":2`);
  });

  test("has keys by the rules of the query, or of the database", async () => {
    const { deviceId, token } = await fixture.createDevice(owner);
    const line = `disk,host=a,path=/,mode=rw used=1 ${TS}`;
    await write(line, { token, path: "/write?precision=ms&keys=field&tags=" });
    await write(line, { token, path: "/write?precision=ms&tags=path" });
    await write(line, {
      token,
      path: `/write?precision=ms&db=${encodeURIComponent("tags=mode&keys=field")}`,
    });
    expect(Object.keys(await latest(deviceId)).sort()).toEqual(
      expect.arrayContaining(["disk./.used", "rw.used", "used"]),
    );
  });
});

describe("the token of a gateway", () => {
  test("stores the lines of each child on it, and others on the gateway", async () => {
    expect(
      (await write(`m,host=c1 a=1 ${TS}\nm,host=c2 a=2 ${TS}\nm a=3 ${TS}`, { token: gateway.token })).status,
    ).toBe(204);
    const { c1 = "", c2 = "" } = await childrenOf(gateway.deviceId);
    expect(await latest(c1)).toMatchObject({ "m.a": 1 });
    expect(await latest(c2)).toMatchObject({ "m.a": 2 });
    expect(await latest(gateway.deviceId)).toMatchObject({ "m.a": 3 });
  });

  test("names children by another tag", async () => {
    const { token, deviceId } = await fixture.createDevice(owner, { role: "GATEWAY" });
    await write(`m,host=h,node=n1 a=1 ${TS}`, { token, path: "/write?precision=ms&device_tag=node" });
    const { n1 = "" } = await childrenOf(deviceId);
    expect(await latest(n1)).toMatchObject({ "m.h.a": 1 });
  });

  test("speaks for no device that is not its child", async () => {
    const other = await fixture.createDevice(owner, { name: "not its child" });
    const response = await write(String.raw`m,host=not\ its\ child a=1`, { token: gateway.token });
    expect([response.status, response.body.error]).toEqual([400, expect.stringContaining("not its child")]);
    expect(await latest(other.deviceId)).not.toHaveProperty("m.a");
  });

  test("creates at most 1,000 children with one body", async () => {
    const { token, deviceId } = await fixture.createDevice(owner, { role: "GATEWAY" });
    const lines = Array.from({ length: 1_010 }, (_, index) => `m,host=h${index} a=1`).join("\n");
    const response = await write(lines, { token });
    expect(response.body).toMatchObject({
      code: "line_protocol.partial",
      params: { count: 10, line: 1_001 },
    });
    expect(Object.keys(await childrenOf(deviceId))).toHaveLength(1_000);
  });
});

test("a gateway's lines reach no device of another tenant, which may have the same name", async () => {
  const stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  const other = await fixture.createDevice(stranger, { name: "pc 1" });
  expect((await write(String.raw`m,host=pc\ 1 a=1`, { token: gateway.token })).status).toBe(204);
  const { body } = await fixture.call("GET", `/api/devices/${other.deviceId}/telemetry/latest`, {
    token: stranger,
  });
  expect(JSON.stringify(body)).not.toContain("m.a");
  expect(await childrenOf(gateway.deviceId)).toHaveProperty("pc 1");
});

test("nothing is acknowledged while the disk is full", async () => {
  let free = 1e12;
  const clock = new FakeClock();
  const full = await createTestApp({ clock, readSpace: async () => ({ free, total: 1e12 }) });
  const { token } = await full.createDevice((await full.signIn("TENANT_OWNER")).token);
  const options = { raw: "m a=1", headers: { authorization: `Token ${token}` } };
  free = 0;
  let response = await full.call("POST", "/api/v2/write", options);
  while (response.status === 204) {
    clock.advance(1_000);
    response = await full.call("POST", "/api/v2/write", options);
  }
  expect([response.status, response.body.code]).toEqual([503, "unavailable"]);
  expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
  await full.stop();
});

describe("lines that are refused", () => {
  test("cost the others nothing, are named as InfluxDB does, and are listed", async () => {
    const { deviceId, token } = await fixture.createDevice(owner);
    const lines = `m a=1 ${TS}\nm b=x ${TS}\nm c=3 ${TS}\nm d=4 -1\nm ${"k".repeat(300)}=1`;
    const first = await write(lines, { token });
    expect(first.status).toBe(400);
    expect(first.body.error).toMatch(
      /^partial write: line 2 'm b=x \d+' was refused: .* Refused lines: 3\.$/,
    );
    const second = await write(lines, { token, path: "/api/v2/write?precision=ms" });
    expect(second.body).toMatchObject({ code: "invalid", message: first.body.error });
    expect(await latest(deviceId)).toMatchObject({ "m.a": 1, "m.c": 3 });
    const rejections = await rejectionsOf(deviceId);
    expect(JSON.stringify(rejections)).toContain("line_protocol.partial");
  });

  test("are listed in one entry, however the lines differ, and without their secrets", async () => {
    const { deviceId, token } = await fixture.createDevice(owner);
    for (const value of ["qwertzuiop12", "asdfghjkl345"])
      expect((await write(`m password="${value}",b=x ${TS}`, { token })).status).toBe(400);
    const rejections = await rejectionsOf(deviceId);
    expect(rejections).toMatchObject([{ code: "line_protocol.partial", count: 2 }]);
    expect(JSON.stringify(rejections)).not.toMatch(/zuiop|ghjkl/);
  });

  test("are not those that name a field twice: the last value is stored, and the names are listed", async () => {
    const { deviceId, token } = await fixture.createDevice(owner);
    expect((await write(`m a=1,a=2,n=9007199254740993i ${TS}\nm b=1,b=1 ${TS}`, { token })).status).toBe(204);
    expect(await latest(deviceId)).toEqual({ "m.a": 2, "m.n": "9007199254740993", "m.b": 1 });
    expect(await rejectionsOf(deviceId)).toMatchObject([
      { code: "body.names_repeated", where: "/write", params: { names: '"a", "b"' } },
    ]);
  });

  test("are those that are no UTF-8", async () => {
    const { deviceId, token } = await fixture.createDevice(owner);
    const raw = Buffer.concat([
      Buffer.from(`m a=1 ${TS}\nm b="`),
      Buffer.from([0xff]),
      Buffer.from(`" ${TS}`),
    ]);
    expect((await write(raw, { token })).body.params).toMatchObject({ line: 2, count: 1 });
    expect(await latest(deviceId)).toMatchObject({ "m.a": 1 });
  });
});
