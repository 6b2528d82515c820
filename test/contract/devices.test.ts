import { describe, expect } from "bun:test";
import { type ContractRow, contract, createWorld, keep } from "./client.ts";
import { absent, count, including, iso, listOf, nullable, string, text, uuid, without } from "./shapes.ts";

const world = createWorld();
const item = { deviceId: uuid, name: text, deviceType: text, assetId: nullable(string) };
const times = { createdAt: iso, updatedAt: iso };
const keepAs = (name: string, field = "deviceId") => keep(world, name, (body) => body[field]);
const create = (fields: Record<string, unknown>) => ({ name: "d", deviceType: "sensor", ...fields });
const refusals = (time: string, as: "rw", bodies: Record<string, unknown>): ContractRow[] =>
  Object.entries(bodies).map(([name, body]) => [`refuses ${name}`, `${as} ${time}`, 400, { body }]);

describe("creating a device", () => {
  const time = "POST /api/devices";
  contract(world, [
    [
      "answers id, name and type",
      `rw ${time}`,
      201,
      {
        body: create({ name: "pump" }),
        is: { ...item, name: "pump", deviceType: "sensor" },
        check: keepAs("pump"),
      },
    ],
    [
      "takes role GATEWAY",
      `rw ${time}`,
      201,
      {
        body: create({ name: "gate", deviceType: "gateway", role: "GATEWAY" }),
        is: item,
        check: keepAs("gate"),
      },
    ],
    [
      "takes type as the alias of role",
      `rw ${time}`,
      201,
      { body: create({ name: "gate 2", type: "GATEWAY" }), is: item, check: keepAs("gate2") },
    ],
    [
      "takes a parent",
      `rw ${time}`,
      201,
      {
        body: () => create({ name: "child", parentDeviceId: world.ids.gate }),
        is: item,
        check: keepAs("child"),
      },
    ],
    [
      "takes every optional field",
      `rw ${time}`,
      201,
      {
        body: create({
          name: "full",
          assetId: "hall-1",
          inactivityTimeoutMs: 5000,
          commandTransport: "MQTT",
          lorawanDevEui: "0011223344556677",
        }),
        is: { ...item, assetId: "hall-1" },
        check: keepAs("full"),
      },
    ],
    [
      "409 for a DevEUI that is taken",
      `rw ${time}`,
      409,
      { body: create({ name: "again", lorawanDevEui: "0011223344556677" }) },
    ],
    ["refuses a reader", `reader ${time}`, 403, { body: create({}) }],
    [
      "takes no parent of another tenant",
      `rw ${time}`,
      400,
      { body: () => create({ parentDeviceId: world.ids.foreign }) },
    ],
    ...refusals(time, "rw", {
      "no name": { deviceType: "sensor" },
      "no deviceType": { name: "x" },
      "a name that is no text": create({ name: 5 }),
      "an unknown role": create({ role: "ROUTER" }),
      "role and type that differ": create({ role: "DEVICE", type: "GATEWAY" }),
      "a DevEUI of 15 characters": create({ lorawanDevEui: "001122334455667" }),
      "a DevEUI that is not hexadecimal": create({ lorawanDevEui: "00112233445566zz" }),
      "a transport other than WS and MQTT": create({ commandTransport: "COAP" }),
      "a time-out that is a text": create({ inactivityTimeoutMs: "5000" }),
      "a negative time-out": create({ inactivityTimeoutMs: -1 }),
      "a list": [],
      "a text": "x",
    }),
  ]);
});

describe("reading devices", () => {
  contract(world, [
    ["lists all without deviceType", "reader GET /api/devices", 200, { is: listOf(item) }],
    [
      "lists those of a type",
      "reader GET /api/devices?deviceType=gateway",
      200,
      { is: [{ ...item, name: "gate" }] },
    ],
    ["lists no other tenant's", "stranger GET /api/devices", 200, { is: [{ ...item, name: "foreign" }] }],
    [
      "lists a limited user the granted ones",
      "limited GET /api/devices",
      200,
      { is: [{ ...item, name: "granted" }] },
    ],
    [
      "details state, times, tags and the role",
      "reader GET /api/devices/{pump}",
      200,
      { is: { ...item, ...times, active: false, tags: [], role: "DEVICE", type: "DEVICE", profileId: uuid } },
    ],
    [
      "details show the fields that were given",
      "reader GET /api/devices/{full}",
      200,
      { is: { assetId: "hall-1", inactivityTimeoutMs: 5000, lorawanDevEui: "0011223344556677" } },
    ],
    [
      "type GATEWAY means role GATEWAY",
      "reader GET /api/devices/{gate2}",
      200,
      { is: { role: "GATEWAY", type: "GATEWAY" } },
    ],
    [
      "stores the DevEUI as an attribute",
      "reader GET /api/devices/{full}/attributes?scope=SERVER",
      200,
      { is: including({ key: "integration.lorawan.dev_eui", value: "0011223344556677" }) },
    ],
    [
      "shows the token to a read-write user",
      "rw GET /api/devices/{pump}",
      200,
      { is: { credentials: { type: text, token: /^[\w-]{20,}$/ } } },
    ],
    [
      "hides the token from a reader",
      "reader GET /api/devices/{pump}",
      200,
      { check: ({ body }) => expect("credentials" in body).toBe(false) },
    ],
    ["404 for an unknown device", "owner GET /api/devices/{unknown}", 404],
    ["404 for another tenant's device", "owner GET /api/devices/{foreign}", 404],
    ["404 for a device that is not granted", "limited GET /api/devices/{pump}", 404],
    [
      "lists the children of a gateway",
      "reader GET /api/devices/{gate}/children",
      200,
      { is: [{ ...item, name: "child" }] },
    ],
    ["404 for another tenant's children", "owner GET /api/devices/{foreign}/children", 404],
    [
      "counts the devices of each type",
      "reader GET /api/devices/types",
      200,
      { is: listOf({ deviceType: text, count }) },
    ],
    [
      "counts a single gateway",
      "reader GET /api/devices/types",
      200,
      { is: including({ deviceType: "gateway", count: 1 }) },
    ],
    [
      "counts no other tenant's",
      "stranger GET /api/devices/types",
      200,
      { is: [{ deviceType: "sensor", count: 1 }] },
    ],
  ]);
});

