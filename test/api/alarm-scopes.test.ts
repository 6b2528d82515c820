import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let profilePath: string;
let foreignDevice: string;
let reader: string;
let stranger: string;
let limited: string;
const devices: Record<string, { deviceId: string; token: string }> = {};

const above = (alarmType: string, others: Record<string, unknown>) => ({
  alarmType,
  createRules: [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: 50 } }],
  ...others,
});
const save = (alarmRules: unknown) =>
  fixture.call("PATCH", profilePath, { token: owner, body: { alarmRules } });
const send = (name: string, t: number) =>
  fixture.call("POST", `/api/v1/${devices[name]?.token}/telemetry`, { body: { t } });
/** Alarm types and statuses of a device. */
async function alarmsOf(name: string): Promise<string[]> {
  const url = `/api/alarms/device/${devices[name]?.deviceId}`;
  const { body } = await fixture.call("GET", url, { token: owner });
  return body.map((alarm: { name: string; status: string }) => `${alarm.name} ${alarm.status}`).sort();
}

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  const { body } = await fixture.call("GET", "/api/device-profiles", { token: owner });
  profilePath = `/api/device-profiles/${body[0].profileId}`;
  for (const [name, fields] of Object.entries({
    press: { deviceType: "press", tags: ["line 1"] },
    oven: { deviceType: "oven", tags: ["line 1", "hot"] },
    pump: { deviceType: "pump", tags: [] },
  }))
    devices[name] = await fixture.createDevice(owner, { name, ...fields });
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  limited = (await fixture.signIn("TENANT_RW", { devices: [devices.press?.deviceId ?? ""] })).token;
  foreignDevice = (await fixture.createDevice(stranger, { name: "foreign" })).deviceId;
});
afterAll(() => fixture.stop());

describe("a rule with a scope", () => {
  beforeAll(async () => {
    const { status } = await save([
      above("by id", { appliesTo: { deviceIds: [devices.pump?.deviceId] } }),
      above("by type or tag", { appliesTo: { deviceTypes: ["press"], tags: ["hot"] } }),
      above("by line", { appliesTo: { tags: ["line 1"] } }),
      above("all", {}),
      above("off", { enabled: false }),
    ]);
    expect(status).toBe(200);
    for (const name of Object.keys(devices)) await send(name, 60);
  });

  test("watches the devices with one of its ids, types or tags", async () => {
    expect(await alarmsOf("press")).toEqual(
      ["all", "by line", "by type or tag"].map((type) => `${type} ACTIVE_UNACK`),
    );
    expect(await alarmsOf("oven")).toEqual(
      ["all", "by line", "by type or tag"].map((type) => `${type} ACTIVE_UNACK`),
    );
    expect(await alarmsOf("pump")).toEqual(["all", "by id"].map((type) => `${type} ACTIVE_UNACK`));
  });

  test("ends its alarm when the device leaves the scope, and begins with the next message when it enters it", async () => {
    const url = `/api/devices/${devices.pump?.deviceId}`;
    await fixture.call("PATCH", url, { token: owner, body: { tags: ["line 1"] } });
    expect(await alarmsOf("pump")).not.toContain("by line ACTIVE_UNACK");
    await send("pump", 61);
    expect(await alarmsOf("pump")).toContain("by line ACTIVE_UNACK");
    await fixture.call("PATCH", url, { token: owner, body: { tags: [] } });
    expect(await alarmsOf("pump")).toContain("by line CLEARED_UNACK");
  });

  test("ends its alarms when it is switched off, and raises none", async () => {
    await save([above("all", { enabled: false }), above("off", {})]);
    await send("press", 62);
    expect(await alarmsOf("press")).toEqual(
      ["all", "by line", "by type or tag"].map((type) => `${type} CLEARED_UNACK`).concat("off ACTIVE_UNACK"),
    );
  });

  test("counts only its devices in a back-test of the profile", async () => {
    const rule = above("x", { appliesTo: { tags: ["line 1"] } });
    const profileId = profilePath.split("/").at(-1);
    const test = async (body: unknown) =>
      (await fixture.call("POST", "/api/alarms/back-test", { token: owner, body })).body;
    expect((await test({ rule, profileId })).deviceCount).toBe(2);
    expect((await test({ rule: above("x", {}), profileId })).deviceCount).toBe(3);
  });

  test("tells what holds where it has no text", async () => {
    const { body } = await fixture.call("GET", "/api/alarms?search=above", { token: owner });
    expect(body[0].message).toMatch(/^t is 6\d, above 50$/);
    expect(body[0].messageParts).toEqual([
      "t",
      { word: "is" },
      { value: expect.any(Number) },
      { word: "above" },
      { value: 50 },
    ]);
  });
});

