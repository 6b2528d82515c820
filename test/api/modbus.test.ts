// Modbus connections, units and register maps by the API. Nothing is connected to: every connection is disabled or refused.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Text } from "../../src/lib/texts/text.ts";
import type { ModbusRegister } from "../../src/modules/modbus/modbus.types.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

let fixture: TestApp;
let owner: string;
let connectionId: string;
const register = { key: "power", area: "HOLDING_REGISTER", address: 0, type: "UINT16" };

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  const { body } = await call("POST", "/api/modbus/connections", {
    name: "line",
    host: "127.0.0.1",
    enabled: false,
  });
  ({ connectionId } = body);
});
afterAll(() => fixture.stop());

const call = (method: string, path: string, body?: unknown, token = owner) =>
  fixture.call(method, path, { token, ...(body === undefined ? {} : { body }) });
const units = () => `/api/modbus/connections/${connectionId}/units`;
const addUnit = async (fields: Record<string, unknown> = {}) => {
  const { deviceId } = await fixture.createDevice(owner);
  return call("POST", units(), { deviceId, ...fields });
};

describe("access", () => {
  test("users who only read see connections and create none", async () => {
    const { token } = await fixture.signIn("TENANT_READ_ONLY");
    expect((await call("GET", "/api/modbus/connections", undefined, token)).status).toBe(200);
    const created = await call("POST", "/api/modbus/connections", { name: "x", host: "192.0.2.1" }, token);
    expect(created.status).toBe(403);
  });

  test("users with some devices only cannot see units or change anything", async () => {
    const { token } = await fixture.signIn("TENANT_ADMIN", { devices: [] });
    const responses = await Promise.all([
      call("GET", units(), undefined, token),
      call("POST", "/api/modbus/connections", { name: "x", host: "192.0.2.1", enabled: false }, token),
      call("PATCH", `/api/modbus/connections/${connectionId}`, { name: "y" }, token),
      call("DELETE", `/api/modbus/connections/${connectionId}`, undefined, token),
      call(
        "POST",
        `/api/modbus/connections/${connectionId}/read`,
        { unitId: 1, area: "COIL", address: 0, count: 1 },
        token,
      ),
    ]);
    for (const { status, body } of responses)
      expect([status, body.code]).toEqual([403, "modbus.all_devices_needed"]);
  });

  test("another tenant finds nothing, and its devices cannot be used", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "two" });
    const { deviceId } = await fixture.createDevice(token);
    expect((await call("GET", "/api/modbus/connections", undefined, token)).body).toEqual([]);
    expect((await call("GET", units(), undefined, token)).status).toBe(404);
    expect((await call("POST", units(), { deviceId }, owner)).status).toBe(404);
    expect((await call("POST", units(), { deviceId }, token)).status).toBe(404);
  });
});

test("a connection to the gateway itself is refused, and its state says why", async () => {
  const { body } = await call("POST", "/api/modbus/connections", { name: "own", host: "127.0.0.1" });
  const path = `/api/modbus/connections/${body.connectionId}`;
  await until(async () => (await call("GET", path)).body.state.status === "waiting");
  expect((await call("GET", path)).body.state.problem.code).toBe("outbound.address_refused");
  expect((await call("DELETE", path)).status).toBe(200);
});

describe("a serial port", () => {
  const port = { name: "rs485", host: "/dev/ttyUSB7", framing: "SERIAL", enabled: false };
  const create = (fields: object, token: string) =>
    call("POST", "/api/modbus/connections", { ...port, ...fields }, token);

  test("belongs to the gateway's own tenant alone", async () => {
    const refused = await create({}, owner);
    expect([refused.status, refused.body.code]).toEqual([403, "modbus.serial_host_only"]);
    const changed = await call("PATCH", `/api/modbus/connections/${connectionId}`, {
      framing: "SERIAL",
      host: "/dev/ttyUSB7",
    });
    expect([changed.status, changed.body.code]).toEqual([403, "modbus.serial_host_only"]);
  });

  test("has its settings, and none once the framing is another", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "host" });
    const { status, body } = await create({}, token);
    expect([status, body.serial]).toEqual([201, { baudRate: 9_600, parity: "NONE", stopBits: 1 }]);
    const path = `/api/modbus/connections/${body.connectionId}`;
    const serial = { baudRate: 19_200, parity: "EVEN", stopBits: 2 };
    expect((await call("PATCH", path, { serial }, token)).body.serial).toEqual(serial);
    expect((await call("GET", path, undefined, token)).body.serial).toEqual(serial);
    const other = await call("PATCH", path, { framing: "TCP", host: "192.0.2.1" }, token);
    expect(other.body.serial).toBeNull();
    await call("DELETE", path, undefined, token);
  });

  test.each([
    ["another file", { host: "/etc/passwd" }],
    ["a virtual console", { host: "/dev/tty1" }],
    ["a path that leaves the folder", { host: "/dev/serial/by-id/../../sda" }],
    ["an unknown baud rate", { serial: { baudRate: 9_601, parity: "NONE", stopBits: 1 } }],
    ["an unknown parity", { serial: { baudRate: 9_600, parity: "MARK", stopBits: 1 } }],
  ])("is refused with %s", async (_, fields) => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "host" });
    expect((await create(fields, token)).status).toBe(400);
  });
});

