import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

let fixture: TestApp;
let owner: string;
let reader: string;
let stranger: string;
beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
});
afterAll(() => fixture.stop());

const bulk = (action: string, body: unknown, token = owner) =>
  fixture.call("POST", `/api/devices/bulk/${action}`, { token, body });
const device = async (deviceId: string) =>
  (await fixture.call("GET", `/api/devices/${deviceId}`, { token: owner })).body;
const create = (name: string, tags: string[] = []) =>
  fixture.createDevice(owner, { name, deviceType: "press", tags });
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const bodies = (deviceIds: string[]): [string, Record<string, unknown>][] => [
  ["update", { deviceIds, addTags: ["a"] }],
  ["delete", { deviceIds }],
  ["commands", { deviceIds, method: "reboot" }],
  ["maintenance", { deviceIds, until: inAnHour() }],
  ["maintenance-end", { deviceIds }],
];

describe("many devices at once", () => {
  test("are refused to a reader, and a malformed request is refused as a whole", async () => {
    const { deviceId } = await create("kept");
    for (const [action, body] of bodies([deviceId])) {
      expect((await bulk(action, body, reader)).status).toBe(403);
      expect((await bulk(action, { ...body, deviceIds: [] })).status).toBe(400);
      expect((await bulk(action, { ...body, deviceIds: Array(201).fill(deviceId) })).status).toBe(400);
    }
    expect((await bulk("update", { deviceIds: [deviceId] })).body.code).toBe("bulk.no_changes");
    expect((await bulk("commands", { deviceIds: [deviceId] })).body.code).toBe("command.empty");
    expect((await bulk("maintenance", { deviceIds: [deviceId], until: "soon" })).status).toBe(400);
    expect((await device(deviceId)).tags).toEqual([]);
  });

  test("of another tenant, or not granted to the caller, fail as devices that do not exist", async () => {
    const { deviceId } = await create("apart");
    const ungranted = (await fixture.signIn("TENANT_RW", { devices: [] })).token;
    for (const token of [stranger, ungranted])
      for (const [action, body] of bodies([deviceId])) {
        const response = await bulk(action, body, token);
        expect(response.status).toBe(200);
        expect(response.body).toMatchObject({
          succeeded: 0,
          failed: [{ deviceId, code: "device.not_found" }],
        });
      }
    expect(await device(deviceId)).toMatchObject({ name: "apart", tags: [] });
  });

  test("get and lose tags, a profile, a gateway and an asset, each once", async () => {
    const first = await create("first", ["old", "both"]);
    const second = await create("second", ["both"]);
    const gateway = await fixture.createDevice(owner, { name: "G", deviceType: "gateway", role: "GATEWAY" });
    const profile = await fixture.call("POST", "/api/device-profiles", { token: owner, body: { name: "P" } });
    const { profileId } = profile.body;
    const deviceIds = [first.deviceId, second.deviceId, first.deviceId];
    const changes = { addTags: ["new"], removeTags: ["old"], profileId, assetId: "hall-2" };
    const response = await bulk("update", { deviceIds, ...changes, parentDeviceId: gateway.deviceId });
    expect(response.body).toEqual({ succeeded: 2, failed: [] });
    const common = { profileId, assetId: "hall-2", parentDeviceId: gateway.deviceId };
    expect(await device(first.deviceId)).toMatchObject({ ...common, tags: ["both", "new"] });
    expect(await device(second.deviceId)).toMatchObject({ ...common, tags: ["both", "new"] });
    await bulk("update", { deviceIds, parentDeviceId: null });
    expect(await device(first.deviceId)).not.toHaveProperty("parentDeviceId");
  });

  test("say which of them failed and why, and change the others", async () => {
    const crowded = await create(
      "crowded",
      Array.from({ length: 64 }, (_, number) => `tag ${number}`),
    );
    const other = await create("other");
    const response = await bulk("update", {
      deviceIds: [crowded.deviceId, "unknown", other.deviceId],
      addTags: ["one more"],
    });
    expect(response.body.succeeded).toBe(1);
    expect(response.body.failed).toMatchObject([
      { deviceId: crowded.deviceId, code: "device.too_many_tags", params: { max: 64 } },
      { deviceId: "unknown", code: "device.not_found" },
    ]);
    expect((await device(other.deviceId)).tags).toEqual(["one more"]);
  });

  test("get a command each, and go into maintenance and out of it", async () => {
    const pair = [await create("left"), await create("right")].map(({ deviceId }) => deviceId);
    const sent = await bulk("commands", { deviceIds: pair, method: "reboot", params: { delay: 1 } });
    expect(sent.body).toEqual({ succeeded: 2, failed: [] });
    for (const deviceId of pair) {
      const { body } = await fixture.call("GET", `/api/devices/${deviceId}/commands`, { token: owner });
      expect(body).toMatchObject([{ method: "reboot", params: { delay: 1 } }]);
    }
    await bulk("maintenance", { deviceIds: pair, until: inAnHour(), reason: "oil" });
    expect(await device(pair[1] ?? "")).toMatchObject({ maintenance: { reason: "oil" } });
    await bulk("maintenance-end", { deviceIds: pair });
    expect(await device(pair[1] ?? "")).not.toHaveProperty("maintenance");
  });

  test("go into maintenance for a reader who may acknowledge alarms", async () => {
    const { token, user } = await fixture.signIn("TENANT_READ_ONLY");
    await fixture.call("PATCH", `/api/users/${user.userId}`, {
      token: owner,
      body: { canAcknowledgeAlarms: true },
    });
    const { deviceId } = await create("worked on");
    const response = await bulk("maintenance", { deviceIds: [deviceId], until: inAnHour() }, token);
    expect(response.body).toEqual({ succeeded: 1, failed: [] });
  });

  test("are deleted, and each has its entry in the audit log", async () => {
    const pair = [await create("gone 1"), await create("gone 2")].map(({ deviceId }) => deviceId);
    await bulk("update", { deviceIds: [...pair, "unknown"], addTags: ["doomed"] });
    expect((await bulk("delete", { deviceIds: pair })).body).toEqual({ succeeded: 2, failed: [] });
    for (const deviceId of pair) {
      expect((await device(deviceId)).statusCode).toBe(404);
      const { body } = await fixture.call("GET", `/api/audit?targetId=${deviceId}`, { token: owner });
      expect(body.map(({ action }: { action: string }) => action)).toEqual([
        "device.delete",
        "device.update",
        "device.create",
      ]);
      expect(body[1]).toMatchObject({ before: { tags: [] }, after: { tags: ["doomed"] } });
      expect(body[0].targetName).toMatch(/^gone/);
    }
    const unknown = await fixture.call("GET", "/api/audit?targetId=unknown", { token: owner });
    expect(unknown.body).toEqual([]);
  });

  test("of an import are deleted only while nobody has changed them and they have sent nothing", async () => {
    const rows = ["untouched", "renamed", "sent"].map((name) => ({
      name,
      deviceType: "press",
      token: `${name}-has-a-token-of-its-own`,
    }));
    const imported = await fixture.call("POST", "/api/devices/bulk/import", { token: owner, body: { rows } });
    const ids: string[] = imported.body.rows.map(({ deviceId }: { deviceId: string }) => deviceId);
    // A change within the millisecond of the import would not be one.
    await until(async () => {
      const path = `/api/devices/${ids[1]}`;
      const { body } = await fixture.call("PATCH", path, { token: owner, body: { label: "north" } });
      return body.updatedAt !== body.createdAt;
    });
    await fixture.call("POST", "/api/v1/sent-has-a-token-of-its-own/telemetry", { body: { a: 1 } });
    const undone = await bulk("delete", { deviceIds: ids, onlyUntouched: true });
    expect(undone.body).toMatchObject({
      succeeded: 1,
      failed: [
        { deviceId: ids[1], code: "device.was_changed" },
        { deviceId: ids[2], code: "device.was_active" },
      ],
    });
    expect((await device(ids[0] ?? "")).statusCode).toBe(404);
    expect((await device(ids[2] ?? "")).name).toBe("sent");
  });
});
