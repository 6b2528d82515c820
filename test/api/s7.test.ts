// S7 connections, units and tables of tags by the API. Nothing is connected to: every connection is disabled or refused.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const CONNECTIONS = "/api/s7/connections";
let fixture: TestApp;
let owner: string;
let path: string;

const call = (method: string, to: string, body?: unknown, token = owner) =>
  fixture.call(method, to, { token, ...(body === undefined ? {} : { body }) });

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  const { body } = await call("POST", CONNECTIONS, { name: "press", host: "192.0.2.1", enabled: false });
  path = `${CONNECTIONS}/${body.connectionId}`;
});
afterAll(() => fixture.stop());

const addUnit = async (tags: object[]) => {
  const { deviceId } = await fixture.createDevice(owner);
  return call("POST", `${path}/units`, { deviceId, tags });
};

describe("access", () => {
  test("users who only read see connections and create none", async () => {
    const { token } = await fixture.signIn("TENANT_READ_ONLY");
    expect((await call("GET", CONNECTIONS, undefined, token)).status).toBe(200);
    expect((await call("POST", CONNECTIONS, { name: "x", host: "192.0.2.1" }, token)).status).toBe(403);
  });

  test("users with some devices only cannot see units, read or change anything", async () => {
    const { token } = await fixture.signIn("TENANT_ADMIN", { devices: [] });
    const responses = await Promise.all([
      call("GET", `${path}/units`, undefined, token),
      call("POST", CONNECTIONS, { name: "x", host: "192.0.2.1", enabled: false }, token),
      call("PATCH", path, { slot: 2 }, token),
      call("DELETE", path, undefined, token),
      call("POST", `${path}/read`, { address: "MB0" }, token),
    ]);
    for (const { status, body } of responses)
      expect([status, body.code]).toEqual([403, "s7.all_devices_needed"]);
  });

  test("another tenant finds nothing, and its devices cannot be used", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "two" });
    const { deviceId } = await fixture.createDevice(token);
    expect((await call("GET", CONNECTIONS, undefined, token)).body).toEqual([]);
    expect((await call("GET", `${path}/units`, undefined, token)).status).toBe(404);
    expect((await call("POST", `${path}/units`, { deviceId })).status).toBe(404);
    expect((await call("POST", `${path}/units`, { deviceId }, token)).status).toBe(404);
  });
});

test.each(["127.0.0.1", "169.254.169.254", "224.0.0.1"])(
  "%s is refused, and the state says why",
  async (host) => {
    const { body } = await call("POST", CONNECTIONS, { name: host, host });
    const own = `${CONNECTIONS}/${body.connectionId}`;
    await until(async () => (await call("GET", own)).body.state.status === "waiting");
    expect((await call("GET", own)).body.state.problem.code).toBe("outbound.address_refused");
    expect((await call("DELETE", own)).status).toBe(200);
  },
);

test.each([
  ["a timer", [{ key: "a", address: "T5" }]],
  ["a scaled bit", [{ key: "a", address: "M0.0", scale: 2 }]],
  ["a scale of 0", [{ key: "a", address: "MW0", scale: 0 }]],
  ["an input that can be written", [{ key: "a", address: "I0.0", writable: true }]],
  ["a date that can be written", [{ key: "a", address: "DB1,DTL0", writable: true }]],
  [
    "a key that is that of an element",
    [
      { key: "a", address: "DB1,INT0.3" },
      { key: "a_2", address: "MB0" },
    ],
  ],
  [
    "too many values",
    Array.from({ length: 8 }, (_, index) => ({ key: `k${index}`, address: "DB1,BYTE0.256" })),
  ],
])("%s is refused", async (_, tags) => {
  const response = await addUnit(tags);
  expect([response.status, response.body.code]).toEqual([400, "s7.tag_invalid"]);
});

test("names are unique in a tenant, and changes are in the audit log", async () => {
  const again = await call("POST", CONNECTIONS, { name: "press", host: "192.0.2.1", enabled: false });
  expect([again.status, again.body.code]).toEqual([409, "s7.name_taken"]);
  const { body } = await addUnit([{ key: "a", address: "%MW0", writable: true }]);
  await call("PATCH", `${path}/units/${body.s7UnitId}`, { intervalMs: 5_000 });
  await call("DELETE", `${path}/units/${body.s7UnitId}`);
  const text = JSON.stringify((await call("GET", "/api/audit")).body);
  for (const action of ["create", "update", "delete"]) expect(text).toContain(`s7_unit.${action}`);
});

test("a change of a connection keeps what it does not name", async () => {
  const { status, body } = await call("PATCH", path, { slot: 2 });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { name: "press", host: "192.0.2.1", port: 102, rack: 0, slot: 2, enabled: false },
  });
  expect((await call("GET", path)).body.slot).toBe(2);
});

test("a table of tags says which lines are none, and templates are maps without problems", async () => {
  const csv = "key;address;scale;writable\na;%DB1.DBD4:REAL;0,1;yes\na;MB1;;\nb;nowhere;;\n";
  const { tags, problems } = (await call("POST", "/api/s7/tag-maps", { csv })).body;
  expect(tags).toEqual([{ key: "a", address: "%DB1.DBD4:REAL", scale: 0.1, writable: true }]);
  expect(problems.map(({ line }: { line: number }) => line)).toEqual([3, 4]);
  for (const template of (await call("GET", "/api/s7/templates?search=S7")).body)
    expect((await addUnit(template.tags)).status).toBe(201);
});
