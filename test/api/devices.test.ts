import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let writer: string;
let reader: string;
let stranger: string;
let limited: string;
let pump: { deviceId: string; token: string };
let gateway: { deviceId: string; token: string };
let foreign: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  writer = (await fixture.signIn("TENANT_RW")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  pump = await fixture.createDevice(owner, {
    name: "Pump 7",
    deviceType: "pump",
    assetId: "hall-1",
    tags: ["north"],
  });
  gateway = await fixture.createDevice(owner, { name: "Gateway", deviceType: "gateway", role: "GATEWAY" });
  foreign = await fixture.createDevice(stranger, { name: "Foreign", deviceType: "pump", type: "GATEWAY" });
  limited = (await fixture.signIn("TENANT_RW", { devices: [pump.deviceId] })).token;
});
afterAll(() => fixture.stop());

const create = (body: unknown, token = owner) => ({ method: "POST", path: "/api/devices", token, body });
const names = ({ body }: { body: Array<{ name: string }> }) => body.map((device) => device.name);

describe("creating devices", () => {
  test("with a token of one's own, which no other device may have", async () => {
    const token = "a-token-of-our-own-1";
    const post = () => {
      const { method, path, ...options } = create({ name: "Own token", deviceType: "own", token });
      return fixture.call(method, path, options);
    };
    const created = await post();
    expect(created.body.credentials).toEqual({ type: "ACCESS_TOKEN", token });
    expect((await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { a: 1 } })).status).toBe(200);
    expect((await post()).status).toBe(409);
    await fixture.call("DELETE", `/api/devices/${created.body.deviceId}`, { token: owner });
  });

  apiRows(
    () => fixture,
    [
      {
        name: "anonymous is 401 without a body",
        request: () => ({ method: "POST", path: "/api/devices", body: {} }),
        status: 401,
        answer: "none",
      },
      {
        name: "a reader may not",
        request: () => create({ name: "x", deviceType: "t" }, reader),
        status: 403,
        answer: "error",
      },
      {
        name: "a missing name is 400",
        request: () => create({ deviceType: "t" }),
        status: 400,
        answer: "error",
      },
      { name: "a missing type is 400", request: () => create({ name: "x" }), status: 400, answer: "error" },
      {
        name: "a token that could be guessed is 400",
        request: () => create({ name: "x", deviceType: "own", token: "short" }),
        status: 400,
        answer: ({ body }) => expect(body.message).toContain("token"),
      },
      {
        name: "a type and a role that contradict each other are 400",
        request: () => create({ name: "x", deviceType: "t", type: "GATEWAY", role: "DEVICE" }),
        status: 400,
        answer: "error",
      },
      {
        name: "a type and a role that say the same are one",
        request: () => create({ name: "Both", deviceType: "both", type: "GATEWAY", role: "GATEWAY" }),
        status: 201,
        answer: ({ body }) => expect(body).toMatchObject({ type: "GATEWAY", role: "GATEWAY", assetId: null }),
      },
      {
        name: "a role that is none is 400",
        request: () => create({ name: "x", deviceType: "t", role: "ROUTER" }),
        status: 400,
        answer: "error",
      },
      {
        name: "a dev EUI of 15 digits is 400",
        request: () => create({ name: "x", deviceType: "t", lorawanDevEui: "0123456789abcde" }),
        status: 400,
        answer: "error",
      },
      {
        name: "a parent that is no gateway is 400",
        request: () => create({ name: "x", deviceType: "t", parentDeviceId: pump.deviceId }),
        status: 400,
        answer: "error",
      },
      {
        name: "another tenant's gateway is no parent",
        request: () => create({ name: "x", deviceType: "t", parentDeviceId: foreign.deviceId }),
        status: 400,
        answer: "error",
      },
      {
        name: "a profile that does not exist is 400",
        request: () => create({ name: "x", deviceType: "t", profileId: "nope" }),
        status: 400,
        answer: "error",
      },
      {
        name: "a tenant in the body changes nothing",
        request: () =>
          create({ name: "Valve", deviceType: "valve", tenantId: "other", deviceId: "mine" }, writer),
        status: 201,
        answer: ({ body }) => {
          expect(body).toMatchObject({
            name: "Valve",
            deviceType: "valve",
            role: "DEVICE",
            type: "DEVICE",
            active: false,
          });
          expect(body.deviceId).not.toBe("mine");
          expect(body.credentials.token.length).toBeGreaterThanOrEqual(20);
        },
      },
      {
        name: "a child of a gateway, with a dev EUI",
        request: () =>
          create({
            name: "Child",
            deviceType: "valve",
            parentDeviceId: gateway.deviceId,
            lorawanDevEui: "70B3D57ED0001234",
          }),
        status: 201,
        answer: ({ body }) =>
          expect(body).toMatchObject({ parentDeviceId: gateway.deviceId, lorawanDevEui: "70b3d57ed0001234" }),
      },
      {
        name: "the same dev EUI again is 409",
        request: () => create({ name: "Twin", deviceType: "valve", lorawanDevEui: "70b3d57ed0001234" }),
        status: 409,
        answer: "error",
      },
    ],
  );

  test("a change of a device whose type and role contradict each other is 400", async () => {
    const { deviceId } = await fixture.createDevice(owner, { name: "Changed", deviceType: "both" });
    const change = (body: unknown) =>
      fixture.call("PATCH", `/api/devices/${deviceId}`, { token: owner, body });
    expect((await change({ type: "DEVICE", role: "GATEWAY" })).status).toBe(400);
    expect((await change({ type: "GATEWAY" })).body).toMatchObject({ role: "GATEWAY" });
    await fixture.call("DELETE", `/api/devices/${deviceId}`, { token: owner });
  });

  test("an item of a list always has assetId", async () => {
    const { body } = await fixture.call("GET", "/api/devices?deviceType=both", { token: owner });
    expect(body.map(({ assetId }: { assetId: unknown }) => assetId)).toEqual([null]);
    const [{ deviceId }] = body;
    await fixture.createDevice(owner, { name: "Part", deviceType: "part", parentDeviceId: deviceId });
    const children = await fixture.call("GET", `/api/devices/${deviceId}/children`, { token: owner });
    expect(children.body).toMatchObject([{ name: "Part", assetId: null }]);
    for (const { deviceId: id } of [...children.body, ...body])
      await fixture.call("DELETE", `/api/devices/${id}`, { token: owner });
  });

  test("a device that was refused leaves nothing behind", async () => {
    const { body } = await fixture.call("GET", "/api/devices?search=Twin", { token: owner });
    expect(body).toEqual([]);
  });
});

