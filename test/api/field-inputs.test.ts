import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DATA_POINTS_MAX, STATE_POINTS_MAX } from "../../src/modules/telemetry/telemetry.types.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** Requests that programs of the field send, and what they are told. */
let fixture: TestApp;
let owner: string;
let device: { deviceId: string; token: string };
const call = (method: string, path: string, body?: unknown) =>
  fixture.call(method, `/api${path}`, { token: owner, body });

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(owner);
});
afterAll(() => fixture.stop());

test.each(["", ","])("a deletion whose list of keys is %j deletes nothing", async (keys) => {
  await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { level: 3 } });
  const query = new URLSearchParams({ from: "0", to: "4102444800000", keys });
  const { status, body } = await call("DELETE", `/devices/${device.deviceId}/telemetry?${query}`);
  expect([status, body.message]).toEqual([400, expect.stringContaining("keys")]);
  expect((await call("GET", `/devices/${device.deviceId}/telemetry/latest`)).body.values.level).toBe(3);
});

test.each([
  ["none", DATA_POINTS_MAX],
  ["avg", DATA_POINTS_MAX],
  ["timeIn", STATE_POINTS_MAX],
])("a number of points beyond all limits is as good as the limit: %s", async (aggregation, max) => {
  const { deviceId } = await fixture.createDevice(owner);
  const from = Date.UTC(2026, 0, 1);
  const to = from + (DATA_POINTS_MAX + 10) * 1_000;
  const rows = Array.from({ length: DATA_POINTS_MAX + 10 }, (_, row) => `${from + row * 1_000},${row % 7}`);
  const sent = await fixture.call("POST", `/api/devices/${deviceId}/telemetry/import`, {
    ...{ token: owner, raw: `ts,level\n${rows.join("\n")}\n`, headers: { "content-type": "text/csv" } },
  });
  expect(sent.body).toMatchObject({ points: rows.length });
  const path = `/devices/${deviceId}/telemetry/range?keys=level&from=${from}&to=${to}&aggregation=${aggregation}`;
  const pointsOf = async (limit: number): Promise<unknown[]> =>
    (await call("GET", `${path}&maxDataPoints=${limit}`)).body.data[0].series[0].points;
  const points = await pointsOf(99_999_999_999);
  expect(points.length).toBeLessThanOrEqual(max);
  expect(points).toEqual(await pointsOf(max));
  expect(points.length).toBeGreaterThan((await pointsOf(max / 2)).length);
});

test("the dashboard of another program is named as what it is", async () => {
  const foreign = { title: "Plant", schemaVersion: 39, version: 7, panels: [{ type: "timeseries" }] };
  const { status, body } = await call("POST", "/dashboards/import", foreign);
  expect([status, body.message]).toEqual([400, expect.stringContaining("not a Lineside dashboard")]);
});

describe("a webhook of another content type", () => {
  test.each(["text/plain", "application/x-www-form-urlencoded"])("is refused: %s", async (type) => {
    const { secret } = (await call("POST", "/tenant/integration/rotate-secret")).body;
    const { webhookUrl } = (
      await call("POST", "/integrations", { name: type, type: "HTTP", status: "active" })
    ).body;
    // The call checks that the status is documented.
    const { status, body } = await fixture.call("POST", new URL(webhookUrl).pathname, {
      headers: { "x-webhook-secret": secret, "content-type": type },
      raw: '{"deviceToken":"x","t":1}',
    });
    expect([status, body.message]).toEqual([400, expect.stringContaining("application/json")]);
  });
});

test.each([
  ["m v=1 1795168800", "s"],
  ["m v=1 1795168800000", "ms"],
  ["m v=1 1795168800000000", "us"],
])("a line whose precision was not said names the right one: %s", async (line, precision) => {
  const { status, body } = await fixture.call("POST", "/api/v2/write?bucket=t", {
    raw: line,
    headers: { authorization: `Token ${device.token}` },
  });
  expect([status, body.message]).toEqual([400, expect.stringContaining(`precision=${precision}`)]);
});

test("a frame that looks hexadecimal is read as base64, with a note that says what to set", async () => {
  const { secret } = (await call("POST", "/tenant/integration/rotate-secret")).body;
  const { integrationId } = (
    await call("POST", "/integrations", {
      ...{ name: "radio", type: "CHIRPSTACK", status: "active" },
      settings_json: { autoCreateDevice: true },
    })
  ).body;
  const body = {
    deviceInfo: { devEui: "00000000000000a1", deviceName: "w" },
    fPort: 1,
    data: "0367d20004685a01",
  };
  const path = `/api/v1/integrations/lorawan-a/${integrationId}/telemetry?event=up`;
  expect((await fixture.call("POST", path, { headers: { "x-webhook-secret": secret }, body })).status).toBe(
    200,
  );
  const [event] = (await call("GET", `/integrations/${integrationId}/events?limit=1`)).body;
  expect(event.message).toEndWith(
    "The frame was read as base64 but looks hexadecimal. Set `frameEncoding` to `hex` if it is.",
  );
});

test("hours of a zone whose clocks change by half an hour begin at full hours, and at the change", async () => {
  const { deviceId, token } = await fixture.createDevice(owner);
  const [from, to] = ["2024-04-06T13:00:00Z", "2024-04-06T17:00:00Z"].map(Date.parse) as [number, number];
  const items = Array.from({ length: 24 }, (_, index) => ({ ts: from + index * 600_000, values: { a: 1 } }));
  await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: items });
  const query = new URLSearchParams({
    ...{ keys: "a", from: String(from), to: String(to - 1), aggregation: "count" },
    ...{ interval: "1h", timezone: "Australia/Lord_Howe" },
  });
  const { body } = await call("GET", `/devices/${deviceId}/telemetry/range?${query}`);
  const points: { ts: number; value: number }[] = body.data[0].series[0].points;
  expect(points.map(({ ts, value }) => [new Date(ts).toISOString().slice(11, 16), value])).toEqual([
    ["13:00", 6],
    ["14:00", 6],
    ["15:00", 3],
    ["15:30", 6],
    ["16:30", 3],
  ]);
});

describe("the preview of a schedule in Berlin", () => {
  let app: TestApp;
  let token: string;
  beforeAll(async () => {
    app = await createTestApp({ clock: new FakeClock(Date.parse("2027-01-01T00:00:00Z")) });
    token = (await app.signIn("TENANT_OWNER")).token;
  });
  afterAll(() => app.stop());

  const timezone = "Europe/Berlin";
  test.each([
    [{ kind: "cron", expression: "0 2,14 31 10 *", timezone }, ["2027-10-31T00:00", "2027-10-31T13:00"]],
    [{ kind: "cron", expression: "0 2,14 28 3 *", timezone }, ["2027-03-28T01:00", "2027-03-28T12:00"]],
    [{ kind: "once", at: "2027-03-28T02:30:00", timezone }, ["2027-03-28T01:00"]],
  ])("%j", async (schedule, times) => {
    const body = { schedule, count: 2 };
    const response = await app.call("POST", "/api/scheduler/preview-next", { token, body });
    expect(response.body.next.map((time: string) => time.slice(0, 16))).toEqual(times);
  });

  test("the refusal of a wrong expression quotes what was entered", async () => {
    const body = { schedule: { kind: "cron", expression: "0 0 0 * *" } };
    const response = await app.call("POST", "/api/scheduler/preview-next", { token, body });
    expect([response.status, response.body.message]).toEqual([
      400,
      expect.stringContaining("is not valid (day of the month): 0 is not between 1 and 31."),
    ]);
  });
});
