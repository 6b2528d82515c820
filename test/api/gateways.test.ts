import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

const gateway = (fields: Record<string, unknown> = {}) =>
  fixture.createDevice(owner, { role: "GATEWAY", deviceType: "gateway", ...fields });
const child = (parentDeviceId: string, fields: Record<string, unknown> = {}) =>
  fixture.createDevice(owner, { parentDeviceId, ...fields });
const patch = (deviceId: string, body: unknown, token = owner) =>
  fixture.call("PATCH", `/api/devices/${deviceId}`, { token, body });
const read = async (deviceId: string) =>
  (await fixture.call("GET", `/api/devices/${deviceId}`, { token: owner })).body;
const children = async (deviceId: string, token = owner) =>
  (await fixture.call("GET", `/api/devices/${deviceId}/children`, { token })).body.map(
    ({ name }: { name: string }) => name,
  );

describe("what a gateway calls its children", () => {
  test("is their name when they are attached, and stays when they are renamed", async () => {
    const { deviceId: parent } = await gateway();
    const { deviceId } = await child(parent, { name: "sensor-1" });
    expect((await read(deviceId)).childName).toBe("sensor-1");
    expect((await patch(deviceId, { name: "Hall 3 temperature" })).body).toMatchObject({
      name: "Hall 3 temperature",
      childName: "sensor-1",
    });
  });

  test("may be set, is the same once it was detached and attached again, and null makes it the name", async () => {
    const { deviceId: parent } = await gateway();
    const { deviceId } = await child(parent, { name: "Pump 1", childName: "modbus/1" });
    expect((await patch(deviceId, { parentDeviceId: null })).body.parentDeviceId).toBeUndefined();
    const { deviceId: other } = await gateway();
    expect((await patch(deviceId, { parentDeviceId: other })).body).toMatchObject({
      parentDeviceId: other,
      childName: "modbus/1",
    });
    expect((await patch(deviceId, { childName: null })).body.childName).toBe("Pump 1");
  });

  test("belongs to one child only: refused when asked for, left open when nobody asked", async () => {
    const { deviceId: parent } = await gateway();
    await child(parent, { name: "twin" });
    const second = await child(parent, { name: "twin" });
    expect((await read(second.deviceId)).childName).toBeUndefined();
    const refused = await patch(second.deviceId, { childName: "twin" });
    expect(refused.status).toBe(409);
    expect(refused.body.message).toMatch(/^`childName` /);
    const taken = await fixture.call("POST", "/api/devices", {
      token: owner,
      body: { name: "third", deviceType: "t", parentDeviceId: parent, childName: "twin" },
    });
    expect(taken.status).toBe(409);
    expect((await patch(second.deviceId, { name: "twin 2" })).body.childName).toBe("twin 2");
  });

  test.each(["", "a\u0000b", "x".repeat(257)])("is refused: %j", async (childName) => {
    const { deviceId: parent } = await gateway();
    const { deviceId } = await child(parent);
    expect((await patch(deviceId, { childName })).status).toBe(400);
  });
});

