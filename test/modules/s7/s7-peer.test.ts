// The whole way with python-snap7 as the controller: variables become telemetry, and commands write them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { pythonOfSnap7, startS7Simulator } from "../../support/s7-simulator.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";
import { until, untilAnswer } from "../../support/until.ts";

const tag = (key: string, address: string, more: object = {}) => ({ key, address, ...more });
const writable = { writable: true };
const tags = [
  tag("running", "DB1,X0.0", writable),
  tag("stopped", "%DB1.DBX0.1"),
  tag("bits", "DB1,X0.4.10"),
  tag("byte", "DB1,BYTE1"),
  tag("sint", "%DB1.DBB2:SINT"),
  tag("pressure", "%DB1.DBD4:REAL", writable),
  tag("int", "DB1,INT8", writable),
  tag("uint", "%DB1.DBW10:UINT"),
  tag("scaled", "DB1,INT8", { scale: 0.1, offset: 1 }),
  tag("dint", "DB1,DI12"),
  tag("udint", "%DB1.DBD16:UDINT"),
  tag("lint", "DB1,LI20"),
  tag("ulint", "%DB1.DBB28:ULINT"),
  tag("lreal", "DB1,LR36"),
  tag("model", "DB1,S44.10", writable),
  tag("model_wide", "DB1,S44.11", writable),
  tag("model_tia", "%DB1.DBB44:STRING[10]"),
  tag("array", "DB1,INT56.3", writable),
  tag("dt", "DB1,DT62"),
  tag("dtl", "DB1,DTLZ70"),
  tag("time", "%DB1.DBD82:TIME"),
  tag("chars", "DB1,C86.2"),
  tag("not_a_number", "DB1,R88"),
  tag("memory_bit", "%M0.1"),
  tag("memory_byte", "MB1"),
  tag("memory_word", "%MW2"),
  tag("input", "I0.0"),
  tag("output", "A0.7"),
  tag("beyond", "DB1,INT98.2"),
  tag("no_block", "%DB9.DBW0"),
  tag("no_text", "DB9,S10.20"),
];
const values = {
  running: true,
  stopped: false,
  byte: 127,
  sint: -2,
  pressure: 3.14,
  int: -1_234,
  uint: 60_000,
  scaled: -122.4,
  dint: -123_456_789,
  udint: 4_000_000_000,
  lint: -1_234_567_890_123,
  ulint: "18446744073709551615",
  lreal: 2.5,
  model: "PUMP-7",
  model_wide: "PUMP-7",
  model_tia: "PUMP-7",
  array_0: 1,
  array_1: -2,
  array_2: 3,
  dt: "2026-11-29T14:20:30.123",
  dtl: "2026-11-29T14:20:30.123Z",
  time: -5_000,
  chars: "AB",
  memory_bit: true,
  memory_byte: 42,
  memory_word: 258,
  input: true,
  output: true,
  ...Object.fromEntries([0, 1, 0, 1, 1, 1, 1, 1, 1, 1].map((bit, index) => [`bits_${index}`, bit === 1])),
};

