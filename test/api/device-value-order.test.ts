import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
let owner: string;
const devices = new Map<string, { deviceId: string; token: string }>();

const send = (name: string, values: object) =>
  app.call("POST", `/api/v1/${devices.get(name)?.token}/telemetry`, { body: values });
const namesBy = async (query: string, token = owner): Promise<string[]> => {
  const { status, body } = await app.call("GET", `/api/devices?${query}`, { token });
  expect(status).toBe(200);
  return body.map(({ name }: { name: string }) => name);
};

beforeAll(async () => {
  app = await createTestApp();
  owner = (await app.signIn("TENANT_OWNER")).token;
  for (const name of ["Anvil", "boiler", "Chiller", "Drill", "Silent"])
    devices.set(
      name,
      await app.createDevice(owner, { name, ...(name === "Drill" && { deviceType: "drill" }) }),
    );
  await send("Anvil", { t: 20, mode: "night", on: true, "p/1 ä": 3 });
  await send("boiler", { t: 90.5, mode: "auto", on: false, "p/1 ä": 1 });
  await send("Chiller", { t: -7, mode: "Day" });
  await send("Drill", { t: 1000, mode: 5, "p/1 ä": 2 });
  await send("Chiller", { t: -8 }); // the newest value counts
});
afterAll(() => app.stop());

test("devices are sorted by the newest value of a key, and those without one come last by name", async () => {
  expect(await namesBy("sort=key:t")).toEqual(["Chiller", "Anvil", "boiler", "Drill", "Silent"]);
  expect(await namesBy("sort=-key:t")).toEqual(["Drill", "boiler", "Anvil", "Chiller", "Silent"]);
  expect(await namesBy("sort=key:on")).toEqual(["boiler", "Anvil", "Chiller", "Drill", "Silent"]);
  expect(await namesBy("sort=key:unknown")).toEqual(["Anvil", "boiler", "Chiller", "Drill", "Silent"]);
});

test("numbers come before texts", async () => {
  expect(await namesBy("sort=key:mode")).toEqual(["Drill", "Chiller", "boiler", "Anvil", "Silent"]);
});

test("pages and filters keep the order", async () => {
  expect(await namesBy("sort=-key:t&limit=2&offset=1")).toEqual(["boiler", "Anvil"]);
  expect(await namesBy("sort=-key:t&limit=2&offset=10")).toEqual([]);
  expect(await namesBy("sort=key:t&search=ill")).toEqual(["Chiller", "Drill"]);
  expect(await namesBy("sort=key:t&deviceType=drill")).toEqual(["Drill"]);
  const { headers } = await app.call("GET", "/api/devices?sort=key:t&limit=1", { token: owner });
  expect(headers.get("x-total-count")).toBe("5");
});

test("a key may have any characters", async () => {
  expect(await namesBy(`sort=${encodeURIComponent("key:p/1 ä")}&limit=3`)).toEqual([
    "boiler",
    "Drill",
    "Anvil",
  ]);
  expect((await app.call("GET", "/api/devices?sort=key:", { token: owner })).status).toBe(400);
});

test("a user sees only own devices in this order", async () => {
  const ids = ["Drill", "Anvil"].map((name) => devices.get(name)?.deviceId ?? "");
  const reader = await app.signIn("TENANT_READ_ONLY", { devices: ids });
  expect(await namesBy("sort=key:t", reader.token)).toEqual(["Anvil", "Drill"]);
  const stranger = await app.signIn("TENANT_OWNER", { tenant: "other" });
  expect(await namesBy("sort=key:t", stranger.token)).toEqual([]);
});