describe("a wrong scope is refused", () => {
  const refusal = async (appliesTo: unknown) => {
    const { status, body } = await save([above("x", { appliesTo })]);
    return [status, body.params?.field];
  };
  for (const [name, appliesTo, field] of [
    ["an empty one", {}, "alarmRules[0].appliesTo"],
    ["one of empty lists", { tags: [], deviceIds: [] }, "alarmRules[0].appliesTo"],
    ["an unknown list", { names: ["a"] }, "alarmRules[0].appliesTo.names"],
    ["a list of something else", { tags: [1] }, "alarmRules[0].appliesTo.tags[0]"],
    ["no list", { tags: "a" }, "alarmRules[0].appliesTo.tags"],
    ["too long a list", { tags: Array.from({ length: 101 }, String) }, "alarmRules[0].appliesTo.tags"],
    ["too long a tag", { tags: ["x".repeat(65)] }, "alarmRules[0].appliesTo.tags[0]"],
    ["an unknown device", { deviceIds: ["nobody"] }, "alarmRules[0].appliesTo.deviceIds[0]"],
  ] as const)
    test(name, async () => {
      expect(await refusal(appliesTo)).toEqual([400, field]);
    });

  test("a device of another tenant, with the same answer as an unknown one", async () => {
    expect(await refusal({ deviceIds: [foreignDevice] })).toEqual([
      400,
      "alarmRules[0].appliesTo.deviceIds[0]",
    ]);
  });

  test("but not because of a device that was deleted since", async () => {
    const gone = await fixture.createDevice(owner, { name: "gone" });
    const rules = [above("x", { appliesTo: { deviceIds: [gone.deviceId] } })];
    expect((await save(rules)).status).toBe(200);
    await fixture.call("DELETE", `/api/devices/${gone.deviceId}`, { token: owner });
    expect((await save(rules)).status).toBe(200);
  });
});

describe("the devices that a rule would watch are counted", () => {
  const count = async (appliesTo: unknown, token = owner) => {
    const body = appliesTo === undefined ? {} : { appliesTo };
    const response = await fixture.call("POST", `${profilePath}/watched-devices`, { token, body });
    return response.status === 200 ? response.body.deviceCount : response.status;
  };

  test("by id, type and tag, each device once", async () => {
    expect(await count(undefined)).toBe(3);
    expect(await count({ deviceTypes: ["press"], tags: ["line 1"] })).toBe(2);
    expect(await count({ deviceIds: [devices.pump?.deviceId], tags: ["hot"] })).toBe(2);
    expect(await count({ tags: ["line"] })).toBe(0);
  });

  test("as far as the caller sees them", async () => {
    expect(await count(undefined, reader)).toBe(3);
    expect(await count(undefined, limited)).toBe(1);
    expect(await count({ tags: ["hot"] }, limited)).toBe(0);
    expect(await count(undefined, stranger)).toBe(404);
    expect(await count(undefined, "nobody")).toBe(401);
  });

  test("and a wrong scope is refused", async () => {
    expect(await count({})).toBe(400);
    expect(await count({ tags: [1] })).toBe(400);
  });
});

describe("the list of alarms is filtered by properties of the devices", () => {
  let press: string;
  beforeAll(async () => {
    await save([above("a", {}), above("b", { appliesTo: { deviceTypes: ["press"] } })]);
    for (const name of Object.keys(devices)) await send(name, 10);
    for (const name of Object.keys(devices)) await send(name, 70);
    press = devices.press?.deviceId ?? "";
    const gateway = await fixture.createDevice(owner, { name: "gate", role: "GATEWAY" });
    await fixture.call("PATCH", `/api/devices/${press}`, {
      token: owner,
      body: { parentDeviceId: gateway.deviceId, label: "Presse 4711" },
    });
    devices.gateway = gateway;
  });
  const named = async (query: string, token = owner) => {
    const { body } = await fixture.call("GET", `/api/alarms?status=ACTIVE_UNACK&${query}`, { token });
    return body
      .map((alarm: { deviceName: string; name: string }) => `${alarm.deviceName} ${alarm.name}`)
      .sort();
  };

  test("by tag, type, profile, gateway and name of the rule", async () => {
    const profileId = profilePath.split("/").at(-1);
    expect(await named("tag=hot")).toEqual(["oven a"]);
    expect(await named("tag=line%201")).toEqual(["oven a", "press a", "press b"]);
    expect(await named("tag=line")).toEqual([]);
    expect(await named("deviceType=press")).toEqual(["press a", "press b"]);
    expect(await named(`profileId=${profileId}&name=a`)).toEqual(["oven a", "press a", "pump a"]);
    expect(await named("profileId=another")).toEqual([]);
    expect(await named(`gatewayId=${devices.gateway?.deviceId}`)).toEqual(["press a", "press b"]);
    expect(await named(`gatewayId=${press}&name=b`)).toEqual(["press b"]);
  });

  test("tags are listed with their number of devices, as far as the caller sees these", async () => {
    const tags = async (token: string) => (await fixture.call("GET", "/api/devices/tags", { token })).body;
    expect(await tags(owner)).toEqual([
      { tag: "hot", count: 1 },
      { tag: "line 1", count: 2 },
    ]);
    expect(await tags(limited)).toEqual([{ tag: "line 1", count: 1 }]);
    expect(await tags(stranger)).toEqual([]);
  });

  test("by a search in tags and labels too", async () => {
    expect(await named("search=LINE&name=a")).toEqual(["oven a", "press a"]);
    expect(await named("search=4711&name=a")).toEqual(["press a"]);
  });

  test("as far as the caller sees the devices", async () => {
    expect(await named("tag=line%201", limited)).toEqual(["press a", "press b"]);
    expect(await named("tag=line%201", stranger)).toEqual([]);
  });
});
