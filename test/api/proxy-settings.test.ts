// The settings about reverse proxies that operators change in the console.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const PATH = "/api/gateway/proxy";
const PUBLIC = "https://plant.example/lineside";
const directory = mkdtempSync(join(tmpdir(), "lineside-proxy-"));
let fixture: TestApp;
let owner: string;

beforeAll(async () => {
  fixture = await createTestApp({ directory, host: "one" });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(async () => {
  await fixture.stop();
  rmSync(directory, { recursive: true, force: true });
});

const call = (method: string, path = "", body?: unknown, headers: Record<string, string> = {}) =>
  fixture.call(method, `${PATH}${path}`, { token: owner, headers, ...(body !== undefined && { body }) });
const testWith = async (input: object, headers: Record<string, string> = {}) =>
  (await call("POST", "/test", input, { "content-type": "application/json", ...headers })).body;
const codesOf = ({ problems }: { problems: { code: string }[] }) => problems.map(({ code }) => code);
const fromProxy = {
  "x-forwarded-for": "203.0.113.7",
  "x-forwarded-proto": "https",
  "x-forwarded-host": "plant.example",
};

test.each([
  ["publicUrl", "ftp://plant.example", "proxy.public_url_invalid"],
  ["publicUrl", "https://plant.example/api", "proxy.public_url_invalid"],
  ["trustedProxies", "127.0.0.1, nonsense", "proxy.address_invalid"],
])("refuses the %s %s", async (key, value, code) => {
  const { status, body } = await call("PUT", "", { [key]: value });
  expect([status, body.code]).toEqual([400, code]);
});

test("a test shows what the gateway would see of the request", async () => {
  const settings = { publicUrl: PUBLIC, trustedProxies: "127.0.0.1" };
  expect(await testWith(settings, fromProxy)).toEqual({
    peer: "127.0.0.1",
    isTrusted: true,
    address: "203.0.113.7",
    protocol: "https",
    host: "plant.example",
    headers: fromProxy,
    problems: [],
  });
  const { host } = new URL(fixture.app.url);
  const distrusted = await testWith({ trustedProxies: "10.0.0.1" }, fromProxy);
  expect(distrusted).toMatchObject({ isTrusted: false, address: "127.0.0.1", protocol: "http", host });
  expect(codesOf(distrusted)).toEqual(["proxy.not_trusted"]);
  expect(codesOf(await testWith(settings))).toEqual(["proxy.no_headers", "proxy.other_address"]);
  expect(codesOf(await testWith(settings, { "x-forwarded-for": "203.0.113.7" }))).toContain(
    "proxy.no_protocol",
  );
});

test("settings take effect at the next start", async () => {
  const saved = await call("PUT", "", { publicUrl: PUBLIC, trustedProxies: "127.0.0.1" });
  expect(saved.body).toEqual({
    publicUrl: PUBLIC,
    trustedProxies: "127.0.0.1",
    fixed: [],
    needsRestart: true,
  });
  const response = await fixture.call("POST", "/api/gateway/restart", { token: owner });
  expect(response.status).toBe(202);
  await fixture.app.restartRequested;
  await fixture.stop();
  fixture = await createTestApp({ directory, host: "one" });
  expect(fixture.app.url).toBe(PUBLIC);
  await fixture.stop();
  // What the configuration sets has priority.
  const config = { public_url: "http://127.0.0.1", trusted_proxies: "10.0.0.1" };
  fixture = await createTestApp({ directory, config });
  expect(fixture.app.url).toBe("http://127.0.0.1");
});

test("what the configuration sets cannot be changed", async () => {
  await fixture.stop();
  fixture = await createTestApp({ host: "one", config: { trusted_proxies: "10.0.0.1" } });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  expect((await call("GET")).body).toMatchObject({ trustedProxies: "10.0.0.1", fixed: ["trusted_proxies"] });
  const { status, body } = await call("PUT", "", { trustedProxies: "10.0.0.2" });
  expect([status, body.code]).toEqual([409, "proxy.fixed"]);
  expect((await call("PUT", "", { publicUrl: PUBLIC })).status).toBe(200);
});
