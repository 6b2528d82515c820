// The whole way with bacpypes3 as the device: objects become telemetry, and commands write them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { pythonOfBacpypes, startBacnetSimulator } from "../../support/bacnet-simulator.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";
import { until, untilAnswer } from "../../support/until.ts";

const INSTANCE = 1_201;
const object = (key: string, address: string, more: object = {}) => ({ key, address, ...more });
const objects = [
  object("supply", "analog-input:1"),
  object("supply_name", "AI:1:object-name"),
  object("supply_unit", "AI:1:units"),
  object("not_a_number", "AI:2"),
  object("valve", "AO:1", { writable: true, priority: 8 }),
  object("valve_program", "AO:1:priority-array[8]"),
  object("window", "BI:1"),
  object("pump", "BO:1", { writable: true }),
  object("mode", "MSV:1", { writable: true }),
  object("mode_text", "MSV:1:state-text[2]"),
  object("label", "characterstring-value:1", { writable: true }),
  object("signed", "integer-value:1", { writable: true }),
  object("counter", "positive-integer-value:1"),
  object("large", "large-analog-value:1"),
  object("no_object", "AI:99"),
  object("no_property", "AI:1:state-text"),
  ...Array.from({ length: 60 }, (_, index) => object(`many_${index}`, `AV:${100 + index}`)),
];
/** An object as the list of a device has it. */
interface Browsed {
  readonly address: string;
  readonly [field: string]: unknown;
}
const values = {
  supply: 21.5,
  supply_name: "Supply temperature",
  supply_unit: 62,
  valve: 10,
  window: true,
  pump: false,
  mode: 2,
  mode_text: "auto",
  label: "Käfer",
  signed: -70_000,
  counter: 4_000_000_000,
  large: 1_234_567.891,
  ...Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`many_${index}`, 100 + index])),
};

