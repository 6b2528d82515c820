// The whole way with pymodbus as the device: registers become telemetry, and commands write registers.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { BYTE_ORDERS } from "../../../src/lib/modbus/modbus-lists.ts";
import { hasPymodbus, type ModbusSimulator, startModbusSimulator } from "../../support/modbus-simulator.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";
import { until, untilAnswer } from "../../support/until.ts";

let fixture: TestApp;
let token: string;

beforeAll(async () => {
  fixture = await createTestApp({
    config: { outbound_allow: "127.0.0.1", outbound_private: "host" },
  });
  ({ token } = await fixture.signIn("TENANT_OWNER", { tenant: "host" }));
});
afterAll(() => fixture.stop());

const call = async (method: string, path: string, body?: unknown) => {
  const response = await fixture.call(method, path, { token, body });
  if (response.status >= 400) throw new Error(`${response.status} ${response.text}`);
  return response.body;
};

const floats = BYTE_ORDERS.flatMap((order, index) =>
  [
    ["float", 0, "FLOAT32"],
    ["int", 2, "INT32"],
    ["uint", 4, "UINT32"],
    ["long", 6, "INT64"],
    ["double", 10, "FLOAT64"],
    ["ulong", 14, "UINT64"],
  ].map(([name, offset, type]) => ({
    key: `${name}_${order}`,
    area: "HOLDING_REGISTER",
    address: 100 + index * 20 + Number(offset),
    type,
    order,
  })),
);

const registers = [
  { key: "voltage", area: "HOLDING_REGISTER", address: 0, type: "UINT16" },
  { key: "temperature", area: "HOLDING_REGISTER", address: 1, type: "INT16", scale: 0.1 },
  { key: "running", area: "HOLDING_REGISTER", address: 2, type: "UINT16", bit: 1 },
  { key: "mode", area: "HOLDING_REGISTER", address: 2, type: "UINT16", bit: 4, bits: 4 },
  { key: "setpoint", area: "HOLDING_REGISTER", address: 10, type: "UINT16", scale: 0.5, writable: true },
  { key: "target", area: "HOLDING_REGISTER", address: 100, type: "FLOAT32", writable: true },
  { key: "none", area: "HOLDING_REGISTER", address: 40, type: "INT16", absent: -32_768 },
  { key: "not_a_number", area: "HOLDING_REGISTER", address: 42, type: "FLOAT32" },
  { key: "no_digits", area: "HOLDING_REGISTER", address: 44, type: "BCD16" },
  { key: "model", area: "HOLDING_REGISTER", address: 200, type: "STRING", length: 4 },
  { key: "missing", area: "HOLDING_REGISTER", address: 5, type: "UINT16" },
  { key: "input", area: "INPUT_REGISTER", address: 50, type: "UINT16" },
  { key: "valve", area: "COIL", address: 1, type: "BOOL", writable: true },
  { key: "door", area: "DISCRETE_INPUT", address: 1, type: "BOOL" },
  ...floats,
];

