import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const CONNECTIONS = "/api/opcua/connections";
const connection = { host: "192.0.2.1", enabled: false };
const FINGERPRINT = "ab".repeat(32);

let fixture: TestApp;
let owner: string;
let path: string;
let deviceId: string;

const call = (method: string, to: string, body?: unknown, token = owner) =>
  fixture.call(method, to, { token, body });
const addUnit = async (items: object[]) => {
  const device = await fixture.createDevice(owner);
  return call("POST", `${path}/units`, { deviceId: device.deviceId, items });
};

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  ({ deviceId } = await fixture.createDevice(owner));
  const { body } = await call("POST", CONNECTIONS, { name: "filler", ...connection });
  path = `${CONNECTIONS}/${body.connectionId}`;
});
afterAll(() => fixture.stop());

describe("permissions", () => {
  test("users who only read see connections, and change and ask nothing", async () => {
    const { token } = await fixture.signIn("TENANT_READ_ONLY");
    expect((await call("GET", CONNECTIONS, undefined, token)).status).toBe(200);
    expect((await call("POST", CONNECTIONS, { name: "x", ...connection }, token)).status).toBe(403);
    expect((await call("POST", "/api/opcua/endpoints", { host: "192.0.2.1" }, token)).status).toBe(403);
  });

  test("users with some devices only cannot see units, browse or change anything", async () => {
    const { token } = await fixture.signIn("TENANT_ADMIN", { devices: [] });
    const responses = await Promise.all([
      call("GET", `${path}/units`, undefined, token),
      call("POST", CONNECTIONS, { name: "x", ...connection }, token),
      call("PATCH", path, { storesUncertain: true }, token),
      call("DELETE", path, undefined, token),
      call("POST", `${path}/browse`, {}, token),
      call("POST", `${path}/describe`, { nodeIds: ["i=85"] }, token),
      call("POST", "/api/opcua/endpoints", { host: "192.0.2.1" }, token),
      call("GET", "/api/opcua/certificate", undefined, token),
    ]);
    for (const { status, body } of responses)
      expect([status, body.code]).toEqual([403, "opcua.all_devices_needed"]);
  });

  test("another tenant finds nothing, and its devices cannot be used", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "two" });
    const other = await fixture.createDevice(token);
    expect((await call("GET", CONNECTIONS, undefined, token)).body).toEqual([]);
    expect((await call("GET", `${path}/units`, undefined, token)).status).toBe(404);
    expect((await call("POST", `${path}/browse`, {}, token)).status).toBe(404);
    expect((await call("POST", `${path}/units`, { deviceId: other.deviceId })).status).toBe(404);
  });
});

test.each(["127.0.0.1", "169.254.169.254", "224.0.0.1"])(
  "%s is refused for a connection, whose state says why, and for a question",
  async (host) => {
    const { body } = await call("POST", CONNECTIONS, { name: host, host });
    const own = `${CONNECTIONS}/${body.connectionId}`;
    await until(async () => (await call("GET", own)).body.state.status === "waiting");
    expect((await call("GET", own)).body.state.problem.code).toBe("outbound.address_refused");
    expect((await call("DELETE", own)).status).toBe(200);
    const asked = await call("POST", "/api/opcua/endpoints", { host });
    expect([asked.status, asked.body.code]).toEqual([400, "outbound.address_refused"]);
  },
);

test("a question to a name that does not exist says so", async () => {
  const { status, body } = await call("POST", "/api/opcua/endpoints", { host: "nowhere.invalid" });
  expect([status, body.code, body.message]).toEqual([
    409,
    "field.unreachable",
    "The device cannot be reached: The host name is not known.",
  ]);
});

test.each([
  ["a text that is not a node", [{ key: "a", address: "Press.Pressure" }]],
  ["a writable array", [{ key: "a", address: "i=1", length: 2, writable: true }]],
  [
    "a key of two items",
    [
      { key: "a_1", address: "i=1" },
      { key: "a", address: "i=2", length: 2 },
    ],
  ],
])("%s is refused", async (_, items) => {
  const response = await addUnit(items);
  expect([response.status, response.body.code]).toEqual([400, "opcua.item_invalid"]);
});

test.each([
  ["a mode without a policy", { securityMode: "SIGN" }, "opcua.mode_policy"],
  ["a policy without a mode", { securityPolicy: "BASIC256SHA256" }, "opcua.mode_policy"],
  ["a user without a name", { signIn: "USER_NAME" }, "opcua.user_name_needed"],
])("%s is refused, in a new connection and in a change", async (_, fields, code) => {
  const created = await call("POST", CONNECTIONS, { name: "x", ...connection, ...fields });
  expect([created.status, created.body.code]).toEqual([400, code]);
  const changed = await call("PATCH", path, fields);
  expect([changed.status, changed.body.code]).toEqual([400, code]);
});