describe.skipIf(pythonOfSnap7 === null)("a controller of python-snap7", () => {
  let fixture: TestApp;
  let token: string;
  let controller: Awaited<ReturnType<typeof startS7Simulator>>;
  let deviceId: string;
  let path: string;

  const call = async (method: string, to: string, body?: unknown) => {
    const response = await fixture.call(method, to, { token, body });
    if (response.status >= 400) throw new Error(`${response.status} ${response.text}`);
    return response.body;
  };
  const unit = async () => (await call("GET", `${path}/units`))[0];
  const isReadAfter = (time: number) =>
    until(async () => Date.parse((await unit()).health.lastReadAt ?? 0) > time);
  const points = async (key: string, from: number) => {
    const query = { deviceIds: [deviceId], keys: [key], from, to: Date.now(), aggregation: "none" };
    const response = await call("POST", "/api/v1/telemetry/query", query);
    return response.data[0].series[0].points as { ts: number; value: unknown }[];
  };

  beforeAll(async () => {
    fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1", outbound_private: "host" } });
    ({ token } = await fixture.signIn("TENANT_OWNER", { tenant: "host" }));
    controller = await startS7Simulator();
    ({ deviceId } = await fixture.createDevice(token, { name: "press" }));
    const fields = { name: "press", host: "127.0.0.1", port: controller.port, timeoutMs: 2_000 };
    const { connectionId } = await call("POST", "/api/s7/connections", fields);
    path = `/api/s7/connections/${connectionId}`;
    await call("POST", `${path}/units`, { deviceId, intervalMs: 100, tags });
  });
  afterAll(async () => {
    await controller.kill();
    await fixture.stop();
  });

  test("provides the values of all types, and what it refuses is named and has no value", async () => {
    await until(async () => (await unit()).health.refused.length === 3);
    await until(async () => (await unit()).health.lastReadAt !== null);
    const { health } = await unit();
    const latest = await call("POST", "/api/v1/telemetry/latest", { deviceIds: [deviceId] });
    expect(latest[0].values).toEqual(values);
    expect(
      Object.fromEntries(
        health.values.map(({ key, value }: { key: string; value: unknown }) => [key, value]),
      ),
    ).toEqual(values);
    expect(
      health.refused.toSorted((a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1)),
    ).toEqual([
      { key: "beyond", returnCode: 5 },
      { key: "no_block", returnCode: 10 },
      { key: "no_text", returnCode: 10 },
    ]);
    expect(health.notes).toEqual([
      {
        key: "not_a_number",
        note: expect.objectContaining({ code: "field.no_value", params: { count: 1, total: 1 } }),
      },
    ]);
    const faults = await call("GET", "/api/faults?source=s7");
    expect(new Set(faults.map(({ where }: { where: string }) => where))).toEqual(new Set(["press"]));
  });

  test("is read on request, in both notations", async () => {
    for (const [address, expected] of [
      ["%DB1.DBD4:REAL", [3.14]],
      ["DB1,INT56.3", [1, -2, 3]],
      ["DB1,R88", [null]],
    ] as const)
      expect(await call("POST", `${path}/read`, { address })).toEqual({ address, values: [...expected] });
    const missing = await fixture.call("POST", `${path}/read`, { token, body: { address: "DB9,INT0" } });
    expect([missing.status, missing.body.code]).toEqual([409, "s7_refusal.missing"]);
    const wrong = await fixture.call("POST", `${path}/read`, { token, body: { address: "T5" } });
    expect([wrong.status, wrong.body.code]).toEqual([400, "s7.address_invalid"]);
  });

  const responseTo = async (key: string, value: unknown) => {
    const body = { method: "setValue", params: { key, value } };
    const { commandId } = await call("POST", `/api/devices/${deviceId}/commands`, body);
    return untilAnswer(
      () => call("GET", `/api/devices/${deviceId}/commands/${commandId}`),
      ({ status }: { status: string }) => status === "SUCCESSFUL" || status === "FAILED",
    );
  };

  test("is written by commands, which answer with the value that was read back", async () => {
    for (const [key, value] of [
      ["running", false],
      ["pressure", -7.25],
      ["int", 77],
      ["model", "VALVE"],
      ["array_1", 99],
    ] as const)
      expect(await responseTo(key, value)).toMatchObject({
        status: "SUCCESSFUL",
        response: { [key]: value },
      });
    for (const [key, value] of [
      ["stopped", true],
      ["nothing", 1],
      ["int", 40_000],
      ["int", "many"],
      ["model", "a text that is too long"],
      ["model_wide", "12345678901"],
    ] as const)
      expect((await responseTo(key, value)).status).toBe("FAILED");
    expect(await call("POST", `${path}/read`, { address: "DB1,BYTE44.2" })).toMatchObject({
      values: [10, 5],
    });
  });

  test.each(["killed", "stopped"] as const)(
    "is read again after it was %s, and the gap stays a gap",
    async (how) => {
      await until(async () => (await call("GET", path)).state.status === "connected");
      if (how === "killed") await controller.kill();
      else controller.signal("SIGSTOP");
      await until(async () => (await call("GET", path)).state.status === "waiting");
      const goneAt = Date.now();
      const { nextAttemptAt } = (await call("GET", path)).state;
      await until(async () => {
        const { state } = await call("GET", path);
        return state.status === "waiting" && state.nextAttemptAt !== nextAttemptAt;
      });
      const backAt = Date.now();
      if (how === "killed") await controller.start();
      else controller.signal("SIGCONT");
      await isReadAfter(backAt);
      const read = await points("memory_byte", goneAt);
      expect(read.filter(({ ts }) => ts < backAt)).toEqual([]);
      expect(new Set(read.map(({ value }) => value))).toEqual(new Set([42]));
    },
    90_000,
  );
});