describe.skipIf(!hasPymodbus).each(["TCP", "RTU"] as const)("pymodbus speaking %s", (framing) => {
  let simulator: ModbusSimulator;
  let deviceId: string;
  let connectionId: string;
  const unit = async () => (await call("GET", `/api/modbus/connections/${connectionId}/units`))[0];
  const connection = () => call("GET", `/api/modbus/connections/${connectionId}`);

  beforeAll(async () => {
    simulator = await startModbusSimulator(framing);
    ({ deviceId } = await fixture.createDevice(token, { name: `meter ${framing}` }));
    const { port } = simulator;
    const fields = { name: `line ${framing}`, host: "127.0.0.1", port, framing, timeoutMs: 5_000 };
    ({ connectionId } = await call("POST", "/api/modbus/connections", fields));
    const body = { deviceId, unitId: 2, intervalMs: 100, registers };
    await call("POST", `/api/modbus/connections/${connectionId}/units`, body);
  });
  afterAll(async () => {
    await call("DELETE", `/api/modbus/connections/${connectionId}`);
    await simulator.kill();
  });

  test("provides the values of all types, orders and areas, and only the refused register is left out", async () => {
    await until(async () => (await unit()).health.lastReadAt !== null);
    const latest = await call("POST", "/api/v1/telemetry/latest", { deviceIds: [deviceId] });
    expect(latest[0].values).toEqual({
      voltage: 231,
      temperature: -20,
      running: true,
      mode: 10,
      setpoint: 3.5,
      target: 3.14,
      model: "PUMP-7",
      input: 42,
      valve: false,
      door: true,
      ...Object.fromEntries(
        BYTE_ORDERS.flatMap((order) => [
          [`float_${order}`, 3.14],
          [`int_${order}`, -123_456],
          [`uint_${order}`, 3_000_000_000],
          [`long_${order}`, -1_234_567_890_123],
          [`double_${order}`, 2.5],
          [`ulong_${order}`, 9_007_199_254_740_991],
        ]),
      ),
    });
    const { health } = await unit();
    expect(health.refused).toEqual([{ key: "missing", exceptionCode: 2 }]);
    const note = expect.objectContaining({ code: "field.no_value", params: { count: 1, total: 1 } });
    expect(health.notes).toEqual([
      { key: "not_a_number", note },
      { key: "no_digits", note },
    ]);
  });

  const command = (key: string, value: unknown) =>
    fixture.call("POST", `/api/devices/${deviceId}/commands`, {
      token,
      body: { method: "setValue", params: { key, value } },
    });
  const responseTo = async (key: string, value: unknown) => {
    const { body } = await command(key, value);
    return untilAnswer(
      () => call("GET", `/api/devices/${deviceId}/commands/${body.commandId}`),
      ({ status }: { status: string }) => status === "SUCCESSFUL" || status === "FAILED",
    );
  };

  test("is written by commands, which answer with the value that was read back", async () => {
    expect(await responseTo("setpoint", 21.5)).toMatchObject({
      status: "SUCCESSFUL",
      response: { setpoint: 21.5 },
    });
    expect(await responseTo("target", -7.25)).toMatchObject({
      status: "SUCCESSFUL",
      response: { target: -7.25 },
    });
    expect(await responseTo("valve", true)).toMatchObject({
      status: "SUCCESSFUL",
      response: { valve: true },
    });
    for (const [key, value] of [
      ["voltage", 1],
      ["nothing", 1],
      ["setpoint", "warm"],
      ["setpoint", 1e9],
    ] as const)
      expect((await responseTo(key, value)).status).toBe("FAILED");
    await until(async () => {
      const { values } = (await unit()).health;
      return values.some(
        (item: { key: string; value: unknown }) => item.key === "valve" && item.value === true,
      );
    });
  });

  test("is read on request", async () => {
    const read = (body: unknown) =>
      fixture.call("POST", `/api/modbus/connections/${connectionId}/read`, { token, body });
    const good = await read({ unitId: 1, area: "INPUT_REGISTER", address: 0, count: 2 });
    expect(good.body).toEqual({ area: "INPUT_REGISTER", address: 0, values: [1234, 5678] });
    const bits = await read({ unitId: 1, area: "COIL", address: 0, count: 3 });
    expect(bits.body.values).toEqual([1, 0, 1]);
    const refused = await read({ unitId: 1, area: "INPUT_REGISTER", address: 900, count: 1 });
    expect([refused.status, refused.body.code]).toEqual([409, "modbus.exception"]);
  });

  test("is read again after it was away, and the gap has no values", async () => {
    await simulator.kill();
    await until(async () => (await connection()).state.status === "waiting");
    const goneAt = Date.now();
    const { nextAttemptAt, problem } = (await connection()).state;
    expect(problem).not.toBeNull();
    // Once more in vain: the first attempt comes after half a second or more, which is several intervals.
    await until(async () => {
      const { state } = await connection();
      return state.status === "waiting" && state.nextAttemptAt !== nextAttemptAt;
    });
    const backAt = Date.now();
    await simulator.start();
    await until(async () => Date.parse((await unit()).health.lastReadAt ?? 0) > backAt);
    const query = {
      deviceIds: [deviceId],
      keys: ["voltage"],
      from: goneAt,
      to: Date.now(),
      aggregation: "none",
    };
    const response = await call("POST", "/api/v1/telemetry/query", query);
    const times: number[] = response.data[0].series[0].points.map(({ ts }: { ts: number }) => ts);
    expect(times.length).toBeGreaterThan(0);
    expect(times.filter((ts: number) => ts < backAt)).toEqual([]);
  });
});
