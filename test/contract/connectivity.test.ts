import { describe, expect, test } from "bun:test";
import { encode } from "cbor-x";
import { contract, createWorld, keep, type RowDetails } from "./client.ts";
import { boolean, listOf, text, uuid } from "./shapes.ts";

const SECRET_FORMS = ["x-webhook-secret", "authorization"] as const;
const world = createWorld({
  prepare: async ({ need, ids }) => {
    ids.secret = (await need("owner", "POST /api/tenant/integration/rotate-secret")).secret;
    await need("rw", "PATCH /api/devices/{device}", { lorawanDevEui: "0102030405060708" });
    await need("rw", "PATCH /api/devices/{granted}", { lorawanDevEui: "A1A2A3A4A5A6A7A8" });
    for (const type of ["HTTP", "CHIRPSTACK", "THE_THINGS_STACK"]) {
      const list: Array<{ type: string }> = await need("owner", "GET /api/integrations");
      if (list.some((integration) => integration.type === type)) continue;
      const created = await need("owner", "POST /api/integrations", { name: type, type });
      await need("owner", `POST /api/integrations/${created.integrationId}/start`);
    }
  },
});

const time = "anonymous POST /api/v1/integrations";
const generic = `${time}/generic/telemetry`;
const lorawanA = `${time}/lorawan-a/telemetry`;
const lorawanB = `${time}/lorawan-b/telemetry`;
/** Read when the row runs, as the secret exists only then. */
const sent = (body: unknown, headers: Record<string, string> = {}): RowDetails => ({
  body,
  headers: () => ({
    "x-webhook-secret": world.ids.secret ?? "",
    "x-tenant-id": world.ids.ownerTenant ?? "",
    ...headers,
  }),
});
const latest = (device: string, values: object) => async () => {
  const { body } = await world.ask("owner", `GET /api/devices/{${device}}/telemetry/latest`);
  expect(body.values).toMatchObject(values);
};
const withDevice = (fields: object) => () => ({ deviceToken: world.ids.deviceToken, ...fields });
const success = { is: { success: true } };
const upA = (fields: object) => ({
  deviceInfo: { devEui: "0102030405060708" },
  deduplicationId: crypto.randomUUID(),
  ...fields,
});
const upB = (fields: object) => ({ end_device_ids: { dev_eui: "0102030405060708" }, uplink_message: fields });