describe.skipIf(pythonOfBacpypes === null)("a device of bacpypes3", () => {
  let fixture: TestApp;
  let token: string;
  let device: Awaited<ReturnType<typeof startBacnetSimulator>>;
  let deviceId: string;
  let path: string;

  const call = async (method: string, to: string, body?: unknown) => {
    const response = await fixture.call(method, to, { token, body });
    if (response.status >= 400) throw new Error(`${response.status} ${response.text}`);
    return response.body;
  };
  const unit = async () => (await call("GET", `${path}/units`))[0];
  const valueIn = async (key: string) =>
    (await unit()).health.values.find((row: { key: string }) => row.key === key)?.value;
  const noteOf = async (key: string) =>
    (await unit()).health.notes.find((row: { key: string }) => row.key === key)?.note;
  const isReadAfter = (time: number) =>
    until(async () => Date.parse((await unit()).health.lastReadAt ?? 0) > time);
  const points = async (key: string, from: number) => {
    const query = { deviceIds: [deviceId], keys: [key], from, to: Date.now(), aggregation: "none" };
    const response = await call("POST", "/api/v1/telemetry/query", query);
    return (response.data[0]?.series[0]?.points ?? []) as { ts: number; value: unknown }[];
  };

  beforeAll(async () => {
    fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1", outbound_private: "host" } });
    ({ token } = await fixture.signIn("TENANT_OWNER", { tenant: "host" }));
    device = await startBacnetSimulator(INSTANCE);
    ({ deviceId } = await fixture.createDevice(token, { name: "air" }));
    const fields = { name: "air", host: "127.0.0.1", port: device.port, deviceInstance: INSTANCE };
    const { connectionId } = await call("POST", "/api/bacnet/connections", fields);
    path = `/api/bacnet/connections/${connectionId}`;
    await call("POST", `${path}/units`, { deviceId, intervalMs: 100, objects });
  });
  afterAll(async () => {
    await device.kill();
    await fixture.stop();
  });

  test("provides the values of all types, and what it refuses is named and has no value", async () => {
    await until(async () => (await unit()).health.refused.length === 2);
    await until(async () => Object.keys(values).length === (await unit()).health.values.length);
    const { health } = await unit();
    const latest = await call("POST", "/api/v1/telemetry/latest", { deviceIds: [deviceId] });
    expect(latest[0].values).toEqual(values);
    expect(
      Object.fromEntries(
        health.refused.map(({ key, reason }: { key: string; reason: { code: string } }) => [
          key,
          reason.code,
        ]),
      ),
    ).toEqual({ no_object: "bacnet_refusal.object", no_property: "bacnet_refusal.property" });
    expect((await noteOf("not_a_number")).code).toBe("field.no_value");
    const faults = await call("GET", "/api/faults?source=bacnet");
    expect(new Set(faults.map(({ where }: { where: string }) => where))).toEqual(new Set(["air"]));
  });

  test("lists its objects in parts, with names, units and states", async () => {
    const found: Browsed[] = [];
    for (let from: number | null = 1; from !== null; ) {
      const part: { total: number; next: number | null; objects: Browsed[] } = await call(
        "POST",
        `${path}/browse`,
        { from },
      );
      expect(part.total).toBeGreaterThan(209);
      found.push(...part.objects);
      from = part.next;
    }
    expect(found).toHaveLength(210);
    expect(found).toContainEqual({
      address: "analog-input:1",
      name: "Supply temperature",
      description: "Floor 1",
      value: 21.5,
      unit: "Cel",
      states: [],
    });
    expect(found.find(({ address }) => address === "multi-state-value:1")).toMatchObject({
      value: 2,
      unit: null,
      states: ["off", "auto", "manual"],
    });
    expect(found.find(({ address }) => address === "binary-input:1")).toMatchObject({
      value: true,
      states: ["closed", "open"],
    });
  });

  test("is found by a search", async () => {
    const body = { address: "127.0.0.1", port: device.port, low: INSTANCE, high: INSTANCE };
    expect(await call("POST", "/api/bacnet/search", body)).toMatchObject([
      { host: "127.0.0.1", port: device.port, deviceInstance: INSTANCE, network: null, mac: null },
    ]);
  });

  test("a device with another number is not read", async () => {
    const fields = { name: "other", host: "127.0.0.1", port: device.port, deviceInstance: 7 };
    const { connectionId } = await call("POST", "/api/bacnet/connections", fields);
    const own = `/api/bacnet/connections/${connectionId}`;
    await until(async () => (await call("GET", own)).state.status === "waiting");
    expect((await call("GET", own)).state.problem).toMatchObject({
      code: expect.stringMatching(/^bacnet\.(other|wrong)_device$/),
    });
    await call("DELETE", own);
  });

  test("an object out of service keeps its value, one with a fault has none, and both are named", async () => {
    await device.set("Value 100", "outOfService", true);
    await until(async () => (await noteOf("many_0"))?.code === "bacnet_note.out_of_service");
    expect(await valueIn("many_0")).toBe(100);
    await device.set("Value 101", "presentValue", 0);
    await device.set("Value 101", "reliability", "no-sensor");
    await until(async () => (await noteOf("many_1")) !== undefined);
    expect(await noteOf("many_1")).toEqual({
      code: "bacnet_note.unreliable",
      params: { reliability: "no-sensor" },
    });
    const from = Date.now();
    await isReadAfter(from + 200);
    expect(await valueIn("many_1")).toBeUndefined();
    expect(await points("many_1", from)).toEqual([]);
    await device.set("Value 101", "reliability", "no-fault-detected");
    await until(async () => (await noteOf("many_1")) === undefined);
  });

  test("an object reports its changes, long before its interval", async () => {
    const slow = { intervalMs: 3_600_000, cov: true };
    const { bacnetUnitId } = await unit();
    const before = (await unit()).objects;
    const reported = [object("reported", "AV:200", slow), object("unreported", "AI:1:object-name", slow)];
    await call("PATCH", `${path}/units/${bacnetUnitId}`, { objects: [...before, ...reported] });
    await until(async () => (await valueIn("reported")) === 200);
    await device.set("Value 200", "presentValue", 201.5);
    await until(async () => (await valueIn("reported")) === 201.5);
    await call("PATCH", `${path}/units/${bacnetUnitId}`, { objects: before });
  });

  const responseTo = async (key: string, value: unknown) => {
    const body = { method: "setValue", params: { key, value } };
    const { commandId } = await call("POST", `/api/devices/${deviceId}/commands`, body);
    return untilAnswer(
      () => call("GET", `/api/devices/${deviceId}/commands/${commandId}`),
      ({ status }: { status: string }) => status === "SUCCESSFUL" || status === "FAILED",
    );
  };

  test("is written by commands with a priority, which null releases", async () => {
    for (const [key, value, response = value] of [
      ["valve", 55.5],
      ["pump", true],
      ["mode", 3],
      ["label", "Öffnen"],
      ["signed", 12],
    ] as const)
      expect(await responseTo(key, value)).toMatchObject({
        status: "SUCCESSFUL",
        response: { [key]: response },
      });
    await until(async () => (await valueIn("valve_program")) === 55.5);
    expect(await responseTo("valve", null)).toMatchObject({ status: "SUCCESSFUL", response: { valve: 10 } });
    await until(async () => (await noteOf("valve_program"))?.code === "field.no_value");
    for (const [key, value] of [
      ["supply", 1],
      ["nothing", 1],
      ["valve", "many"],
      ["mode", 1.5],
      ["pump", 1],
      ["label", 5],
    ] as const)
      expect((await responseTo(key, value)).status).toBe("FAILED");
  });

  test.each(["killed", "stopped"] as const)(
    "is read again after it was %s, and the gap stays a gap",
    async (how) => {
      await until(async () => (await call("GET", path)).state.status === "connected");
      if (how === "killed") await device.kill();
      else device.signal("SIGSTOP");
      await until(async () => (await call("GET", path)).state.status === "waiting");
      const goneAt = Date.now();
      const { nextAttemptAt } = (await call("GET", path)).state;
      await until(async () => {
        const { state } = await call("GET", path);
        return state.status === "waiting" && state.nextAttemptAt !== nextAttemptAt;
      });
      const backAt = Date.now();
      if (how === "killed") await device.start();
      else device.signal("SIGCONT");
      await isReadAfter(backAt);
      const read = await points("counter", goneAt);
      expect(read.filter(({ ts }) => ts < backAt)).toEqual([]);
      expect(new Set(read.map(({ value }) => value))).toEqual(new Set([4_000_000_000]));
    },
    90_000,
  );
});
