import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** One device in hall 7, one granted by name, one that is neither; each with telemetry and attributes that bear its name. */
let fixture: TestApp;
let owner: string;
let reader: { token: string; userId: string };
const devices: Record<"asset" | "named" | "hidden", string> = { asset: "", named: "", hidden: "" };

const FROM = 1_700_000_000_000;

async function create(name: keyof typeof devices, fields: Record<string, unknown> = {}): Promise<void> {
  const { deviceId, token } = await fixture.createDevice(owner, {
    name,
    deviceType: `${name}-type`,
    ...fields,
  });
  devices[name] = deviceId;
  await fixture.call("POST", `/api/v1/${token}/telemetry`, {
    body: { ts: FROM, values: { [`${name}_key`]: 1 } },
  });
  await fixture.call("POST", `/api/devices/${deviceId}/attributes`, {
    token: owner,
    body: { scope: "SERVER", attributes: { [`${name}_attribute`]: 1 } },
  });
}

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  await create("asset", { assetId: "hall 7" });
  await create("named");
  await create("hidden", { assetId: "hall 8" });
  const { token, user } = await fixture.signIn("TENANT_READ_ONLY", { devices: [] });
  reader = { token, userId: user.userId };
  await grant({ deviceIds: [devices.named], assetIds: ["hall 7"] });
});
afterAll(() => fixture.stop());

const grant = (body: Record<string, unknown>) =>
  fixture.call("PATCH", `/api/users/${reader.userId}`, { token: owner, body });
const read = (path: string) => fixture.call("GET", path, { token: reader.token });
const names = async () =>
  (await read("/api/devices?sort=name")).body.map((device: { name: string }) => device.name);

describe("who sees devices by name and by asset", () => {
  test.each([
    "/api/devices",
    "/api/devices/types",
    "/api/devices/keys",
    "/api/telemetry/keys",
    "/api/attributes/keys",
  ])("GET %s lists these and no other", async (path) => {
    const { status, text } = await read(path);
    expect(status).toBe(200);
    const marks: Record<string, string> = {
      "/api/devices": "name",
      "/api/devices/types": "-type",
      "/api/attributes/keys": "_attribute",
    };
    const mark = marks[path] ?? "_key";
    const shown = ["asset", "named", "hidden"].filter((name) =>
      text.includes(mark === "name" ? `"name":"${name}"` : `"${name}${mark}"`),
    );
    expect(shown).toEqual(["asset", "named"]);
  });

  test.each([
    "",
    "/children",
    "/keys",
    "/rejections",
    "/attributes",
    "/attributes/keys",
    "/telemetry/latest",
    `/telemetry/range?from=${FROM}&to=${FROM + 1}`,
    "/telemetry/export?format=csv",
  ])("GET /api/devices/{id}%s is 200 for both and 404 for the other", async (path) => {
    const statuses = [];
    for (const deviceId of Object.values(devices))
      statuses.push((await read(`/api/devices/${deviceId}${path}`)).status);
    expect(statuses).toEqual([200, 200, 404]);
  });

  test.each(["latest", "query"])(
    "telemetry of several devices (%s) is refused when one is hidden",
    async (kind) => {
      const ask = (deviceIds: string[]) =>
        fixture.call("POST", `/api/v1/telemetry/${kind}`, {
          token: reader.token,
          body: { deviceIds, keys: [], from: FROM, to: FROM + 1 },
        });
      const seen = await ask([devices.asset, devices.named]);
      expect([seen.status, seen.text]).toEqual([200, expect.stringContaining("asset_key")]);
      expect((await ask([devices.asset, devices.hidden])).status).toBe(404);
    },
  );

  test("the counts say what the user sees", async () => {
    const { body } = await read(`/api/users/${reader.userId}`);
    expect(body).toMatchObject({ deviceCount: 2, assetCount: 1 });
    await grant({ hasGlobalAssetAccess: true });
    expect((await read(`/api/users/${reader.userId}`)).body).toMatchObject({ deviceCount: 3, assetCount: 2 });
    await grant({ hasGlobalAssetAccess: false });
  });

  test("of the assets only those of visible devices are listed", async () => {
    expect((await read("/api/devices/assets")).body).toEqual([{ assetId: "hall 7", count: 1 }]);
    const all = await fixture.call("GET", "/api/devices/assets", { token: owner });
    expect(all.body).toEqual([
      { assetId: "hall 7", count: 1 },
      { assetId: "hall 8", count: 1 },
    ]);
  });

  test("a device that moves to another asset is lost with it, and found again with it", async () => {
    const move = (assetId: string | null) =>
      fixture.call("PATCH", `/api/devices/${devices.asset}`, { token: owner, body: { assetId } });
    expect(await names()).toEqual(["asset", "named"]);
    await move("hall 8");
    expect(await names()).toEqual(["named"]);
    expect((await read(`/api/devices/${devices.asset}`)).status).toBe(404);
    await move("hall 7");
    expect(await names()).toEqual(["asset", "named"]);
  });

  test("a device that is deleted leaves the grants, and one of its name is another", async () => {
    await grant({ deviceIds: [devices.named, devices.hidden] });
    await fixture.call("DELETE", `/api/devices/${devices.hidden}`, { token: owner });
    expect((await read(`/api/users/${reader.userId}`)).body.deviceIds).toEqual([devices.named]);
    await create("hidden");
    expect(await names()).toEqual(["asset", "named"]);
  });
});