describe("listing devices", () => {
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous is 401 without a body",
        request: () => ({ method: "GET", path: "/api/devices?deviceType=pump" }),
        status: 401,
        answer: "none",
      },
      {
        name: "by type",
        request: () => ({ method: "GET", path: "/api/devices?deviceType=pump", token: reader }),
        status: 200,
        answer: ({ body }) =>
          expect(body).toMatchObject([
            { deviceId: pump.deviceId, name: "Pump 7", deviceType: "pump", assetId: "hall-1" },
          ]),
      },
      {
        name: "all of the tenant, by name",
        request: () => ({ method: "GET", path: "/api/devices", token: reader }),
        status: 200,
        answer: (answer) => expect(names(answer)).toEqual(["Child", "Gateway", "Pump 7", "Valve"]),
      },
      {
        name: "a page, with where the next one is",
        request: () => ({ method: "GET", path: "/api/devices?limit=2&offset=1&sort=-name", token: reader }),
        status: 200,
        answer: (answer) => {
          expect(names(answer)).toEqual(["Pump 7", "Gateway"]);
          expect(answer.headers.get("x-total-count")).toBe("4");
          expect(answer.headers.get("link")).toContain("offset=3");
        },
      },
      {
        name: "by part of a name, whatever it holds",
        request: () => ({ method: "GET", path: "/api/devices?search=%25", token: reader }),
        status: 200,
        answer: ({ body }) => expect(body).toEqual([]),
      },
      {
        name: "by tag",
        request: () => ({ method: "GET", path: "/api/devices?tag=north", token: reader }),
        status: 200,
        answer: (answer) => expect(names(answer)).toEqual(["Pump 7"]),
      },
      {
        name: "only what was granted",
        request: () => ({ method: "GET", path: "/api/devices", token: limited }),
        status: 200,
        answer: (answer) => expect(names(answer)).toEqual(["Pump 7"]),
      },
      {
        name: "a sort that is none is 400",
        request: () => ({ method: "GET", path: "/api/devices?sort=token", token: reader }),
        status: 400,
        answer: "error",
      },
      {
        name: "types with their counts",
        request: () => ({ method: "GET", path: "/api/devices/types", token: reader }),
        status: 200,
        answer: ({ body }) =>
          expect(body).toEqual([
            { deviceType: "gateway", count: 1 },
            { deviceType: "pump", count: 1 },
            { deviceType: "valve", count: 2 },
          ]),
      },
      {
        name: "children of a gateway",
        request: () => ({ method: "GET", path: `/api/devices/${gateway.deviceId}/children`, token: reader }),
        status: 200,
        answer: (answer) => expect(names(answer)).toEqual(["Child"]),
      },
    ],
  );
});