test("names are unique in a tenant, and a device has the values of one unit", async () => {
  const again = await call("POST", "/api/modbus/connections", {
    name: "line",
    host: "192.0.2.1",
    enabled: false,
  });
  expect([again.status, again.body.code]).toEqual([409, "modbus.name_taken"]);
  const { body } = await addUnit();
  const second = await call("POST", units(), { deviceId: body.deviceId });
  expect([second.status, second.body.code]).toEqual([409, "modbus.device_taken"]);
  expect((await addUnit({ unitId: body.unitId })).status).toBe(201); // two devices may share a unit
});

test("the registers of all units of a connection are limited", async () => {
  const line = await call("POST", "/api/modbus/connections", {
    name: "full",
    host: "192.0.2.1",
    enabled: false,
  });
  const path = `/api/modbus/connections/${line.body.connectionId}/units`;
  const registers = Array.from({ length: 500 }, (_, address) => ({
    ...register,
    key: `r${address}`,
    address,
  }));
  for (let unitId = 1; unitId <= 40; unitId++) {
    const { deviceId } = await fixture.createDevice(owner);
    expect((await call("POST", path, { deviceId, unitId, registers })).status).toBe(201);
  }
  const { deviceId } = await fixture.createDevice(owner);
  const more = await call("POST", path, { deviceId, registers: [register] });
  expect([more.status, more.body.code]).toEqual([409, "modbus.too_many_registers"]);
  expect((await call("POST", path, { deviceId })).status).toBe(201);
  await call("DELETE", `/api/modbus/connections/${line.body.connectionId}`);
});

test.each([
  ["an address above 65535", { address: 65_535, type: "UINT32" }],
  ["a number in a coil", { area: "COIL", type: "UINT16" }],
  ["a text without length", { type: "STRING" }],
  ["a number with length", { length: 2 }],
  ["a scale of 0", { scale: 0 }],
  ["a bit of a signed number", { type: "INT16", bit: 1 }],
  ["a bit beyond the register", { bit: 15, bits: 2 }],
  ["a bit that can be written", { bit: 1, writable: true }],
  ["an input register that can be written", { area: "INPUT_REGISTER", writable: true }],
  ["a discrete input that can be written", { area: "DISCRETE_INPUT", type: "BOOL", writable: true }],
])("%s is refused", async (_, fields) => {
  const response = await addUnit({ registers: [{ ...register, ...fields }] });
  expect([response.status, response.body.code]).toEqual([400, "modbus.register_invalid"]);
});

test("two registers with one key are refused", async () => {
  const response = await addUnit({ registers: [register, { ...register, address: 1 }] });
  expect([response.status, response.body.code]).toEqual([400, "modbus.register_invalid"]);
});

test("changes are in the audit log", async () => {
  const { body } = await addUnit({ registers: [register] });
  await call("PATCH", `${units()}/${body.modbusUnitId}`, { intervalMs: 5_000 });
  await call("DELETE", `${units()}/${body.modbusUnitId}`);
  const log = await call("GET", "/api/audit");
  expect(log.status).toBe(200);
  const text = JSON.stringify(log.body);
  for (const action of ["create", "update", "delete"]) expect(text).toContain(`modbus_unit.${action}`);
});

describe("a register map in CSV", () => {
  const read = async (
    csv: string,
  ): Promise<{ registers: ModbusRegister[]; problems: { line: number; problem: Text }[] }> =>
    (await call("POST", "/api/modbus/register-maps", { csv })).body;

  test.each([
    ["commas and quotes", 'key,area,address,type,scale\n"a,b",holding,0x10,u16,0.1'],
    ["semicolons and decimal commas", "key;area;address;type;scale\r\na,b;HR;16;WORD;0,1\r\n"],
    ["tabs and a byte order mark", "\uFEFFkey\tarea\taddress\ttype\tscale\na,b\t4x\t16\tuint16\t0.1\n"],
  ])("may have %s", async (_, csv) => {
    expect(await read(csv)).toEqual({
      registers: [{ key: "a,b", area: "HOLDING_REGISTER", address: 16, type: "UINT16", scale: 0.1 }],
      problems: [],
    });
  });

  test("says which lines are no registers, and keeps the others", async () => {
    const { registers, problems } = await read(
      "key,address,type\na,0,UINT16\n\na,1,UINT16\nb,x,UINT16\nc,70000,UINT16\nd,2,NUMBER\ne,3,FLOAT\n",
    );
    expect(registers.map(({ key }) => key)).toEqual(["a", "e"]);
    expect(problems.map(({ line }) => line)).toEqual([4, 5, 6, 7]);
    expect((await read("key,address,type,color\na,0,UINT16,red")).problems).toHaveLength(1);
  });

  test("is refused where it is no table", async () => {
    const response = await call("POST", "/api/modbus/register-maps", { csv: 'key,address\n"a,0' });
    expect([response.status, response.body.code]).toEqual([400, "modbus.csv_unreadable"]);
  });

  test("has 500 registers at most, and a longer table is read in part", async () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => `r${index},${index},UINT16`);
    const { registers, problems } = await read(`key,address,type\n${lines.join("\n")}`);
    expect([registers.length, problems.length]).toEqual([500, 501]);
    expect(problems.at(-1)).toEqual({
      line: 1_002,
      problem: { code: "field.map_lines", params: { max: 1_000 } },
    });
  });
});
