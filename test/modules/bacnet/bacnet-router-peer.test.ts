// A device in a network without IP, as controllers on MS/TP are, behind a router of bacpypes3 that is a BBMD too.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { pythonOfBacpypes, startBacnetSimulator } from "../../support/bacnet-simulator.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";
import { until, untilAnswer } from "../../support/until.ts";

const INSTANCE = 1_202;
const route = { network: 5, mac: "0a" };
const objects = [
  { key: "supply", address: "AI:1" },
  { key: "valve", address: "AO:1", writable: true, priority: 8 },
  { key: "reported", address: "AV:200", cov: true, intervalMs: 3_600_000 },
  ...Array.from({ length: 60 }, (_, index) => ({ key: `many_${index}`, address: `AV:${100 + index}` })),
];

describe.skipIf(pythonOfBacpypes === null)("a device behind a router of bacpypes3", () => {
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
  /** The devices found, once there are any: a router that was just started takes a while to respond. */
  const search = (more: object) =>
    untilAnswer(
      () => fixture.call("POST", "/api/bacnet/search", { token, body: { address: "127.0.0.1", ...more } }),
      ({ status, body }) => status === 200 && body.length > 0,
    );

  beforeAll(async () => {
    fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1", outbound_private: "host" } });
    ({ token } = await fixture.signIn("TENANT_OWNER", { tenant: "host" }));
    device = await startBacnetSimulator(INSTANCE, route);
    ({ deviceId } = await fixture.createDevice(token, { name: "zone" }));
    const fields = { host: "127.0.0.1", port: device.port, deviceInstance: INSTANCE, ...route };
    const { connectionId } = await call("POST", "/api/bacnet/connections", { name: "zone", ...fields });
    path = `/api/bacnet/connections/${connectionId}`;
    await call("POST", `${path}/units`, { deviceId, intervalMs: 100, objects });
  });
  afterAll(async () => {
    await device.kill();
    await fixture.stop();
  });

  test("is found with its network and address, by its router and through the BBMD", async () => {
    const found = [{ host: "127.0.0.1", port: device.port, deviceInstance: INSTANCE, ...route }];
    const numbers = { port: device.port, low: INSTANCE, high: INSTANCE };
    expect((await search(numbers)).body).toMatchObject(found);
    expect((await search({ ...numbers, isBbmd: true })).body).toMatchObject(found);
  });

  test("is read and written, reports changes, and lists its objects", async () => {
    await until(async () => (await unit()).health.values.length === objects.length);
    const latest = await call("POST", "/api/v1/telemetry/latest", { deviceIds: [deviceId] });
    expect(latest[0].values).toMatchObject({ supply: 21.5, valve: 10, many_0: 100, many_59: 159 });
    await device.set("Value 200", "presentValue", 201.5);
    await until(async () => (await valueIn("reported")) === 201.5);
    const command = { method: "valve", params: 55.5 };
    const { commandId } = await call("POST", `/api/devices/${deviceId}/commands`, command);
    const ended = await untilAnswer(
      () => call("GET", `/api/devices/${deviceId}/commands/${commandId}`),
      ({ status }: { status: string }) => status === "SUCCESSFUL" || status === "FAILED",
    );
    expect(ended).toMatchObject({ status: "SUCCESSFUL", response: { valve: 55.5 } });
    const part = await call("POST", `${path}/browse`, { from: 1 });
    expect(part.objects.map(({ address }: { address: string }) => address)).toContain("analog-input:1");
  });

  test("is read again, and found through the BBMD, after both were started again", async () => {
    await device.kill();
    await until(async () => (await call("GET", path)).state.status === "waiting");
    await device.start();
    const backAt = Date.now();
    const numbers = { port: device.port, low: INSTANCE, high: INSTANCE, isBbmd: true };
    expect((await search(numbers)).body).toHaveLength(1);
    await until(async () => Date.parse((await unit()).health.lastReadAt ?? 0) > backAt);
  }, 30_000);
});
