// The whole way with asyncua as the server: variables become telemetry with the times of the server, and commands write them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { pythonOfAsyncua, startOpcUaSimulator } from "../../support/opcua-simulator.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";
import { until, untilAnswer } from "../../support/until.ts";

const item = (key: string, more: object = {}) => ({ key, address: `ns=2;s=Press.${key}`, ...more });
const writable = { writable: true };
const items = [
  item("running", writable),
  item("sbyte"),
  item("byte"),
  item("int16", writable),
  item("uint16"),
  item("int32"),
  item("uint32"),
  item("int64", writable),
  item("uint64"),
  item("pressure", writable),
  item("level", { ...writable, deadband: 0.5 }),
  item("model", writable),
  item("title"),
  item("array", { length: 3 }),
  { key: "array_whole", address: "ns=2;s=Press.array" },
  item("nothing"),
  { key: "read_only", address: "ns=2;s=Press.uint16", ...writable },
  { key: "missing", address: "ns=2;s=Press.missing" },
  { key: "named", address: "nsu=urn:plant;s=Press.byte" },
  { key: "nameless", address: "nsu=urn:other;s=Press.byte" },
  { key: "many", address: "ns=2;s=Many.599" },
  item("job", { fields: ["name", "start_x", "start_n", "done"] }),
  { key: "job_whole", address: "ns=2;s=Press.job" },
  { key: "mix", address: "ns=2;s=Press", method: "nsu=urn:plant;s=Press.mix", ...writable },
  { key: "stop", address: "ns=2;s=Press", method: "ns=2;s=Press.stop", ...writable },
];
const values = {
  running: true,
  sbyte: -5,
  byte: 200,
  int16: -1_234,
  uint16: 60_000,
  int32: -123_456_789,
  uint32: 4_000_000_000,
  int64: -1_234_567_890_123,
  uint64: "18446744073709551615",
  pressure: 3.14,
  level: 2.5,
  model: "PUMP-7",
  title: "Presse",
  array_0: 1,
  array_1: -2,
  array_2: 3,
  read_only: 60_000,
  named: 200,
  job_name: "J7",
  job_start_x: 1.5,
  job_start_n: -9,
  job_done: true,
  many: 599,
};

const BAD_NO_COMMUNICATION = 0x8031_0000;
const UNCERTAIN_LAST_USABLE = 0x4090_0000;

