import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** What devices of the field send, and what of it is stored or listed. */

let fixture: TestApp;
let owner: string;
beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

const json = { "content-type": "application/json" };

async function deviceWith(raw?: string | Uint8Array, path = "telemetry") {
  const device = await fixture.createDevice(owner);
  const status =
    raw === undefined
      ? undefined
      : (await fixture.call("POST", `/api/v1/${device.token}/${path}`, { raw, headers: json })).status;
  return { ...device, status };
}
const latest = async (deviceId: string) =>
  (await fixture.call("GET", `/api/devices/${deviceId}/telemetry/latest`, { token: owner })).body;
const listed = async (deviceId: string): Promise<{ code: string; reason: string; sample: string }[]> =>
  (await fixture.call("GET", `/api/devices/${deviceId}/rejections`, { token: owner })).body;

describe("of a message that is taken, nothing is lost in silence", () => {
  test("a value beside the container is stored at the same time", async () => {
    const { deviceId, status } = await deviceWith('{"ts":1767225600000,"values":{"a":1},"battery":77}');
    const { values, timestamps } = await latest(deviceId);
    expect([status, values]).toEqual([200, { a: 1, battery: 77 }]);
    expect(timestamps).toEqual({ a: 1767225600000, battery: 1767225600000 });
  });

  test("and so are those beside the items of a batch", async () => {
    const body = '{"items":[{"ts":1767225600000,"telemetry":{"a":1},"b":2}],"c":3}';
    const { deviceId, status } = await deviceWith(body, "telemetry/batch");
    expect([status, (await latest(deviceId)).values]).toEqual([200, { a: 1, b: 2, c: 3 }]);
  });

  test("over MQTT, too", async () => {
    const { deviceId, token } = await deviceWith();
    const url = `mqtt://127.0.0.1:${fixture.app.mqttPort}`;
    const client = await connectAsync(url, { username: token, reconnectPeriod: 0 });
    await client.publishAsync("v1/devices/me/telemetry", '{"values":{"a":1},"serial":12345678901234567890}', {
      qos: 1,
    });
    await client.endAsync();
    expect((await latest(deviceId)).values).toEqual({ a: 1, serial: "12345678901234567890" });
  });

  test.each([
    ["items of one time", '[{"t":1},{"t":2},{"t":3}]', "telemetry.overwritten", { t: 3 }],
    ["a name that occurs twice", '{"t":1,"t":2}', "body.names_repeated", { t: 2 }],
  ])("%s are listed", async (_, raw, code, values) => {
    const { deviceId, status } = await deviceWith(raw);
    expect([status, (await latest(deviceId)).values]).toEqual([200, values]);
    expect((await listed(deviceId)).map((entry) => entry.code)).toEqual([code]);
  });

  test("attributes with a name that occurs twice are listed, and keep their digits", async () => {
    const { deviceId, status } = await deviceWith('{"a":1,"a":9007199254740993}', "attributes");
    const { body } = await fixture.call("GET", `/api/devices/${deviceId}/attributes?scope=CLIENT`, {
      token: owner,
    });
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining('"9007199254740993"')]);
    expect((await listed(deviceId)).map(({ code }) => code)).toEqual(["body.names_repeated"]);
  });
});

test("whole numbers keep their digits", async () => {
  const { deviceId } = await deviceWith('{"serial":12345678901234567890,"n":9007199254740993,"m":42}');
  expect((await latest(deviceId)).values).toEqual({
    serial: "12345678901234567890",
    n: "9007199254740993",
    m: 42,
  });
});