describe("the tenant's webhook settings", () => {
  const settings = {
    tenantId: uuid,
    hasSecret: boolean,
    webhooks: listOf({ kind: text, url: /^https?:\/\// }),
  };
  contract(world, [
    [
      "tell that there is a secret",
      "reader GET /api/tenant/integration",
      200,
      { is: { ...settings, hasSecret: true, secretUpdatedAt: /^\d{4}-.*Z$/ } },
    ],
    [
      "never show it",
      "owner GET /api/tenant/integration",
      200,
      { check: ({ text: body }) => expect(body).not.toContain(world.ids.secret ?? "-") },
    ],
    [
      "tell another tenant that it has none",
      "stranger GET /api/tenant/integration",
      200,
      { is: { ...settings, hasSecret: false } },
    ],
    ["403 for a read-write user who rotates", "rw POST /api/tenant/integration/rotate-secret", 403],
    ["403 for a reader who rotates", "reader POST /api/tenant/integration/rotate-secret", 403],
    [
      "an administrator rotates: 201, shown once",
      "admin POST /api/tenant/integration/rotate-secret",
      201,
      { is: { secret: /^.{20,}$/ }, check: keep(world, "secret2", ({ secret }) => secret) },
    ],
  ]);
  test("the earlier secret ends with the rotation", async () => {
    const post = (secret = "") =>
      world.ask("anonymous", "POST /api/v1/integrations/generic/telemetry", {
        body: { deviceToken: world.ids.deviceToken, temp: 1 },
        headers: { "x-webhook-secret": secret, "x-tenant-id": world.ids.ownerTenant ?? "" },
      });
    expect((await post(world.ids.secret)).status).toBe(400);
    expect((await post(world.ids.secret2)).status).toBe(200);
    world.ids.secret = world.ids.secret2 ?? "";
  });
});

describe("the catalog", () => {
  const transport = {
    id: text,
    name: text,
    url: text,
    auth: (value: unknown) => (value === undefined ? "no auth" : undefined),
    payloads: listOf(text),
    example: (value: unknown) => (value === undefined ? "no example" : undefined),
  };
  contract(world, [
    [
      "is public",
      "anonymous GET /api/v1/connectivity/catalog",
      200,
      { is: { transports: listOf(transport) } },
    ],
  ]);
  test("names the real ports", async () => {
    const { text: body } = await world.ask("anonymous", "GET /api/v1/connectivity/catalog");
    expect(body).toContain(`:${new URL(world.test.app.url).port}/`);
    expect(body).toContain(`:${world.test.app.mqttPort}`);
  });
});

describe("the generic webhook", () => {
  contract(world, [
    ["takes a device token", generic, 200, { ...sent(withDevice({ telemetry: { g1: 1 } })), ...success }],
    [
      "takes an external id together with the tenant",
      generic,
      200,
      { ...sent({ externalDeviceId: "device", telemetry: { g2: 2 } }), ...success },
    ],
    ["refuses a missing device", generic, 400, sent({ telemetry: { g: 1 } })],
    [
      "refuses an unknown device token",
      generic,
      400,
      sent({ deviceToken: "no-such-token-at-all", telemetry: { g: 1 } }),
    ],
    ["refuses a list of numbers", generic, 400, sent([1])],
    ["refuses a text", generic, 400, sent("x")],
    ["refuses a wrong secret", generic, 400, sent(withDevice({ g: 1 }), { "x-webhook-secret": "wrong" })],
    [
      "refuses another tenant's id with this secret",
      generic,
      400,
      {
        body: withDevice({ g: 1 }),
        headers: () => ({
          "x-webhook-secret": world.ids.secret ?? "",
          "x-tenant-id": world.ids.strangerTenant ?? "",
        }),
      },
    ],
    [
      "refuses another tenant's device",
      generic,
      400,
      sent(() => ({ deviceToken: world.ids.foreignToken, telemetry: { g: 1 } })),
    ],
    [
      "takes no XML",
      generic,
      400,
      { ...sent(undefined, { "content-type": "application/xml" }), raw: "<a/>" } as RowDetails,
    ],
  ]);

  for (const form of SECRET_FORMS)
    test(`takes the secret as ${form}, and the tenant as header or query`, async () => {
      const { secret = "", ownerTenant = "" } = world.ids;
      const headers = { [form]: form === "authorization" ? `Bearer ${secret}` : secret };
      const body = { deviceToken: world.ids.deviceToken, telemetry: { [form]: 1 } };
      const path = "POST /api/v1/integrations/generic/telemetry";
      expect(
        (await world.ask("anonymous", path, { body, headers: { ...headers, "x-tenant-id": ownerTenant } }))
          .status,
      ).toBe(200);
      expect(
        (await world.ask("anonymous", `${path}?tenantId=${ownerTenant}`, { body, headers })).status,
      ).toBe(200);
      await latest("device", { [form]: 1 })();
    });

  test("takes the tenant from a body with an external id", async () => {
    const { secret = "", ownerTenant } = world.ids;
    const body = { externalDeviceId: "device", tenantId: ownerTenant, telemetry: { inBody: 1 } };
    const response = await world.ask("anonymous", "POST /api/v1/integrations/generic/telemetry", {
      body,
      headers: { "x-webhook-secret": secret },
    });
    expect(response.status).toBe(200);
  });

  test("takes CBOR", async () => {
    const { secret = "", ownerTenant = "", deviceToken } = world.ids;
    const response = await world.ask("anonymous", "POST /api/v1/integrations/generic/telemetry", {
      raw: new Uint8Array(encode({ deviceToken, telemetry: { cborOne: 5 } })),
      headers: { "x-webhook-secret": secret, "x-tenant-id": ownerTenant, "content-type": "application/cbor" },
    });
    expect([response.status, response.body.success]).toEqual([200, true]);
    await latest("device", { cborOne: 5 })();
  });

  test("relays for a child of a gateway", async () => {
    const gateway = await world.test.createDevice(world.tokens.rw ?? "", { name: "relay", role: "GATEWAY" });
    world.ids.child = (
      await world.need("rw", "POST /api/devices", {
        name: "behind",
        deviceType: "sensor",
        parentDeviceId: gateway.deviceId,
      })
    ).deviceId;
    const { secret = "", ownerTenant = "", child } = world.ids;
    const response = await world.ask("anonymous", "POST /api/v1/integrations/generic/telemetry", {
      body: { deviceToken: gateway.token, childDeviceId: child, telemetry: { relayed: 3 } },
      headers: { "x-webhook-secret": secret, "x-tenant-id": ownerTenant },
    });
    expect([response.status, response.body.success]).toEqual([200, true]);
    await latest("child", { relayed: 3 })();
  });

  test("needs the secret", async () => {
    const response = await world.ask("anonymous", "POST /api/v1/integrations/generic/telemetry", {
      body: { deviceToken: world.ids.deviceToken, telemetry: { g: 1 } },
      headers: { "x-tenant-id": world.ids.ownerTenant ?? "" },
    });
    expect([response.status, response.body.statusCode]).toEqual([400, 400]);
  });
});

describe("the LoRaWAN webhooks", () => {
  const object = (value: number) => ({ object: { level: value } });
  contract(world, [
    [
      "lorawan-a finds the device by its DevEUI, without an event query",
      lorawanA,
      200,
      { ...sent(() => upA(object(1))), ...success, check: latest("device", { level: 1 }) },
    ],
    [
      "lorawan-a takes an event query",
      `${lorawanA}?event=up`,
      200,
      { ...sent(() => upA(object(2))), ...success, check: latest("device", { level: 2 }) },
    ],
    [
      "lorawan-a takes a device token",
      lorawanA,
      200,
      { ...sent(withDevice({ object: { level: 3 } })), ...success, check: latest("device", { level: 3 }) },
    ],
    [
      "lorawan-a compares DevEUIs without case",
      lorawanA,
      200,
      {
        ...sent(() => ({ ...upA(object(4)), deviceInfo: { devEui: "a1a2a3a4a5a6a7a8" } })),
        ...success,
        check: latest("granted", { level: 4 }),
      },
    ],
    [
      "lorawan-a needs the secret to be right",
      lorawanA,
      400,
      sent(() => upA(object(9)), { "x-webhook-secret": "wrong" }),
    ],
    ["lorawan-a refuses a list", lorawanA, 400, sent([])],
    [
      "lorawan-b finds the device by its dev_eui",
      lorawanB,
      200,
      {
        ...sent(() => upB({ decoded_payload: { depth: 1 } })),
        ...success,
        check: latest("device", { depth: 1 }),
      },
    ],
    [
      "lorawan-b compares without case",
      lorawanB,
      200,
      {
        ...sent({
          end_device_ids: { dev_eui: "a1a2a3a4a5a6a7a8" },
          uplink_message: { decoded_payload: { depth: 2 } },
        }),
        ...success,
        check: latest("granted", { depth: 2 }),
      },
    ],
    [
      "lorawan-b takes a device token",
      lorawanB,
      200,
      {
        ...sent(withDevice({ uplink_message: { decoded_payload: { depth: 3 } } })),
        ...success,
        check: latest("device", { depth: 3 }),
      },
    ],
    [
      "lorawan-b takes no normalized copy of an uplink",
      lorawanB,
      200,
      {
        ...sent({
          end_device_ids: { dev_eui: "0102030405060708" },
          uplink_normalized: { normalized_payload: { depth: 99 } },
        }),
      },
    ],
    [
      "has not stored it",
      "owner GET /api/devices/{device}/telemetry/latest",
      200,
      { is: { values: { depth: 3 } } },
    ],
    [
      "lorawan-b needs the secret to be right",
      lorawanB,
      400,
      sent(() => upB({}), { "x-webhook-secret": "wrong" }),
    ],
    ["lorawan-b refuses a text", lorawanB, 400, sent("x")],
  ]);
});