test("a password is never shown, and another address forgets it and the accepted certificate", async () => {
  const secure = {
    securityMode: "SIGN",
    securityPolicy: "BASIC256SHA256",
    acceptedFingerprint: FINGERPRINT,
    signIn: "USER_NAME",
    userName: "operator",
    password: "not to be seen",
  };
  const { body } = await call("POST", CONNECTIONS, { name: "secure", ...connection, ...secure });
  const own = `${CONNECTIONS}/${body.connectionId}`;
  expect(body).toMatchObject({ hasPassword: true, acceptedFingerprint: FINGERPRINT });
  const kept = await call("PATCH", own, { name: "secure 2" });
  expect(kept.body).toMatchObject({ hasPassword: true, acceptedFingerprint: FINGERPRINT });
  const moved = await call("PATCH", own, { host: "192.0.2.2" });
  expect(moved.body).toMatchObject({ hasPassword: false, acceptedFingerprint: null });
  const everything = [body, kept.body, moved.body, (await call("GET", "/api/audit")).body];
  expect(JSON.stringify(everything)).not.toContain("not to be seen");
  expect(JSON.stringify(everything)).not.toContain("passwordSealed");
});

test("names are unique in a tenant, and changes are in the audit log", async () => {
  const again = await call("POST", CONNECTIONS, { name: "filler", ...connection });
  expect([again.status, again.body.code]).toEqual([409, "opcua.name_taken"]);
  const { body } = await addUnit([{ key: "a", address: "ns=2;s=A", writable: true }]);
  await call("PATCH", `${path}/units/${body.opcuaUnitId}`, { intervalMs: 5_000 });
  await call("DELETE", `${path}/units/${body.opcuaUnitId}`);
  const text = JSON.stringify((await call("GET", "/api/audit")).body);
  for (const action of ["create", "update", "delete"]) expect(text).toContain(`opcua_unit.${action}`);
});

test("nothing is browsed while the connection is off, or at a node that is none", async () => {
  const off = await call("POST", `${path}/browse`, {});
  expect([off.status, off.body.code]).toEqual([409, "opcua.not_connected"]);
  for (const to of ["browse", "describe"]) {
    const body = to === "browse" ? { nodeId: "x" } : { nodeIds: ["i=1", "x"] };
    const wrong = await call("POST", `${path}/${to}`, body);
    expect([wrong.status, wrong.body.code]).toEqual([400, "opcua.node_invalid"]);
  }
});

test("the certificate of the gateway stays the same", async () => {
  const { body } = await call("GET", "/api/opcua/certificate");
  expect(body.pem).toStartWith("-----BEGIN CERTIFICATE-----\n");
  expect(body.applicationUri).toStartWith("urn:");
  expect((await call("GET", "/api/opcua/certificate")).body).toEqual(body);
});

test("the certificate is renewed by people who manage the gateway, and a restored data directory has it", async () => {
  const before = (await call("GET", "/api/opcua/certificate")).body;
  expect((await call("POST", "/api/opcua/certificate/renew", {})).status).toBe(403);
  const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "host" });
  const { status, body } = await call("POST", "/api/opcua/certificate/renew", {}, token);
  expect(status).toBe(200);
  expect(body.fingerprint).not.toBe(before.fingerprint);
  expect(Date.parse(body.validTo)).toBeGreaterThan(Date.now());
  rmSync(join(fixture.directory, "opcua"), { recursive: true });
  expect((await call("GET", "/api/opcua/certificate")).body).toEqual(body);
});

test("a table of items says which lines are none", async () => {
  const csv = "key,address,length,writable\na,ns=2;s=A,,yes\nb,nowhere,,\nc,ns=2;s=C,3,\nd,i=5,0,\n";
  const { body } = await call("POST", "/api/opcua/item-maps", { csv });
  expect(body.items).toEqual([
    { key: "a", address: "ns=2;s=A", writable: true },
    { key: "c", address: "ns=2;s=C", length: 3 },
  ]);
  expect(body.problems.map(({ line }: { line: number }) => line)).toEqual([3, 5]);
});

test("a unit of another device is refused", async () => {
  expect((await call("POST", `${path}/units`, { deviceId })).status).toBe(201);
  const again = await call("POST", `${path}/units`, { deviceId });
  expect([again.status, again.body.code]).toEqual([409, "opcua.device_taken"]);
});