describe("one device", () => {
  const pathOf = (method: string, token: string | undefined, body?: unknown) => ({
    method,
    path: `/api/devices/${pump.deviceId}`,
    token,
    ...(body === undefined ? {} : { body }),
  });
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous is 401 without a body",
        request: () => pathOf("GET", undefined),
        status: 401,
        answer: "none",
      },
      {
        name: "another tenant's is 404",
        request: () => pathOf("GET", stranger),
        status: 404,
        answer: "error",
      },
      {
        name: "an id that is none is 404",
        request: () => ({ method: "GET", path: "/api/devices/%00", token: owner }),
        status: 404,
        answer: "error",
      },
      {
        name: "a reader sees no credentials",
        request: () => pathOf("GET", reader),
        status: 200,
        answer: ({ body }) => expect(body.credentials).toBeUndefined(),
      },
      {
        name: "a writer does",
        request: () => pathOf("GET", writer),
        status: 200,
        answer: ({ body }) => expect(body.credentials).toEqual({ type: "ACCESS_TOKEN", token: pump.token }),
      },
      {
        name: "a reader may not change it",
        request: () => pathOf("PATCH", reader, { name: "x" }),
        status: 403,
        answer: "error",
      },
      {
        name: "another tenant may not change it",
        request: () => pathOf("PATCH", stranger, { name: "x" }),
        status: 404,
        answer: "error",
      },
      {
        name: "an inactivity timeout of -1 is 400",
        request: () => pathOf("PATCH", owner, { inactivityTimeoutMs: -1 }),
        status: 400,
        answer: "error",
      },
      {
        name: "it can be attached to a gateway",
        request: () => pathOf("PATCH", writer, { parentDeviceId: gateway.deviceId, label: "north" }),
        status: 200,
        answer: ({ body }) =>
          expect(body).toMatchObject({ parentDeviceId: gateway.deviceId, label: "north", name: "Pump 7" }),
      },
      {
        name: "and detached with null",
        request: () => pathOf("PATCH", writer, { parentDeviceId: null }),
        status: 200,
        answer: ({ body }) => expect(body.parentDeviceId).toBeUndefined(),
      },
      {
        name: "a gateway with children stays one",
        request: () => ({
          method: "PATCH",
          path: `/api/devices/${gateway.deviceId}`,
          token: owner,
          body: { role: "DEVICE" },
        }),
        status: 400,
        answer: "error",
      },
      {
        name: "a dashboard for all of its type",
        request: () =>
          pathOf("PATCH", writer, { targetDashboardId: "d1", targetStateId: "s1", applyToAllOfType: true }),
        status: 200,
      },
      {
        name: "is the type's default",
        request: () => ({ method: "GET", path: "/api/devices/type-defaults/pump", token: reader }),
        status: 200,
        answer: ({ body }) =>
          expect(body).toEqual({ deviceType: "pump", targetDashboardId: "d1", targetStateId: "s1" }),
      },
      {
        name: "but not another tenant's",
        request: () => ({ method: "GET", path: "/api/devices/type-defaults/pump", token: stranger }),
        status: 200,
        answer: ({ body }) => expect(body).toEqual({ deviceType: "pump" }),
      },
      {
        name: "a new device of the type gets it",
        request: () => create({ name: "Pump 8", deviceType: "pump" }),
        status: 201,
        answer: ({ body }) => expect(body).toMatchObject({ targetDashboardId: "d1", targetStateId: "s1" }),
      },
    ],
  );

  test("rotating the token ends the old one at once", async () => {
    const path = `/api/devices/${pump.deviceId}/credentials/rotate`;
    expect((await fixture.call("POST", path, { token: reader })).status).toBe(403);
    expect((await fixture.call("POST", path, { token: stranger })).status).toBe(404);
    expect((await fixture.call("POST", `/api/v1/${pump.token}/telemetry`, { body: { a: 1 } })).status).toBe(
      200,
    );
    const { body } = await fixture.call("POST", path, { token: writer });
    expect((await fixture.call("POST", `/api/v1/${pump.token}/telemetry`, { body: { a: 1 } })).status).toBe(
      400,
    );
    expect((await fixture.call("POST", `/api/v1/${body.token}/telemetry`, { body: { a: 1 } })).status).toBe(
      200,
    );
  });

  test("deleting it deletes its data and its token", async () => {
    const { deviceId, token } = await fixture.createDevice(owner, { name: "Short-lived" });
    await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { only_here: 1 } });
    expect((await fixture.call("DELETE", `/api/devices/${deviceId}`, { token: reader })).status).toBe(403);
    expect((await fixture.call("DELETE", `/api/devices/${deviceId}`, { token: stranger })).status).toBe(404);
    expect((await fixture.call("DELETE", `/api/devices/${deviceId}`, { token: owner })).body).toEqual({
      success: true,
    });
    expect((await fixture.call("GET", `/api/devices/${deviceId}`, { token: owner })).status).toBe(404);
    expect(
      (await fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { only_here: 1 } })).status,
    ).toBe(400);
    const { body } = await fixture.call("GET", "/api/telemetry/keys", { token: owner });
    expect(body).not.toContainEqual({ key: "only_here" });
  });
});

