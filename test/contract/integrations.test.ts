import { afterAll, describe, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { createWebhookReceiver } from "../support/webhook-receiver.ts";
import { type ContractRow, contract, createWorld, keep, type RowDetails } from "./client.ts";
import {
  boolean,
  emptyList,
  including,
  iso,
  listOf,
  nullable,
  object,
  oneOf,
  string,
  text,
  uuid,
} from "./shapes.ts";

const networkServer = createWebhookReceiver();
networkServer.answer = () => Response.json({ id: crypto.randomUUID() });
afterAll(() => networkServer.stop());
const world = createWorld({
  config: { outbound_allow: "127.0.0.1" },
  prepare: async ({ need, ids }) => {
    ids.secret = (await need("owner", "POST /api/tenant/integration/rotate-secret")).secret;
  },
});
const time = "/api/integrations";
const list = (value: unknown) => (Array.isArray(value) ? undefined : "no list");
const types = ["HTTP", "MQTT", "CHIRPSTACK", "THE_THINGS_STACK"];
const record = {
  integrationId: uuid,
  name: text,
  type: oneOf(...types),
  status: oneOf("draft", "active", "paused", "error"),
  isDefault: boolean,
  settings_json: object,
  mappingSteps: list,
  lastError: nullable(string),
  stats: object,
  createdAt: iso,
  updatedAt: iso,
};
const body = (fields: object = {}): RowDetails => ({ body: { name: "Meters", type: "HTTP", ...fields } });
const script = (source: string, enabled = true) => ({
  settings_json: { scriptTransform: { enabled, source } },
});

describe("integrations", () => {
  contract(world, [
    [
      "are created as drafts",
      `admin POST ${time}`,
      201,
      {
        ...body({ settings_json: { autoCreateDevice: true } }),
        is: { ...record, name: "Meters", type: "HTTP", status: "draft", isDefault: false },
        check: keep(world, "http", (created) => created.integrationId),
      },
    ],
    ...types.slice(1).map(
      (type): ContractRow => [
        `know the type ${type}`,
        `admin POST ${time}`,
        201,
        {
          ...body({
            name: type,
            type,
            ...(type === "MQTT"
              ? {
                  settings_json: {
                    mqtt: {
                      brokerUrl: "mqtt://127.0.0.1:1",
                      topicFilter: "a/#",
                      topicDeviceRegex: "^a/([^/]+)$",
                    },
                  },
                }
              : {}),
          }),
          is: { ...record, type, status: "draft" },
          check: keep(world, type, (created) => created.integrationId),
        },
      ],
    ),
    ...Object.entries({
      "no name": { name: undefined },
      "no type": { type: undefined },
      "an unknown type": { type: "FTP" },
      "settings that are a text": { settings_json: "x" },
      "steps that are no list": { mappingSteps: {} },
      "an unknown step": { mappingSteps: [{ type: "teleport" }] },
      "a script that does not parse": script("function transform( {"),
    }).map(([name, fields]): ContractRow => [`refuse ${name}`, `admin POST ${time}`, 400, body(fields)]),
    ["are not created by a read-write user", `rw POST ${time}`, 403, body()],
    ["are not created by a reader", `reader POST ${time}`, 403, body()],
    ["are listed", `reader GET ${time}`, 200, { is: listOf(record) }],
    ["are not listed to another tenant", `stranger GET ${time}`, 200, { is: emptyList }],
    ["are read", `reader GET ${time}/{http}`, 200, { is: record }],
    ["are 404 when unknown", `owner GET ${time}/{unknown}`, 404],
    [
      "are changed",
      `admin PATCH ${time}/{http}`,
      200,
      { body: { name: "Water" }, is: { ...record, name: "Water" } },
    ],
    ...[[], "x", 5, true, { name: 5 }, { settings_json: [] }, { mappingSteps: "x" }].map(
      (bad): ContractRow => [
        `refuse ${JSON.stringify(bad)}`,
        `admin PATCH ${time}/{http}`,
        400,
        { body: bad },
      ],
    ),
    ["are not changed by a read-write user", `rw PATCH ${time}/{http}`, 403, { body: { name: "x" } }],
    ["are not deleted by a read-write user", `rw DELETE ${time}/{http}`, 403],
    ...["start", "pause", "set-default"].flatMap((act): ContractRow[] => [
      [`${act} is not for a read-write user`, `rw POST ${time}/{http}/${act}`, 403],
      [`${act} is not for a reader`, `reader POST ${time}/{http}/${act}`, 403],
      [`${act} is 404 for another tenant`, `stranger POST ${time}/{http}/${act}`, 404],
    ]),
    ...["GET", "PATCH", "DELETE"].map(
      (method): ContractRow => [
        `are 404 for another tenant's ${method}`,
        `stranger ${method} ${time}/{http}`,
        404,
        method === "PATCH" ? { body: { name: "x" } } : {},
      ],
    ),
    ["events are 404 for another tenant", `stranger GET ${time}/{http}/events`, 404],
    [
      "downlinks are 404 for another tenant",
      `stranger POST ${time}/{CHIRPSTACK}/downlink`,
      404,
      { body: { devEui: "0102030405060708", fPort: 1, data: "AQ==" } },
    ],
  ]);
});

const headers = () => ({
  "x-webhook-secret": world.ids.secret ?? "",
  "x-tenant-id": world.ids.ownerTenant ?? "",
});
const inbound = "anonymous POST /api/v1/integrations/generic/{http}/telemetry";
const message = (externalDeviceId: string, telemetry: object): RowDetails => ({
  headers,
  body: { externalDeviceId, telemetry },
});
const createIntegration = (name: string) => async () =>
  (await world.need("owner", `GET /api/devices?search=${name}`)).length;

describe("the states of an integration", () => {
  contract(world, [
    ["a draft does not become default", `admin POST ${time}/{http}/set-default`, 409],
    ["a draft takes no messages", inbound, 400, message("meter-0", { volume: 1 })],
    ["starts", `admin POST ${time}/{http}/start`, 200, { is: { ...record, status: "active" } }],
    ["becomes default", `admin POST ${time}/{http}/set-default`, 200, { is: { ...record, isDefault: true } }],
    [
      "takes messages at its own address",
      inbound,
      200,
      { ...message("meter-1", { volume: 1 }), is: { success: true } },
    ],
    [
      "takes messages at the legacy address",
      "anonymous POST /api/v1/integrations/generic/telemetry",
      200,
      { ...message("meter-2", { volume: 2 }), is: { success: true } },
    ],
    [
      "creates devices as its settings say",
      `owner GET ${time}/{http}`,
      200,
      { check: () => until(async () => (await createIntegration("meter")()) === 2, "two devices") },
    ],
    [
      "a second one is created",
      `admin POST ${time}`,
      201,
      {
        ...body({ name: "Draft" }),
        is: { isDefault: false, status: "draft" },
        check: keep(world, "draft", (created) => created.integrationId),
      },
    ],
    [
      "a draft leaves the default as it is",
      `owner GET ${time}/{http}`,
      200,
      { is: { isDefault: true, status: "active" } },
    ],
    [
      "lists events, newest first",
      `owner GET ${time}/{http}/events`,
      200,
      {
        is: including({
          eventId: uuid,
          direction: "IN",
          status: "OK",
          stage: text,
          message: text,
          createdAt: iso,
        }),
      },
    ],
    ["pauses", `admin POST ${time}/{http}/pause`, 200, { is: { ...record, status: "paused" } }],
    ["takes no messages while it is paused", inbound, 400, message("meter-3", { volume: 1 })],
    ["starts again", `admin POST ${time}/{http}/start`, 200, { is: { status: "active" } }],
    ["deletes the second", `admin DELETE ${time}/{draft}`, 200, { is: { success: true } }],
    ["is gone then", `admin GET ${time}/{draft}`, 404],
  ]);
});

describe("the order of processing", () => {
  const source =
    "function transform(message, metadata) { message.telemetry.volume = message.telemetry.litres + 1; return message; }";
  contract(world, [
    [
      "mapping steps and a script are set",
      `admin PATCH ${time}/{http}`,
      200,
      {
        body: {
          mappingSteps: [{ type: "scale_keys", keys: ["litres"], factor: 10 }],
          settings_json: { autoCreateDevice: true, scriptTransform: { enabled: false, source } },
        },
      },
    ],
    ["a script that is off does not run", inbound, 200, { ...message("meter-1", { litres: 1 }) }],
    [
      "the steps have run",
      "owner GET /api/devices?search=meter-1",
      200,
      { check: keep(world, "meter", ([device]) => device.deviceId) },
    ],
    [
      "the value is mapped",
      "owner GET /api/devices/{meter}/telemetry/latest",
      200,
      { is: { values: { litres: 10 } } },
    ],
  ]);
});

describe("the preview", () => {
  const path = `admin POST ${time}/preview`;
  contract(world, [
    ["refuses a reader", `reader POST ${time}/preview`, 403, { body: { type: "HTTP", payload: {} } }],
    ["refuses a list", path, 400, { body: [] }],
    ["refuses a text", path, 400, { body: "x" }],
  ]);
});

describe("downlinks", () => {
  test("reach a ChirpStack server's queue", async () => {
    await world.need("admin", `PATCH ${time}/{CHIRPSTACK}`, {
      settings_json: {
        downlink: { url: networkServer.url, apiKey: "key" },
      },
    });
    await world.need("admin", `POST ${time}/{CHIRPSTACK}/start`);
    await world.need("rw", "PATCH /api/devices/{device}", { lorawanDevEui: "0102030405060708" });
    const response = await world.ask("admin", `POST ${time}/{CHIRPSTACK}/downlink`, {
      body: {
        deviceId: world.ids.device,
        fPort: 10,
        data: "AQI=",
        confirmed: true,
      },
    });
    expect(`${response.status} ${response.status < 300 ? "" : response.text}`).toBeOneOf([
      "200 ",
      "201 ",
      "202 ",
    ]);
    await networkServer.until(1);
    const [received] = networkServer.received;
    expect(received?.path).toBe("/api/devices/0102030405060708/queue");
    expect(received?.headers.get("grpc-metadata-authorization")).toBe("Bearer key");
    expect(received?.body.queueItem).toMatchObject({ fPort: 10, data: "AQI=", confirmed: true });
  });
});