describe("updating a device", () => {
  const time = "PATCH /api/devices/{pump}";
  contract(world, [
    [
      "answers the device",
      `rw ${time}`,
      200,
      { body: { name: "pump 1" }, is: { ...item, ...times, name: "pump 1", deviceType: "sensor" } },
    ],
    [
      "changes nothing else",
      "rw GET /api/devices/{pump}",
      200,
      { is: { name: "pump 1", deviceType: "sensor", role: "DEVICE" } },
    ],
    [
      "takes a parent",
      `rw ${time}`,
      200,
      {
        body: () => ({ parentDeviceId: world.ids.gate }),
        check: ({ body }) => expect(body.parentDeviceId).toBe(world.ids.gate),
      },
    ],
    [
      "null detaches",
      `rw ${time}`,
      200,
      { body: { parentDeviceId: null }, check: ({ body }) => expect(body.parentDeviceId ?? null).toBeNull() },
    ],
    [
      "changes role by type",
      `rw ${time}`,
      200,
      { body: { type: "GATEWAY" }, is: { role: "GATEWAY", type: "GATEWAY" } },
    ],
    [
      "changes it back",
      `rw ${time}`,
      200,
      { body: { role: "DEVICE" }, is: { role: "DEVICE", type: "DEVICE" } },
    ],
    [
      "takes type, asset, time-out and DevEUI",
      `rw ${time}`,
      200,
      {
        body: {
          deviceType: "pump",
          assetId: "hall",
          inactivityTimeoutMs: 1000,
          lorawanDevEui: "a0b1c2d3e4f50617",
        },
        is: { deviceType: "pump", assetId: "hall", inactivityTimeoutMs: 1000 },
      },
    ],
    ["refuses a reader", `reader ${time}`, 403, { body: { name: "x" } }],
    ["404 for another tenant's", "owner PATCH /api/devices/{foreign}", 404, { body: { name: "x" } }],
    [
      "takes no parent of another tenant",
      `rw ${time}`,
      400,
      { body: () => ({ parentDeviceId: world.ids.foreign }) },
    ],
    ...refusals(time, "rw", {
      "a list": [],
      "a text": "x",
      "a number": 5,
      "a boolean": true,
      "an empty name": { name: "" },
      "a number as name": { name: 1 },
      "an unknown role": { role: "X" },
    }),
    ["refuses null", `rw ${time}`, 400, { raw: "null", headers: { "content-type": "application/json" } }],
    [
      "refuses a device as its own parent",
      "rw PATCH /api/devices/{gate}",
      400,
      { body: () => ({ parentDeviceId: world.ids.gate }) },
    ],
  ]);
});

describe("dashboards of a device type", () => {
  const time = "GET /api/devices/type-defaults/valve";
  contract(world, [
    [
      "has none at first",
      `reader ${time}`,
      200,
      { is: { deviceType: "valve", targetDashboardId: absent, targetStateId: absent } },
    ],
    [
      "a dashboard is created",
      "rw POST /api/dashboards",
      201,
      { body: { name: "Valves" }, check: keepAs("board", "id") },
    ],
    [
      "a device takes it",
      "rw POST /api/devices",
      201,
      {
        body: () =>
          create({
            deviceType: "valve",
            targetDashboardId: world.ids.board,
            targetStateId: "main",
            applyToAllOfType: true,
          }),
        check: keepAs("valve"),
      },
    ],
    [
      "applyToAllOfType sets the default",
      `reader ${time}`,
      200,
      { is: { deviceType: "valve", targetDashboardId: uuid, targetStateId: "main" } },
    ],
    [
      "a further device of the type is created",
      "rw POST /api/devices",
      201,
      { body: create({ deviceType: "valve", name: "later" }), check: keepAs("later") },
    ],
    [
      "another tenant has none",
      `stranger ${time}`,
      200,
      { is: { deviceType: "valve", targetDashboardId: absent } },
    ],
  ]);
});

describe("deleting a device", () => {
  contract(world, [
    ["refuses a reader", "reader DELETE /api/devices/{pump}", 403],
    ["404 for another tenant's", "owner DELETE /api/devices/{foreign}", 404],
    ["answers success", "rw DELETE /api/devices/{pump}", 200, { is: { success: true } }],
    ["it is gone", "rw GET /api/devices/{pump}", 404],
    ["it is in no list", "rw GET /api/devices", 200, { is: without({ name: "pump 1" }) }],
    ["a second time is 404", "rw DELETE /api/devices/{pump}", 404],
  ]);
});