describe("a user with some of the devices", () => {
  const change = (body: unknown) => ({
    method: "PATCH",
    path: `/api/devices/${pump.deviceId}`,
    token: limited,
    body,
  });
  apiRows(
    () => fixture,
    [
      {
        name: "cannot change the others through the type they share",
        request: () => change({ targetDashboardId: "mine", applyToAllOfType: true }),
        status: 403,
        answer: "error",
      },
      {
        name: "cannot hang a device under a gateway that is not theirs to see",
        request: () => change({ parentDeviceId: gateway.deviceId }),
        status: 400,
        answer: "error",
      },
      {
        name: "can change their own",
        request: () => change({ label: "mine" }),
        status: 200,
      },
    ],
  );
});

describe("device profiles", () => {
  const profile = (method: string, path: string, token: string | undefined, body?: unknown) => ({
    method,
    path: `/api/device-profiles${path}`,
    token,
    ...(body === undefined ? {} : { body }),
  });
  let profileId = "";
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous is 401 without a body",
        request: () => profile("GET", "", undefined),
        status: 401,
        answer: "none",
      },
      {
        name: "every tenant has a default one",
        request: () => profile("GET", "", reader),
        status: 200,
        answer: ({ body }) =>
          expect(body).toMatchObject([
            { name: "default", isDefault: true, payload: "AUTO", inactivityTimeoutMs: 600_000 },
          ]),
      },
      {
        name: "a reader may not create one",
        request: () => profile("POST", "", reader, { name: "fast" }),
        status: 403,
        answer: "error",
      },
      {
        name: "a missing name is 400",
        request: () => profile("POST", "", writer, {}),
        status: 400,
        answer: "error",
      },
      {
        name: "created",
        request: () => profile("POST", "", writer, { name: "fast", retentionDays: 30, payload: "CBOR" }),
        status: 201,
        answer: ({ body }) => {
          profileId = body.profileId;
          expect(body).toMatchObject({ name: "fast", isDefault: false, retentionDays: 30, payload: "CBOR" });
        },
      },
      {
        name: "the same name again is 409",
        request: () => profile("POST", "", writer, { name: "fast" }),
        status: 409,
        answer: "error",
      },
      {
        name: "another tenant's is 404",
        request: () => profile("GET", `/${profileId}`, stranger),
        status: 404,
        answer: "error",
      },
      {
        name: "changed",
        request: () =>
          profile("PATCH", `/${profileId}`, writer, { inactivityTimeoutMs: 5000, isDefault: true }),
        status: 200,
        answer: ({ body }) => expect(body).toMatchObject({ inactivityTimeoutMs: 5000, isDefault: true }),
      },
      {
        name: "there is one default",
        request: () => profile("GET", "", reader),
        status: 200,
        answer: ({ body }) =>
          expect(body.filter((item: { isDefault: boolean }) => item.isDefault)).toHaveLength(1),
      },
      {
        name: "the default stays",
        request: () => profile("DELETE", `/${profileId}`, writer),
        status: 409,
        answer: "error",
      },
      {
        name: "and does not give up its mark",
        request: () => profile("PATCH", `/${profileId}`, writer, { isDefault: false }),
        status: 400,
        answer: "error",
      },
    ],
  );
});