describe("and so do those of API requests", () => {
  const send = (path: string, raw: string) =>
    fixture.call("POST", `/api${path}`, { token: owner, raw, headers: json });

  test("parameters of a command", async () => {
    const { deviceId, token } = await fixture.createDevice(owner);
    await send(
      `/devices/${deviceId}/commands`,
      '{"method":"set","params":{"serial":9007199254740993,"a":1}}',
    );
    const { body } = await fixture.call("GET", `/api/v1/${token}/rpc`);
    expect(body).toMatchObject({ method: "set", params: { serial: "9007199254740993", a: 1 } });
  });

  test("parameters of a command to many devices", async () => {
    const { deviceId, token } = await fixture.createDevice(owner);
    const raw = `{"deviceIds":["${deviceId}"],"method":"set","params":12345678901234567890}`;
    expect((await send("/devices/bulk/commands", raw)).status).toBeLessThan(300);
    const { body } = await fixture.call("GET", `/api/v1/${token}/rpc`);
    expect(body).toMatchObject({ method: "set", params: "12345678901234567890" });
  });

  test("shared attributes", async () => {
    const { deviceId } = await fixture.createDevice(owner);
    await send(
      `/devices/${deviceId}/attributes`,
      '{"scope":"SHARED","attributes":{"n":12345678901234567890}}',
    );
    const { body } = await fixture.call("GET", `/api/devices/${deviceId}/attributes?scope=SHARED`, {
      token: owner,
    });
    expect(body).toMatchObject([{ key: "n", value: "12345678901234567890" }]);
  });

  test("test telemetry", async () => {
    const { deviceId } = await fixture.createDevice(owner);
    await send(`/devices/${deviceId}/test-telemetry`, '{"payload":{"n":9007199254740993}}');
    expect((await latest(deviceId)).values).toEqual({ n: "9007199254740993" });
  });

  test("and a body that is not JSON is still refused as such", async () => {
    const { deviceId } = await fixture.createDevice(owner);
    const { status, body } = await send(`/devices/${deviceId}/commands`, '{"method":');
    expect([status, body.code]).toEqual([400, "body.not_well_formed"]);
  });
});

describe("every stored key can be named", () => {
  test("half a surrogate pair is replaced", async () => {
    const { deviceId, status } = await deviceWith('{"\\ud83d":1}');
    expect([status, (await latest(deviceId)).values]).toEqual([200, { "\ufffd": 1 }]);
  });

  test("a key with a comma is read in quotation marks, from all routes", async () => {
    const { deviceId } = await deviceWith('{"ts":1767225600000,"values":{"U L1,L2":400.1,"b":2}}');
    const keys = encodeURIComponent('"U L1,L2"');
    const range = `/api/devices/${deviceId}/telemetry/range?from=0&to=1767225600001&keys=${keys}`;
    const { body } = await fixture.call("GET", range, { token: owner });
    expect(body.data[0].series).toEqual([{ key: "U L1,L2", points: [{ ts: 1767225600000, value: 400.1 }] }]);
    const exported = await fixture.call("GET", `/api/devices/${deviceId}/telemetry/export?keys=${keys},b`, {
      token: owner,
    });
    expect(exported.text.split("\r\n")[0]).toContain('"U L1,L2",b');
  });

  test.each(["", ","])("an empty list of keys (%j) deletes nothing", async (keys) => {
    const { deviceId } = await deviceWith('{"a":1}');
    const path = `/api/devices/${deviceId}/telemetry?from=0&to=9999999999999&keys=${keys}`;
    const { status, body } = await fixture.call("DELETE", path, { token: owner });
    expect([status, body.code]).toEqual([400, "telemetry.keys_empty"]);
    expect((await latest(deviceId)).values).toEqual({ a: 1 });
  });
});

describe("a refused body says what it is, with a sample that can be read", () => {
  test.each([
    ["nan", '{"temperature":nan,"humidity":40}', "LENIENT_JSON", '{"temperature":nan,"humidity":40}'],
    ["UTF-16", Buffer.from('\ufeff{"a":1}', "utf16le"), "UTF-16", '{"a":1}'],
    [
      "a NUL at the end",
      '{"nul":1}\0',
      "NUL byte. Send it without, or use the encoding LENIENT_JSON",
      '{"nul":1}\\x00',
    ],
    ["Latin-1", Buffer.from('{"a":"\xb0C"}', "latin1"), "UTF-8", '{"a":"\\xb0C"}'],
  ])("%s", async (_, raw, word, sample) => {
    const { deviceId, status } = await deviceWith(raw);
    expect(status).toBe(400);
    const [entry] = await listed(deviceId);
    expect([entry?.reason, entry?.sample]).toEqual([expect.stringContaining(word), sample]);
  });
});

test("history of NDJSON keeps its digits", async () => {
  const { deviceId } = await deviceWith();
  await fixture.call("POST", `/api/devices/${deviceId}/telemetry/import?format=ndjson`, {
    token: owner,
    raw: '{"ts":1767225600000,"values":{"n":9007199254740993}}\n',
    headers: { "content-type": "application/x-ndjson" },
  });
  expect((await latest(deviceId)).values).toEqual({ n: "9007199254740993" });
});
