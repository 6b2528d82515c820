import { describe, expect, test } from "bun:test";
import { contract, createWorld, keep } from "./client.ts";
import { boolean, iso, text, uuid } from "./shapes.ts";

const world = createWorld({
  prepare: async ({ need, ids }) => {
    ids.pump = (await need("rw", "POST /api/devices", { name: "pump", deviceType: "sensor" })).deviceId;
  },
});
const times = { createdAt: iso, updatedAt: iso };

describe("credentials", () => {
  const time = "POST /api/devices/{pump}/credentials/rotate";
  const send = (token: string) =>
    world.ask("anonymous", `POST /api/v1/${token}/telemetry`, { body: { payload: { a: 1 } } });
  contract(world, [
    ["refuses a reader", `reader ${time}`, 403],
    ["404 for another tenant's", "owner POST /api/devices/{foreign}/credentials/rotate", 404],
  ]);
  test("rotate: the new token works and the old one does not", async () => {
    const { credentials } = await world.need("rw", "GET /api/devices/{pump}");
    expect((await send(credentials.token)).status).toBe(200);
    await world.need("rw", time);
    const fresh = (await world.need("rw", "GET /api/devices/{pump}")).credentials.token;
    expect(fresh).not.toBe(credentials.token);
    expect(fresh).toMatch(/^[\w-]{20,}$/);
    expect((await send(credentials.token)).status).toBe(400);
    expect((await send(fresh)).status).toBe(200);
  });
});

describe("profiles", () => {
  const time = "/api/device-profiles";
  const record = {
    profileId: uuid,
    name: text,
    isDefault: boolean,
    alarmRules: (value: unknown) => (Array.isArray(value) ? undefined : "no list"),
    payload: text,
    ...times,
  };
  contract(world, [
    [
      "every tenant has a default one",
      `reader GET ${time}`,
      200,
      {
        is: [{ ...record, isDefault: true }],
        check: keep(world, "defaultProfile", (body) => body[0].profileId),
      },
    ],
    [
      "are created",
      `rw POST ${time}`,
      201,
      {
        body: {
          name: "Cold room",
          description: "freezers",
          inactivityTimeoutMs: 60_000,
          retentionDays: 30,
          payload: "CBOR",
          commandTimeoutMs: 9000,
          telemetryTopic: "rooms/t",
        },
        is: {
          ...record,
          name: "Cold room",
          isDefault: false,
          retentionDays: 30,
          payload: "CBOR",
          commandTimeoutMs: 9000,
          telemetryTopic: "rooms/t",
        },
        check: keep(world, "profile", (body) => body.profileId),
      },
    ],
    ["are read", `reader GET ${time}/{profile}`, 200, { is: { ...record, name: "Cold room" } }],
    [
      "are updated",
      `rw PATCH ${time}/{profile}`,
      200,
      { body: { name: "Freezer" }, is: { ...record, name: "Freezer", retentionDays: 30 } },
    ],
    [
      "belong to a device",
      "rw PATCH /api/devices/{pump}",
      200,
      {
        body: () => ({ profileId: world.ids.profile }),
        check: ({ body }) => expect(body.profileId).toBe(world.ids.profile),
      },
    ],
    ["need a name", `rw POST ${time}`, 400, { body: {} }],
    [
      "know the payloads JSON, CBOR and AUTO",
      `rw POST ${time}`,
      400,
      { body: { name: "p", payload: "XML" } },
    ],
    ["are not written by a reader", `reader POST ${time}`, 403, { body: { name: "p" } }],
    ["are 404 for another tenant", `stranger GET ${time}/{profile}`, 404],
    ["are not changed by another tenant", `stranger PATCH ${time}/{profile}`, 404, { body: { name: "p" } }],
    ["are not deleted by another tenant", `stranger DELETE ${time}/{profile}`, 404],
    ["are not deleted while a device has one", `rw DELETE ${time}/{profile}`, 409],
    [
      "let a device go back to the default",
      "rw PATCH /api/devices/{pump}",
      200,
      { body: () => ({ profileId: world.ids.defaultProfile }) },
    ],
    ["are deleted", `rw DELETE ${time}/{profile}`, 200, { is: { success: true } }],
    ["are gone then", `rw GET ${time}/{profile}`, 404],
  ]);
});
