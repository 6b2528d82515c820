// BACnet connections, units and tables of objects by the API. Nothing is connected to: every connection is disabled or refused.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const CONNECTIONS = "/api/bacnet/connections";
let fixture: TestApp;
let owner: string;
let path: string;

const call = (method: string, to: string, body?: unknown, token = owner) =>
  fixture.call(method, to, { token, ...(body === undefined ? {} : { body }) });
const connection = { host: "192.0.2.1", deviceInstance: 1_201, enabled: false };

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  const { body } = await call("POST", CONNECTIONS, { name: "air", ...connection });
  path = `${CONNECTIONS}/${body.connectionId}`;
});
afterAll(() => fixture.stop());

const addUnit = async (objects: object[]) => {
  const { deviceId } = await fixture.createDevice(owner);
  return call("POST", `${path}/units`, { deviceId, objects });
};

describe("access", () => {
  test("users who only read see connections, create none and do not search", async () => {
    const { token } = await fixture.signIn("TENANT_READ_ONLY");
    expect((await call("GET", CONNECTIONS, undefined, token)).status).toBe(200);
    expect((await call("POST", CONNECTIONS, { name: "x", ...connection }, token)).status).toBe(403);
    expect((await call("POST", "/api/bacnet/search", { address: "192.0.2.1" }, token)).status).toBe(403);
  });

  test("users with some devices only cannot see units, browse, search or change anything", async () => {
    const { token } = await fixture.signIn("TENANT_ADMIN", { devices: [] });
    const responses = await Promise.all([
      call("GET", `${path}/units`, undefined, token),
      call("POST", CONNECTIONS, { name: "x", ...connection }, token),
      call("PATCH", path, { deviceInstance: 2 }, token),
      call("DELETE", path, undefined, token),
      call("POST", `${path}/browse`, {}, token),
      call("POST", "/api/bacnet/search", { address: "192.0.2.1" }, token),
    ]);
    for (const { status, body } of responses)
      expect([status, body.code]).toEqual([403, "bacnet.all_devices_needed"]);
  });

  test("another tenant finds nothing, and its devices cannot be used", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "two" });
    const { deviceId } = await fixture.createDevice(token);
    expect((await call("GET", CONNECTIONS, undefined, token)).body).toEqual([]);
    expect((await call("GET", `${path}/units`, undefined, token)).status).toBe(404);
    expect((await call("POST", `${path}/browse`, {}, token)).status).toBe(404);
    expect((await call("POST", `${path}/units`, { deviceId })).status).toBe(404);
  });
});

test.each(["127.0.0.1", "169.254.169.254", "224.0.0.1", "255.255.255.255"])(
  "%s is refused for a connection, whose state says why, and for a search",
  async (host) => {
    const { body } = await call("POST", CONNECTIONS, { name: host, host, deviceInstance: 1 });
    const own = `${CONNECTIONS}/${body.connectionId}`;
    await until(async () => (await call("GET", own)).body.state.status === "waiting");
    expect((await call("GET", own)).body.state.problem.code).toBe("outbound.address_refused");
    expect((await call("DELETE", own)).status).toBe(200);
    const search = await call("POST", "/api/bacnet/search", { address: host });
    expect([search.status, search.body.code]).toEqual([400, "outbound.address_refused"]);
  },
);

test("a search at a name that does not exist says so", async () => {
  const { status, body } = await call("POST", "/api/bacnet/search", { address: "nowhere.invalid" });
  expect([status, body.code]).toEqual([409, "field.unreachable"]);
});

test.each([
  ["an address without a number", [{ key: "a", address: "analog-input" }]],
  ["an unknown type", [{ key: "a", address: "analog:1" }]],
  ["a number beyond the last", [{ key: "a", address: "AI:4194304" }]],
  [
    "a key of two objects",
    [
      { key: "a", address: "AI:1" },
      { key: "a", address: "AI:2" },
    ],
  ],
])("%s is refused", async (_, objects) => {
  const response = await addUnit(objects);
  expect([response.status, response.body.code]).toEqual([400, "bacnet.object_invalid"]);
});

test("names are unique in a tenant, and changes are in the audit log", async () => {
  const again = await call("POST", CONNECTIONS, { name: "air", ...connection });
  expect([again.status, again.body.code]).toEqual([409, "bacnet.name_taken"]);
  const { body } = await addUnit([{ key: "a", address: "AV:1", writable: true, priority: 8 }]);
  await call("PATCH", `${path}/units/${body.bacnetUnitId}`, { intervalMs: 5_000 });
  await call("DELETE", `${path}/units/${body.bacnetUnitId}`);
  const text = JSON.stringify((await call("GET", "/api/audit")).body);
  for (const action of ["create", "update", "delete"]) expect(text).toContain(`bacnet_unit.${action}`);
});

test("a change of a connection keeps what it does not name", async () => {
  const { status, body } = await call("PATCH", path, { network: 5, mac: "0a" });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { name: "air", port: 47_808, deviceInstance: 1_201, network: 5, mac: "0a", enabled: false },
  });
});

test("nothing is browsed while the connection is off", async () => {
  const { status, body } = await call("POST", `${path}/browse`, {});
  expect([status, body.code]).toEqual([409, "bacnet.not_connected"]);
});

describe("a table of objects", () => {
  const read = async (csv: string) => (await call("POST", "/api/bacnet/object-maps", { csv })).body;

  test("says which lines are none", async () => {
    const { objects, problems } = await read(
      "key;address;priority;writable\na;AO:1;8;yes\na;AI:1;;\nb;nowhere;;\nc;AI:2;17;\n",
    );
    expect(objects).toEqual([{ key: "a", address: "AO:1", priority: 8, writable: true }]);
    expect(problems.map(({ line }: { line: number }) => line)).toEqual([3, 4, 5]);
  });

  test("is also an EDE file, with lines about the project before its columns", async () => {
    const csv = [
      "# Engineering data;;;;;;;;;;",
      "PROJECT_NAME;Building 7;;;;;;;;;",
      "VERSION_OF_LAYOUT;2.3;;;;;;;;;",
      "# mandatory;mandatory;mandatory;mandatory;mandatory;optional;optional;optional;optional;optional;optional",
      "# keyname;device obj.-instance;object-name;object-type;object-instance;description;present-value-default;min-present-value;max-present-value;settable;supports COV",
      "B7'AHU1'TSup;1201;AHU1 supply;0;1;Supply air;;;;N;Y",
      "B7'AHU1'Valve;1201;AHU1 valve;1;7;Valve;0;0;100;Y;N",
      "B7'AHU1'X;1201;;0;x;;;;;N;N",
    ].join("\r\n");
    const { objects, problems } = await read(csv);
    expect(objects).toEqual([
      { key: "AHU1 supply", address: "0:1" },
      { key: "AHU1 valve", address: "1:7", writable: true },
    ]);
    expect(problems.map(({ line }: { line: number }) => line)).toEqual([8]);
  });
});
