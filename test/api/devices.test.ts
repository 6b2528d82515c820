import { describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import {
  create,
  fixture,
  foreign,
  gateway,
  limited,
  owner,
  pump,
  reader,
  useDevices,
  writer,
} from "./devices-fixture.ts";

useDevices();

const names = ({ body }: { body: Array<{ name: string }> }) => body.map((device) => device.name);

describe("creating devices", () => {
  test("a device is created with a given token, which no other device may have", async () => {
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
        name: "an unknown role is 400",
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
        name: "a parent device that is no gateway is 400",
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
        answer: (response) => expect(names(response)).toEqual(["Child", "Gateway", "Pump 7", "Valve"]),
      },
      {
        name: "a page, with where the next one is",
        request: () => ({ method: "GET", path: "/api/devices?limit=2&offset=1&sort=-name", token: reader }),
        status: 200,
        answer: (response) => {
          expect(names(response)).toEqual(["Pump 7", "Gateway"]);
          expect(response.headers.get("x-total-count")).toBe("4");
          expect(response.headers.get("link")).toContain("offset=3");
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
        answer: (response) => expect(names(response)).toEqual(["Pump 7"]),
      },
      {
        name: "only what was granted",
        request: () => ({ method: "GET", path: "/api/devices", token: limited }),
        status: 200,
        answer: (response) => expect(names(response)).toEqual(["Pump 7"]),
      },
      {
        name: "an unknown sort field is 400",
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
        name: "no types of another profile",
        request: () => ({ method: "GET", path: "/api/devices/types?profileId=other", token: reader }),
        status: 200,
        answer: ({ body }) => expect(body).toEqual([]),
      },
      {
        name: "children of a gateway",
        request: () => ({ method: "GET", path: `/api/devices/${gateway.deviceId}/children`, token: reader }),
        status: 200,
        answer: (response) => expect(names(response)).toEqual(["Child"]),
      },
    ],
  );
});
