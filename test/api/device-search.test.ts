import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let reader: string;
let stranger: string;
let pump: string;
beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  pump = await create("Pump 7", { deviceType: "pump", label: "cellar", tags: ["cooling"] });
  await setAttributes(pump, { serial: "SN-4711_a", hours: 12_345, note: "north gate" });
  await setAttributes(await create("North gate", { deviceType: "door" }), { serial: "SN-0815" });
  await setAttributes(await create("Gate", { deviceType: "door", tags: ["north"] }), {
    long: "x".repeat(300),
  });
});
afterAll(() => fixture.stop());

async function create(name: string, fields: { deviceType: string; label?: string; tags?: string[] }) {
  return (await fixture.createDevice(owner, { name, ...fields })).deviceId;
}

const setAttributes = (deviceId: string, attributes: object) =>
  fixture.call("POST", `/api/devices/${deviceId}/attributes`, {
    token: owner,
    body: { scope: "SERVER", attributes },
  });

async function find(search: string, { token = owner, query = "" } = {}): Promise<string[]> {
  const path = `/api/devices?search=${encodeURIComponent(search)}${query}`;
  const { body } = await fixture.call("GET", path, { token });
  return body.map(({ name }: { name: string }) => name);
}

describe("the search of the device list", () => {
  test.each([
    ["the name", "pump 7"],
    ["the label", "cell"],
    ["the type", "pump"],
    ["a tag", "COOL"],
    ["an attribute's text", "sn-4711"],
    ["an attribute's number", "12345"],
    ["the end of an attribute, and not a pattern", "4711_a"],
  ])("finds a device by %s", async (_, text) => {
    expect(await find(text)).toEqual(["Pump 7"]);
    expect(await find(text, { token: reader })).toEqual(["Pump 7"]);
  });

  test("finds children of a gateway in the same way", async () => {
    const gateway = await fixture.createDevice(owner, { name: "Line", role: "GATEWAY" });
    for (const name of ["Motor", "Belt", "Lamp"]) {
      const child = await fixture.createDevice(owner, { name, deviceType: "part", label: `of ${name}` });
      await fixture.call("PATCH", `/api/devices/${child.deviceId}`, {
        token: owner,
        body: { parentDeviceId: gateway.deviceId },
      });
    }
    const list = async (query: string) => {
      const path = `/api/devices/${gateway.deviceId}/children${query}`;
      const { body, headers } = await fixture.call("GET", path, { token: owner });
      return [body.map(({ name }: { name: string }) => name).join(), headers.get("x-total-count")];
    };
    expect(await list("")).toEqual(["Belt,Lamp,Motor", "3"]);
    expect(await list("?sort=-name&limit=1&offset=1")).toEqual(["Lamp", "3"]);
    expect(await list("?search=of+bel")).toEqual(["Belt", "1"]);
  });

  test("takes % and _ as they are, and finds nothing in long values", async () => {
    expect(await find("SN%a")).toEqual([]);
    expect(await find("4711xa")).toEqual([]);
    expect(await find("xxxx")).toEqual([]);
  });

  test("lists names before everything else, the whole name first, unless another order is asked for", async () => {
    expect(await find("north")).toEqual(["North gate", "Gate", "Pump 7"]);
    expect(await find("gate")).toEqual(["Gate", "North gate", "Pump 7"]);
    expect(await find("gate", { query: "&sort=-name" })).toEqual(["Pump 7", "North gate", "Gate"]);
    expect(await find("north", { query: "&limit=1&offset=2" })).toEqual(["Pump 7"]);
  });

  test("finds no devices of another tenant, and none that were not granted", async () => {
    expect(await find("SN-4711", { token: stranger })).toEqual([]);
    expect(await find("cooling", { token: stranger })).toEqual([]);
    const limited = (await fixture.signIn("TENANT_RW", { devices: [pump] })).token;
    expect(await find("SN-", { token: limited })).toEqual(["Pump 7"]);
  });

  test("finds a new value at once, and a deleted one no more", async () => {
    await setAttributes(pump, { serial: "SN-9999" });
    expect(await find("SN-9999")).toEqual(["Pump 7"]);
    expect(await find("SN-4711")).toEqual([]);
    await fixture.call("DELETE", `/api/devices/${pump}/attributes/SERVER/serial`, { token: owner });
    expect(await find("SN-9999")).toEqual([]);
  });
});

describe("the filter by attributes", () => {
  test("lists the devices that have one of the server attributes, and no other", async () => {
    expect(await find("", { query: "&attribute=hours" })).toEqual(["Pump 7"]);
    expect((await find("", { query: "&attribute=long,hours" })).sort()).toEqual(["Gate", "Pump 7"]);
    expect(await find("", { query: "&attribute=hour" })).toEqual([]);
    expect(await find("gate", { query: "&attribute=serial", token: reader })).toEqual(["North gate"]);
    expect(await find("", { query: "&attribute=serial", token: stranger })).toEqual([]);
  });

  test("ignores attributes of other scopes", async () => {
    const body = { scope: "SHARED", attributes: { interval: 5 } };
    await fixture.call("POST", `/api/devices/${pump}/attributes`, { token: owner, body });
    expect(await find("", { query: "&attribute=interval" })).toEqual([]);
  });
});

test("more different tags than a list can have are refused", async () => {
  const rows = Array.from({ length: 320 }, (_, row) => ({
    ...{ name: `tagged ${row}`, deviceType: "sensor" },
    tags: Array.from({ length: 64 }, (_, tag) => `${row} ${tag}`),
  }));
  const many = (await fixture.signIn("TENANT_OWNER", { tenant: "tags" })).token;
  const imported = await fixture.call("POST", "/api/devices/bulk/import", { token: many, body: { rows } });
  expect(imported.status).toBeLessThan(300);
  const { status, body } = await fixture.call("GET", "/api/devices/tags", { token: many });
  expect([status, body.code, body.params]).toEqual([413, "device.tags_uncountable", { max: 20_000 }]);
});
