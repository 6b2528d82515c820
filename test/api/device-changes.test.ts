import { beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import {
  create,
  fixture,
  gateway,
  limited,
  owner,
  pump,
  reader,
  stranger,
  useDevices,
  writer,
} from "./devices-fixture.ts";

useDevices();

describe("one device", () => {
  const pathOf = (method: string, token: string | undefined, body?: unknown) => ({
    method,
    path: `/api/devices/${pump.deviceId}`,
    token,
    ...(body === undefined ? {} : { body }),
  });
  let board: string;
  let foreign: string;
  const boardOf = async (token: string): Promise<string> => {
    const { body } = await fixture.call("POST", "/api/dashboards", { token, body: { name: "Pumps" } });
    return body.id;
  };
  beforeAll(async () => {
    await fixture.createDevice(owner, { name: "Child", parentDeviceId: gateway.deviceId });
    [board, foreign] = [await boardOf(owner), await boardOf(stranger)];
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
        name: "an invalid id is 404",
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
        name: "another tenant's dashboard is unknown",
        request: () => pathOf("PATCH", writer, { targetDashboardId: foreign }),
        status: 400,
        answer: ({ body }) => expect(body.message).toBe("`targetDashboardId` is not the ID of a dashboard."),
      },
      {
        name: "also for a new device",
        request: () => create({ name: "Pump 9", deviceType: "pump", targetDashboardId: foreign }),
        status: 400,
        answer: ({ body }) => expect(body.message).toBe("`targetDashboardId` is not the ID of a dashboard."),
      },
      {
        name: "a dashboard for all of its type",
        request: () =>
          pathOf("PATCH", writer, { targetDashboardId: board, targetStateId: "s1", applyToAllOfType: true }),
        status: 200,
      },
      {
        name: "is the type's default",
        request: () => ({ method: "GET", path: "/api/devices/type-defaults/pump", token: reader }),
        status: 200,
        answer: ({ body }) =>
          expect(body).toEqual({ deviceType: "pump", targetDashboardId: board, targetStateId: "s1" }),
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
        answer: ({ body }) => expect(body).toMatchObject({ targetDashboardId: board, targetStateId: "s1" }),
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
        name: "cannot attach a device to a hidden gateway",
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