describe("the tree", () => {
  test("is flat: a gateway has no gateway, however it is asked for", async () => {
    const { deviceId: parent } = await gateway();
    const { deviceId: other } = await gateway();
    const { deviceId } = await child(parent);
    for (const response of [
      await patch(other, { parentDeviceId: parent }),
      await patch(deviceId, { role: "GATEWAY" }),
      await patch(parent, { parentDeviceId: parent }),
      await fixture.call("POST", "/api/devices", {
        token: owner,
        body: { name: "x", deviceType: "t", role: "GATEWAY", parentDeviceId: parent },
      }),
    ]) {
      expect(response.status).toBe(400);
      expect(response.body.message).toMatch(/^`parentDeviceId` /);
    }
    const bulk = await fixture.call("POST", "/api/devices/bulk/validate", {
      token: owner,
      body: { rows: [{ name: "x", deviceType: "t", role: "GATEWAY", parentDeviceId: parent }] },
    });
    expect(bulk.body).toMatchObject({ valid: false, errors: [{ row: 1, field: "parentDeviceId" }] });
    expect((await patch(deviceId, { role: "GATEWAY", parentDeviceId: null })).body).toMatchObject({
      role: "GATEWAY",
    });
  });

  test("keeps a gateway a gateway for as long as it has children", async () => {
    const { deviceId: parent } = await gateway();
    const { deviceId } = await child(parent);
    expect((await patch(parent, { role: "DEVICE" })).status).toBe(400);
    await patch(deviceId, { parentDeviceId: null });
    expect((await patch(parent, { role: "DEVICE" })).body.role).toBe("DEVICE");
  });

  test("shows each user the children that were granted, and strangers nothing", async () => {
    const { deviceId: parent } = await gateway();
    const seen = await child(parent, { name: "seen" });
    await child(parent, { name: "hidden" });
    const { token } = await fixture.signIn("TENANT_READ_ONLY", { devices: [parent, seen.deviceId] });
    expect(await children(parent)).toEqual(["hidden", "seen"]);
    expect(await children(parent, token)).toEqual(["seen"]);
    const stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
    const foreign = await fixture.call("GET", `/api/devices/${parent}/children`, { token: stranger });
    expect(foreign.status).toBe(404);
    const { token: readOnly } = await fixture.signIn("TENANT_READ_ONLY");
    expect((await patch(seen.deviceId, { parentDeviceId: null }, readOnly)).status).toBe(403);
  });

  test("is listed by gateway and by role", async () => {
    const { deviceId: parent } = await gateway({ name: "the only one", tags: ["tree"] });
    const { deviceId } = await child(parent, { tags: ["tree"] });
    const list = async (query: string) =>
      (await fixture.call("GET", `/api/devices?${query}`, { token: owner })).body.map(
        (device: { deviceId: string }) => device.deviceId,
      );
    expect(await list(`parentDeviceId=${parent}`)).toEqual([deviceId]);
    expect(await list("role=GATEWAY&tag=tree")).toEqual([parent]);
    expect(await list("role=DEVICE&tag=tree")).toEqual([deviceId]);
    const wrong = await fixture.call("GET", "/api/devices?role=ROUTER", { token: owner });
    expect(wrong.status).toBe(400);
  });

  test("loses its root and keeps the children, without a gateway", async () => {
    const { deviceId: parent } = await gateway();
    const { deviceId } = await child(parent, { name: "orphan" });
    await fixture.call("DELETE", `/api/devices/${parent}`, { token: owner });
    const left = await read(deviceId);
    expect(left).toMatchObject({ name: "orphan", childName: "orphan" });
    expect(left.parentDeviceId).toBeUndefined();
  });

  test("comes in from a list", async () => {
    const { deviceId: parent } = await gateway();
    const rows = ["a", "b", "b"].map((name) => ({ name, deviceType: "t", parentDeviceId: parent }));
    const response = await fixture.call("POST", "/api/devices/bulk/import", { token: owner, body: { rows } });
    expect(response.body).toMatchObject({ created: 3, failed: 0 });
    expect(await children(parent)).toEqual(["a", "b", "b"]);
  });

  test("comes in from a list with the names that the gateway has for the children, each once", async () => {
    const { deviceId: parent } = await gateway();
    await child(parent, { name: "x", childName: "modbus/1" });
    const csv = (...names: string[]) =>
      [
        "name,deviceType,parentDeviceId,childName",
        ...names.map((name) => `Pump,pump,${parent},${name}`),
      ].join("\n");
    const call = (subject: string, raw: string) =>
      fixture.call("POST", `/api/devices/bulk/${subject}`, {
        token: owner,
        raw,
        headers: { "content-type": "text/csv" },
      });
    const checked = await call("validate", csv("modbus/2", "modbus/1", "modbus/2"));
    expect(checked.body.errors).toMatchObject([
      { row: 2, field: "childName" },
      {
        row: 3,
        field: "childName",
        message: "`childName` is the same as in row 1.",
        code: "rule.same_as_row",
        params: { row: 1 },
      },
    ]);
    const apiResponse = await call("import", csv("modbus/2", "modbus/3"));
    expect((await read(apiResponse.body.rows[1].deviceId)).childName).toBe("modbus/3");
    const exported = await fixture.call("GET", "/api/devices/bulk/export.csv", { token: owner });
    expect(exported.text).toContain(`${parent},modbus/3`);
  });
});

test("a profile says whether its gateways make children by naming them", async () => {
  const apiResponse = await fixture.call("POST", "/api/device-profiles", {
    token: owner,
    body: { name: "closed gateway", createsChildren: false },
  });
  expect(apiResponse.body.createsChildren).toBe(false);
  const path = `/api/device-profiles/${apiResponse.body.profileId}`;
  const changed = await fixture.call("PATCH", path, { token: owner, body: { createsChildren: true } });
  expect(changed.body.createsChildren).toBe(true);
  const profiles = await fixture.call("GET", "/api/device-profiles", { token: owner });
  expect(profiles.body.find(({ isDefault }: { isDefault: boolean }) => isDefault).createsChildren).toBe(true);
});
