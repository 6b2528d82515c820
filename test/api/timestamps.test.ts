import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

/** The points of the only key of a device. */
async function pointsOf(deviceId: string): Promise<Array<{ ts: number; value: unknown }>> {
  const path = `/api/devices/${deviceId}/telemetry/range?from=0&to=${Date.now() + 86_400_000}`;
  const { body } = await fixture.call("GET", path, { token: owner });
  return body.data[0]?.series[0]?.points ?? [];
}

const rejections = async (deviceId: string) =>
  (await fixture.call("GET", `/api/devices/${deviceId}/rejections`, { token: owner })).body;

describe("a live value of a clock that is not set is of now, and said so", () => {
  const stamps = [0, 4711, 86_400_000, -1, 20240101, "1970-01-01T00:00:10Z"];

  test.each(stamps)("over HTTP: ts %p", async (ts) => {
    const { deviceId, token } = await fixture.createDevice(owner);
    const before = Date.now();
    const body = { ts, values: { level: 9 } };
    expect((await fixture.call("POST", `/api/v1/${token}/telemetry`, { body })).status).toBe(200);
    const [point] = await pointsOf(deviceId);
    expect(point?.ts).toBeGreaterThanOrEqual(before);
    expect(await rejections(deviceId)).toMatchObject([
      { code: "telemetry.ts_replaced", where: "/telemetry" },
    ]);
  });

  test("in a batch, which is stored as a whole", async () => {
    const { deviceId, token } = await fixture.createDevice(owner);
    const items = [
      { telemetry: { level: 1 }, ts: 1767225600000 },
      { telemetry: { level: 2 }, ts: 12 },
    ];
    await fixture.call("POST", `/api/v1/${token}/telemetry/batch`, { body: { items } });
    expect(await pointsOf(deviceId)).toMatchObject([{ ts: 1767225600000, value: 1 }, { value: 2 }]);
    expect((await rejections(deviceId)).length).toBe(1);
  });
});

describe("micro- and nanoseconds are read", () => {
  test.each([
    [1767225600123456, 1767225600123],
    [1767225600123456789n, 1767225600123],
  ])("%p", async (ts, ms) => {
    const { deviceId, token } = await fixture.createDevice(owner);
    const raw = `{"ts":${ts},"values":{"a":1}}`;
    const headers = { "content-type": "application/json" };
    expect((await fixture.call("POST", `/api/v1/${token}/telemetry`, { raw, headers })).status).toBe(200);
    expect(await pointsOf(deviceId)).toEqual([{ ts: ms, value: 1 }]);
  });
});

describe("line protocol", () => {
  const write = (token: string, query: string, raw: string) =>
    fixture.call("POST", `/api/v2/write?bucket=t${query}`, {
      raw,
      headers: { authorization: `Token ${token}`, "content-type": "text/plain" },
    });

  test("names the precision that would be right", async () => {
    const { deviceId, token } = await fixture.createDevice(owner);
    const refused = await write(token, "", "m v=1 1767225600");
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("Set precision=s");
    expect(await pointsOf(deviceId)).toEqual([]);
    expect((await write(token, "&precision=s", "m v=1 1767225600")).status).toBe(204);
    expect(await pointsOf(deviceId)).toEqual([{ ts: 1767225600000, value: 1 }]);
    expect((await write(token, "&precision=s", "m v=1 1767225600000000000")).text).toContain(
      "Set precision=ns",
    );
    expect((await write(token, "&precision=ms", "m v=1 86400000")).status).toBe(400);
  });
});
