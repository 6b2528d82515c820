import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let owner: string;
const devices = new Map<string, { deviceId: string; token: string }>();
const idOf = (name: string) => devices.get(name)?.deviceId ?? "";

const send = (name: string, t: number) =>
  app.call("POST", `/api/v1/${devices.get(name)?.token}/telemetry`, { body: { t } });
const namesBy = async (query: string, token = owner): Promise<string[]> => {
  const { status, body } = await app.call("GET", `/api/devices?${query}`, { token });
  expect(status).toBe(200);
  return body.map(({ name }: { name: string }) => name);
};

const raised = (severity: string, above: number) => ({
  severity,
  condition: { key: "t", op: "GT", value: above },
});

beforeAll(async () => {
  app = await createTestApp();
  owner = (await app.signIn("TENANT_OWNER")).token;
  const [{ profileId }] = (await app.call("GET", "/api/device-profiles", { token: owner })).body;
  const alarmRules = [
    {
      alarmType: "Hot",
      createRules: [raised("CRITICAL", 80), raised("MINOR", 50), raised("INDETERMINATE", 30)],
      clearRule: { condition: { key: "t", op: "LT", value: 10 } },
    },
  ];
  await app.call("PATCH", `/api/device-profiles/${profileId}`, { token: owner, body: { alarmRules } });
  const create = async (name: string, fields: object = {}) =>
    void devices.set(name, await app.createDevice(owner, { name, ...fields }));
  await create("Gateway", { role: "GATEWAY" });
  await create("alone");
  await create("Kiln", { parentDeviceId: idOf("Gateway") });
  for (const name of ["Boiler", "Silent", "Drill", "Anvil"]) await create(name);
  await send("Kiln", 90);
  await send("Boiler", 60);
  await send("Drill", 40);
  await send("Anvil", 20);
  await send("alone", 90);
  await send("alone", 5); // its alarm is cleared
  // The activity is written in batches.
  await until(async () => (await namesBy("active=true")).length === 5);
});
afterAll(() => app.stop());

test("the most severe open alarm comes first, a gateway has that of its child, and inactive devices follow", async () => {
  const expected = ["Gateway", "Kiln", "Boiler", "Drill", "Silent", "alone", "Anvil"];
  expect(await namesBy("sort=-state")).toEqual(expected);
  expect(await namesBy("sort=-state&limit=2&offset=2")).toEqual(["Boiler", "Drill"]);
  expect(await namesBy("sort=-state&search=il")).toEqual(["Kiln", "Boiler", "Drill", "Silent", "Anvil"]);
});

test("the reverse order begins with what is well", async () => {
  expect(await namesBy("sort=state")).toEqual([
    "alone",
    "Anvil",
    "Silent",
    "Drill",
    "Boiler",
    "Gateway",
    "Kiln",
  ]);
});

test("without a sort, the list is in the order of the names", async () => {
  expect(await namesBy("limit=3")).toEqual(["alone", "Anvil", "Boiler"]);
});

test("a child that the caller may not see does not change the place of its gateway", async () => {
  const limited = await app.signIn("TENANT_READ_ONLY", { devices: [idOf("Gateway"), idOf("Drill")] });
  expect(await namesBy("sort=-state", limited.token)).toEqual(["Drill", "Gateway"]);
});