describe.skipIf(pythonOfAsyncua === null)("a server of asyncua", () => {
  let fixture: TestApp;
  let token: string;
  let server: Awaited<ReturnType<typeof startOpcUaSimulator>>;
  let deviceId: string;
  let path: string;

  const call = async (method: string, to: string, body?: unknown) => {
    const response = await fixture.call(method, to, { token, body });
    if (response.status >= 400) throw new Error(`${response.status} ${response.text}`);
    return response.body;
  };
  const state = async () => (await call("GET", path)).state;
  const isConnected = () => until(async () => (await state()).status === "connected");
  const health = async () => (await call("GET", `${path}/units`))[0].health;
  const noteOf = async (key: string) =>
    (await health()).notes.find((note: { key: string }) => note.key === key)?.note.code;
  const isReadAfter = (time: number) =>
    until(async () => Date.parse((await health()).lastReadAt ?? 0) > time);
  const points = async (key: string, from: number) => {
    const query = { deviceIds: [deviceId], keys: [key], from, to: Date.now(), aggregation: "none" };
    const response = await call("POST", "/api/v1/telemetry/query", query);
    return (response.data[0]?.series[0]?.points ?? []) as { ts: number; value: unknown }[];
  };
  const endpoint = async () => {
    const list = await call("POST", "/api/opcua/endpoints", {
      host: "127.0.0.1",
      port: server.port,
      path: "/plant",
    });
    return list[0] as { fingerprint: string };
  };

  beforeAll(async () => {
    fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1", outbound_private: "host" } });
    ({ token } = await fixture.signIn("TENANT_OWNER", { tenant: "host" }));
    server = await startOpcUaSimulator();
    ({ deviceId } = await fixture.createDevice(token, { name: "press" }));
    const fields = { name: "press", host: "127.0.0.1", port: server.port, path: "/plant" };
    const { connectionId } = await call("POST", "/api/opcua/connections", fields);
    path = `/api/opcua/connections/${connectionId}`;
    await call("POST", `${path}/units`, { deviceId, intervalMs: 100, items });
  });
  afterAll(async () => {
    await server.end();
    await fixture.stop();
  });

  test("provides the values of all types, and says what has none", async () => {
    await until(async () => (await health()).lastReadAt !== null);
    const latest = await call("POST", "/api/v1/telemetry/latest", { deviceIds: [deviceId] });
    expect(latest[0].values).toEqual(values);
    expect((await health()).refused).toEqual([
      { key: "missing", reason: expect.objectContaining({ code: "opcua_refusal.missing" }) },
      { key: "nameless", reason: expect.objectContaining({ code: "opcua_refusal.missing" }) },
    ]);
    expect(await noteOf("array_whole")).toBe("opcua_note.array");
    expect(await noteOf("job_whole")).toBe("opcua_note.structure");
    expect(await noteOf("nothing")).toBe("field.no_value");
  });

  test("stores a value once, at the time of the server", async () => {
    await server.set("level", 7.5);
    await until(async () => (await points("level", 0)).length === 2);
    const [, second] = await points("level", 0);
    await isReadAfter(Date.now() + 300);
    expect(await points("level", 0)).toHaveLength(2);
    expect(second?.value).toBe(7.5);
    expect(Math.abs((second?.ts ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  test("reports changes, and leaves out those within the dead band", async () => {
    await until(async () => (await health()).reported === items.length - 4);
    await server.set("level", 20);
    await until(async () => (await points("level", 0)).at(-1)?.value === 20);
    const before = (await points("level", 0)).length;
    for (const value of [20.1, 20.5, 20.6]) await server.set("level", value);
    await until(async () => (await points("level", 0)).length === before + 1);
    for (const value of [21, 21.2]) await server.set("level", value);
    await until(async () => (await points("level", 0)).length === before + 2);
    expect((await points("level", 0)).slice(before).map(({ value }) => value)).toEqual([20.6, 21.2]);
    await server.set("job", "J8");
    await until(async () => (await points("job_start_x", 0)).at(-1)?.value === 2.5);
    expect((await points("job_name", 0)).at(-1)?.value).toBe("J8");
    await call("PATCH", path, { reading: "POLLING" });
    await isReadAfter(Date.now());
    expect((await health()).reported).toBe(0);
    await call("PATCH", path, { reading: "SUBSCRIPTION" });
    await isConnected();
  });

  test("stores nothing of bad quality, and what is uncertain where a person wants it", async () => {
    const before = (await points("int32", 0)).length;
    await server.setStatus("int32", BAD_NO_COMMUNICATION);
    await until(async () => (await noteOf("int32")) === "opcua_note.bad");
    await server.setStatus("int32", UNCERTAIN_LAST_USABLE);
    await until(async () => (await noteOf("int32")) === "opcua_note.uncertain");
    expect(await points("int32", 0)).toHaveLength(before);
    await server.set("int32", 5);
    await until(async () => (await points("int32", 0)).length === before + 1);
    expect(await noteOf("int32")).toBeUndefined();
  });

  test("is browsed and described", async () => {
    const { nodes } = await call("POST", `${path}/browse`, {});
    expect(nodes).toContainEqual({ nodeId: "ns=2;s=Press", name: "Press 4", kind: "OBJECT" });
    const parent = { nodeId: "ns=2;s=Press", name: "Press 4" };
    expect(await call("POST", `${path}/browse`, { search: "PRESSU" })).toEqual({
      nodes: [{ nodeId: "ns=2;s=Press.pressure", name: "pressure", kind: "VARIABLE", parent }],
      isCut: false,
    });
    const many = await call("POST", `${path}/browse`, { search: "many" });
    expect([many.nodes.length, many.isCut]).toEqual([200, true]);
    const below = await call("POST", `${path}/browse`, { nodeId: "ns=2;s=Many" });
    expect([below.nodes.length, below.isCut]).toEqual([600, false]);
    const nodeIds = [
      "ns=2;s=Press.pressure",
      "nsu=urn:plant;s=Press.byte",
      "ns=2;s=Press.array",
      "ns=2;s=Press.job",
      "ns=2;s=Press.missing",
    ];
    expect(await call("POST", `${path}/describe`, { nodeIds })).toEqual([
      { nodeId: nodeIds[0], type: "Float", writable: true, unit: "bar", min: 0, max: 16 },
      { nodeId: nodeIds[1], type: "Byte", writable: false, states: { "0": "Off", "1": "On" } },
      { nodeId: nodeIds[2], type: "Int16", writable: false, length: 3 },
      {
        nodeId: nodeIds[3],
        type: "ExtensionObject",
        writable: false,
        fields: ["name", "start_x", "start_n", "done"],
      },
    ]);
    const missing = await fixture.call("POST", `${path}/browse`, { token, body: { nodeId: "ns=9;i=1" } });
    expect([missing.status, missing.body.code]).toEqual([409, "opcua_refusal.missing"]);
    await isConnected();
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
      ["int16", 77],
      ["int64", -9_007_199_254_740_991],
      ["pressure", -7.25],
      ["model", "VALVE"],
    ] as const)
      expect(await responseTo(key, value)).toMatchObject({
        status: "SUCCESSFUL",
        response: { [key]: value },
      });
    for (const [key, value] of [
      ["running", 1],
      ["int16", 40_000],
      ["int16", "many"],
      ["model", 5],
      ["read_only", 5],
      ["uint16", 5],
    ] as const)
      expect((await responseTo(key, value)).status).toBe("FAILED");
    await isConnected();
  });

  test("has methods that commands call with their arguments", async () => {
    const { nodes } = await call("POST", `${path}/browse`, { nodeId: "ns=2;s=Press" });
    expect(nodes).toContainEqual({ nodeId: "ns=2;s=Press.mix", name: "mix", kind: "METHOD" });
    expect(await responseTo("mix", [4, 1.5, "a"])).toMatchObject({ response: { mix: [6, "A"] } });
    expect(await responseTo("stop", null)).toMatchObject({ status: "SUCCESSFUL", response: { stop: null } });
    expect(await responseTo("mix", [4])).toMatchObject({ status: "FAILED" });
    expect(await responseTo("mix", ["many", 1, "a"])).toMatchObject({ status: "FAILED" });
    expect(await responseTo("stop", [1])).toMatchObject({ status: "FAILED" });
    await isConnected();
  });

  test("is spoken to securely after a person has accepted its certificate, and no more when it has another", async () => {
    const secure = {
      securityMode: "SIGN_AND_ENCRYPT",
      securityPolicy: "AES256_SHA256_RSAPSS",
      signIn: "USER_NAME",
      userName: "operator",
      password: "valve 7",
    };
    await call("PATCH", path, secure);
    await until(async () => (await state()).problem?.code === "opcua.certificate_unknown");
    const { fingerprint } = await endpoint();
    await call("PATCH", path, { acceptedFingerprint: fingerprint });
    await isConnected();
    await isReadAfter(Date.now());
    await call("PATCH", path, { password: "wrong" });
    await until(async () => (await state()).problem?.code === "opcua_refusal.access");
    // Servers lock a user after a few refusals.
    const { since, nextAttemptAt } = await state();
    expect(Date.parse(nextAttemptAt) - Date.parse(since)).toBeGreaterThan(9_000);
    await call("PATCH", path, { password: "valve 7" });
    await isConnected();
    await server.renew();
    await until(async () => (await state()).problem?.code === "opcua.certificate_unknown");
    await call("PATCH", path, { acceptedFingerprint: (await endpoint()).fingerprint });
    await isConnected();
    expect(JSON.stringify(await call("GET", path))).not.toContain("valve 7");
    await call("PATCH", path, { securityMode: "NONE", securityPolicy: "NONE", signIn: "ANONYMOUS" });
    await isConnected();
  });

  test("stays connected between reads that are further apart than its time-out", async () => {
    const timeoutMs = 500;
    const fields = { name: "idle", host: "127.0.0.1", port: server.port, path: "/plant", timeoutMs };
    const { connectionId } = await call("POST", "/api/opcua/connections", fields);
    const idleState = async () => (await call("GET", `/api/opcua/connections/${connectionId}`)).state;
    await until(async () => (await idleState()).status === "connected");
    const { since } = await idleState();
    await Bun.sleep(4 * timeoutMs);
    expect(await idleState()).toMatchObject({ status: "connected", since, problem: null });
    await call("DELETE", `/api/opcua/connections/${connectionId}`);
  });

  test.each(["killed", "stopped"] as const)(
    "is read again after it was %s, and the gap stays a gap",
    async (how) => {
      await isConnected();
      if (how === "killed") await server.kill();
      else server.signal("SIGSTOP");
      await until(async () => (await state()).status === "waiting");
      const goneAt = Date.now();
      const { nextAttemptAt } = await state();
      await until(async () => {
        const now = await state();
        return now.status === "waiting" && now.nextAttemptAt !== nextAttemptAt;
      });
      const backAt = Date.now();
      if (how === "killed") await server.start();
      else server.signal("SIGCONT");
      await isReadAfter(backAt);
      const value = how === "killed" ? 42 : 43;
      await server.set("byte", value);
      await until(async () => (await points("byte", backAt)).some((point) => point.value === value));
      expect((await points("byte", goneAt)).filter(({ ts }) => ts < backAt)).toEqual([]);
    },
    90_000,
  );
});
