import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { createWebhookReceiver, type Received, type WebhookReceiver } from "../support/webhook-receiver.ts";

const KEY = "NNSXS.the-key-of-the-network-server";
const DEV_EUI = "0102030405060708";

let fixture: TestApp;
let network: WebhookReceiver;
let owner: string;
let secret: string;
let tenantId: string;

beforeAll(async () => {
  network = createWebhookReceiver();
  fixture = await createTestApp({ host: "one", config: { outbound_allow: "127.0.0.1" } });
  const signedIn = await fixture.signIn("TENANT_OWNER");
  owner = signedIn.token;
  tenantId = signedIn.user.tenantId ?? "";
  secret = (await fixture.call("POST", "/api/tenant/integration/rotate-secret", { token: owner })).body
    .secret;
});
afterAll(async () => {
  await fixture.stop();
  await network.stop();
});

const call = (method: string, path: string, body?: unknown, token = owner) =>
  fixture.call(method, path, { token, ...(body !== undefined && { body }) });

/** The things that a network server says back, to the integration's own address. */
const report = (
  kind: "lorawan-a" | "lorawan-b",
  integrationId: string,
  body: unknown,
  query = "",
  headers = {},
) =>
  fixture.call("POST", `/api/v1/integrations/${kind}/${integrationId}/telemetry${query}`, {
    body,
    headers: { "x-webhook-secret": secret, "x-tenant-id": tenantId, ...headers },
  });

let number = 0;

async function setUp(type: "CHIRPSTACK" | "THE_THINGS_STACK", downlink: Record<string, unknown> = {}) {
  number++;
  const devEui = number.toString(16).padStart(16, "0");
  const device = await fixture.createDevice(owner, { name: `${type} ${number}`, lorawanDevEui: devEui });
  const apiAnswer = await call("POST", "/api/integrations", {
    ...{ name: `${type} ${number}`, type, status: "active" },
    settings_json: { downlink: { url: network.url, apiKey: KEY, ...downlink } },
  });
  expect([apiAnswer.status, apiAnswer.text]).toEqual([201, expect.any(String)]);
  const { integrationId } = apiAnswer.body;
  return {
    ...{ devEui, deviceId: device.deviceId, integrationId },
    send: (body: Record<string, unknown>) =>
      call("POST", `/api/integrations/${integrationId}/downlink`, body),
    async latest() {
      const listed = await call("GET", `/api/integrations/${integrationId}/downlinks`);
      expect(listed.status).toBe(200);
      return listed.body[0];
    },
  };
}

const last = (): Received => network.received.at(-1)!;
const chirpstackTakes = (id: string) => {
  network.answer = () => Response.json({ id });
};

/** What the gateway's commands look like to people. */
async function command(deviceId: string, body: Record<string, unknown>) {
  const apiAnswer = await call("POST", `/api/devices/${deviceId}/commands`, body);
  expect([apiAnswer.status, apiAnswer.text]).toEqual([201, expect.any(String)]);
  return {
    commandId: apiAnswer.body.commandId as string,
    async state() {
      return (await call("GET", `/api/devices/${deviceId}/commands/${apiAnswer.body.commandId}`)).body;
    },
  };
}

describe("through ChirpStack's REST proxy", () => {
  test("a downlink is queued there with every header and field that it asks for", async () => {
    const { send, devEui, deviceId } = await setUp("CHIRPSTACK");
    chirpstackTakes("42cb6459-a640-46ec-9623-bdff39dc4736");
    const answer = await send({ deviceId, fPort: 10, confirmed: true, data: "AQID" });
    expect([answer.status, answer.body]).toEqual([
      201,
      expect.objectContaining({
        success: true,
        status: "SENT",
        devEui,
        deviceId,
        fPort: 10,
        confirmed: true,
        attempts: 1,
        error: null,
      }),
    ]);
    expect(last()).toMatchObject({ method: "POST", path: `/api/devices/${devEui}/queue` });
    expect(last().headers.get("grpc-metadata-authorization")).toBe(`Bearer ${KEY}`);
    expect(last().headers.get("content-type")).toBe("application/json");
    expect(last().body).toEqual({ queueItem: { confirmed: true, fPort: 10, data: "AQID" } });
  });

  test("bytes may be given in hexadecimal, the device by its dev EUI in any form, the port by the settings", async () => {
    const { send, devEui } = await setUp("CHIRPSTACK", { fPort: 22 });
    chirpstackTakes("a");
    const answer = await send({ devEui: devEui.toUpperCase().replace(/(..)(?=.)/g, "$1:"), hex: "01 02 ff" });
    expect(answer.body).toMatchObject({ status: "SENT", fPort: 22, confirmed: false });
    expect(last().body).toEqual({ queueItem: { confirmed: false, fPort: 22, data: "AQL/" } });
  });

  test("an object without a codec of ours is left to the codec there", async () => {
    const { send, deviceId } = await setUp("CHIRPSTACK");
    chirpstackTakes("b");
    await send({ deviceId, fPort: 3, object: { led: "on" } });
    expect(last().body).toEqual({ queueItem: { confirmed: false, fPort: 3, object: { led: "on" } } });
  });

  test("what the network server says later is matched to it", async () => {
    const { send, deviceId, devEui, integrationId, latest } = await setUp("CHIRPSTACK");
    const queueItemId = "9d0a0b3c-0000-4000-8000-000000000001";
    chirpstackTakes(queueItemId);
    await send({ deviceId, fPort: 10, confirmed: true, data: "AQID" });
    const about = { time: new Date().toISOString(), deviceInfo: { devEui }, queueItemId };
    await report("lorawan-a", integrationId, { ...about, downlinkId: 5, gatewayId: "g" }, "?event=txack");
    expect((await latest()).status).toBe("TRANSMITTED");
    await report(
      "lorawan-a",
      integrationId,
      { ...about, deduplicationId: "d", acknowledged: true },
      "?event=ack",
    );
    expect((await latest()).status).toBe("ACKNOWLEDGED");
    // Late, and out of order.
    await report("lorawan-a", integrationId, { ...about, downlinkId: 6, gatewayId: "g" }, "?event=txack");
    expect((await latest()).status).toBe("ACKNOWLEDGED");
  });

  test("a refusal is told at once and not tried again", async () => {
    const { send, deviceId, integrationId } = await setUp("CHIRPSTACK");
    network.answer = () =>
      Response.json({ code: 16, message: "authentication failed: invalid token" }, { status: 401 });
    const answer = await send({ deviceId, fPort: 10, data: "AQID" });
    expect([answer.status, answer.body]).toEqual([
      201,
      expect.objectContaining({ success: false, status: "FAILED", attempts: 1 }),
    ]);
    expect(answer.body).toMatchObject({
      error: "the network server answered 401: authentication failed: invalid token; check the API key",
      errorText: {
        code: "downlink_error.hinted",
        params: {
          answer: { params: { status: 401, message: "authentication failed: invalid token" } },
          hint: { code: "downlink_hint.api_key" },
        },
      },
    });
    const events = await call("GET", `/api/integrations/${integrationId}/events?direction=OUT`);
    expect(events.body[0]).toMatchObject({ direction: "OUT", status: "ERROR", stage: "downlink" });
    expect(events.text).not.toContain(KEY);
  });

  test("the key of its API is told nobody, not even where the network server says it again", async () => {
    const { send, deviceId, integrationId } = await setUp("CHIRPSTACK");
    network.answer = (request) =>
      Response.json(
        { message: `cannot parse ${request.headers.get("grpc-metadata-authorization")}` },
        { status: 401 },
      );
    const { body, text } = await send({ deviceId, fPort: 10, data: "AQID" });
    expect(body.error).toContain("cannot parse Bearer …");
    const events = await call("GET", `/api/integrations/${integrationId}/events?direction=OUT`);
    const list = await call("GET", `/api/integrations/${integrationId}/downlinks`);
    for (const candidate of [text, events.text, list.text]) expect(candidate).not.toContain(KEY);
  });
});

describe("through The Things Stack", () => {
  const up = (devEui: string) => ({
    end_device_ids: {
      device_id: "press-7",
      dev_eui: devEui.toUpperCase(),
      application_ids: { application_id: "works" },
    },
    received_at: new Date().toISOString(),
    uplink_message: { f_port: 1, f_cnt: 1, session_key_id: "AA==", decoded_payload: { t: 1 } },
  });

  test("a downlink is pushed to the webhook with every header and field, under the device's id there", async () => {
    const { send, deviceId, devEui, integrationId } = await setUp("THE_THINGS_STACK", {
      webhookId: "lineside",
    });
    expect((await report("lorawan-b", integrationId, up(devEui))).status).toBe(200);
    network.answer = () => Response.json({});
    const answer = await send({ deviceId, fPort: 15, confirmed: true, data: "vu8=", priority: "HIGH" });
    expect(answer.body).toMatchObject({ success: true, status: "SENT" });
    expect(last()).toMatchObject({
      method: "POST",
      path: "/api/v3/as/applications/works/webhooks/lineside/devices/press-7/down/push",
    });
    expect(last().headers.get("authorization")).toBe(`Bearer ${KEY}`);
    expect(last().headers.get("user-agent")).toStartWith("Lineside/");
    expect(last().body).toEqual({
      downlinks: [
        {
          ...{ frm_payload: "vu8=", f_port: 15, priority: "HIGH", confirmed: true },
          correlation_ids: [`lineside:${answer.body.downlinkId}`],
        },
      ],
    });
  });

  test("its reports find the downlink by our own correlation id", async () => {
    const { send, deviceId, devEui, integrationId, latest } = await setUp("THE_THINGS_STACK", {
      ...{ webhookId: "lineside", applicationId: "works" },
    });
    network.answer = () => Response.json({});
    const { downlinkId } = (await send({ deviceId, fPort: 15, confirmed: true, data: "vu8=" })).body;
    // Unheard, it has the name that the network gives by itself.
    expect(last().path).toEndWith(`/devices/eui-${devEui}/down/push`);
    const downlink = { f_port: 15, correlation_ids: ["as:downlink:01", `lineside:${downlinkId}`] };
    const ids = up(devEui).end_device_ids;
    await report("lorawan-b", integrationId, { end_device_ids: ids, downlink_sent: downlink });
    expect((await latest()).status).toBe("TRANSMITTED");
    const error = { message_format: "downlink of {size} bytes is too long", attributes: { size: 99 } };
    await report("lorawan-b", integrationId, { end_device_ids: ids, downlink_failed: { downlink, error } });
    expect(await latest()).toMatchObject({
      status: "FAILED",
      error: "the network server could not send the downlink: downlink of 99 bytes is too long",
      errorText: { code: "downlink_error.network", params: { message: "downlink of 99 bytes is too long" } },
    });
    await report("lorawan-b", integrationId, { end_device_ids: ids, downlink_ack: downlink });
    expect((await latest()).status).toBe("ACKNOWLEDGED");
  });

  test("the address that it sends to push to is used where it is at the server that is set, and nowhere else", async () => {
    const { send, deviceId, devEui, integrationId } = await setUp("THE_THINGS_STACK", {
      ...{ webhookId: "lineside", applicationId: "works" },
    });
    network.answer = () => Response.json({});
    const path = "/api/v3/as/applications/other/webhooks/hook/devices/press-9/down/push";
    const pushes = [
      [`${network.url}${path}`, path],
      [`http://127.0.0.1:1${path}`, undefined],
      [`${network.url}/api/v3/applications/works`, undefined],
      [`${network.url}/api/v3/as/applications/a/../../../devices/x/down/push`, undefined],
      ["not an address", undefined],
    ] as const;
    for (const [pushUrl, expected] of pushes) {
      const headers = { "x-downlink-push": pushUrl };
      const body = { ...up(devEui), received_at: new Date(Date.now() + pushUrl.length).toISOString() };
      expect((await report("lorawan-b", integrationId, body, "", headers)).status).toBe(200);
      expect((await send({ deviceId, fPort: 1, data: "AA==" })).body.status).toBe("SENT");
      expect(last().path).toBe(
        expected ?? "/api/v3/as/applications/works/webhooks/lineside/devices/press-7/down/push",
      );
    }
  });
});

describe("a device's command", () => {
  test("becomes a downlink, and ends when the device acknowledges it", async () => {
    const { deviceId, devEui, integrationId } = await setUp("CHIRPSTACK");
    chirpstackTakes("command-1");
    const received = { deviceInfo: { devEui, applicationId: "app" }, fPort: 1, fCnt: 1, object: { t: 1 } };
    await report("lorawan-a", integrationId, { ...received, deduplicationId: "u1" }, "?event=up");
    const before = network.received.length;
    const input = await command(deviceId, { method: "downlink", params: { fPort: 7, data: "AQID" } });
    await network.until(before + 1);
    expect(last().body).toEqual({ queueItem: { confirmed: true, fPort: 7, data: "AQID" } });
    expect((await input.state()).status).toBe("SENT");
    const about = { deviceInfo: { devEui }, queueItemId: "command-1" };
    await report("lorawan-a", integrationId, { ...about, downlinkId: 1 }, "?event=txack");
    expect((await input.state()).status).toBe("DELIVERED");
    await report("lorawan-a", integrationId, { ...about, acknowledged: true }, "?event=ack");
    expect(await input.state()).toMatchObject({ status: "SUCCESSFUL", response: { acknowledged: true } });
  });

  test("that is not acknowledged, or that was thrown away there, has failed", async () => {
    const { deviceId, devEui, integrationId } = await setUp("CHIRPSTACK");
    chirpstackTakes("command-2");
    await report(
      "lorawan-a",
      integrationId,
      { deviceInfo: { devEui, applicationId: "app" }, fPort: 1, object: { t: 1 }, deduplicationId: "u2" },
      "?event=up",
    );
    const before = network.received.length;
    const input = await command(deviceId, { method: "setValue", params: { fPort: 7, hex: "00" } });
    await network.until(before + 1);
    await report(
      "lorawan-a",
      integrationId,
      { deviceInfo: { devEui }, queueItemId: "command-2", acknowledged: false },
      "?event=ack",
    );
    expect(await input.state()).toMatchObject({
      status: "FAILED",
      error: expect.stringContaining("acknowledge"),
    });
  });

  test("that says nothing of a frame is an object for the codec", async () => {
    const { deviceId, devEui, integrationId } = await setUp("CHIRPSTACK", { fPort: 4, confirmed: false });
    chirpstackTakes("command-3");
    await report(
      "lorawan-a",
      integrationId,
      { deviceInfo: { devEui, applicationId: "app" }, fPort: 1, object: { t: 1 }, deduplicationId: "u3" },
      "?event=up",
    );
    const before = network.received.length;
    const input = await command(deviceId, { key: "led", value: "on" });
    await network.until(before + 1);
    expect(last().body).toEqual({ queueItem: { confirmed: false, fPort: 4, object: { led: "on" } } });
    // Nobody says more of one that is not confirmed.
    await report(
      "lorawan-a",
      integrationId,
      { deviceInfo: { devEui }, queueItemId: "command-3", downlinkId: 1 },
      "?event=txack",
    );
    expect(await input.state()).toMatchObject({ status: "SUCCESSFUL", response: { transmitted: true } });
  });

  test("that is no downlink fails and says why", async () => {
    const { deviceId, devEui, integrationId } = await setUp("CHIRPSTACK");
    await report(
      "lorawan-a",
      integrationId,
      { deviceInfo: { devEui, applicationId: "app" }, fPort: 1, object: { t: 1 }, deduplicationId: "u4" },
      "?event=up",
    );
    const input = await command(deviceId, { method: "downlink", params: { data: "no base64!" } });
    expect(await input.state()).toMatchObject({ status: "FAILED", error: expect.stringContaining("base64") });
  });
});

test("an object is encoded by the integration's own script where that encodes", async () => {
  const { integrationId, deviceId, send } = await setUp("CHIRPSTACK");
  const source =
    "function encodeDownlink(input) { if (!input.data.level) return { errors: ['level is missing'] }; return { bytes: [1, input.data.level], fPort: 99 }; }";
  await call("PATCH", `/api/integrations/${integrationId}`, {
    settings_json: { scriptTransform: { enabled: true, source } },
  });
  chirpstackTakes("encoded");
  expect((await send({ deviceId, object: { level: 5 } })).body).toMatchObject({ status: "SENT", fPort: 99 });
  expect(last().body).toEqual({ queueItem: { confirmed: false, fPort: 99, data: "AQU=" } });
  const wrong = await send({ deviceId, object: { other: 5 } });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("level is missing")]);
});

describe("what cannot be sent is refused in words", () => {
  test("field by field", async () => {
    const { send, deviceId, devEui } = await setUp("CHIRPSTACK");
    const rows: [Record<string, unknown>, string][] = [
      [{ fPort: 1, data: "AA==" }, "deviceId or devEui"],
      [{ deviceId, devEui, fPort: 1, data: "AA==" }, "deviceId or devEui"],
      [{ devEui: "123", fPort: 1, data: "AA==" }, "16 hexadecimal"],
      [{ deviceId, data: "AA==" }, "fPort"],
      [{ deviceId, fPort: 0, data: "AA==" }, "fPort"],
      [{ deviceId, fPort: 224, data: "AA==" }, "fPort"],
      [{ deviceId, fPort: 1 }, "data"],
      [{ deviceId, fPort: 1, data: "AA==", hex: "00" }, "data"],
      [{ deviceId, fPort: 1, data: "A*==" }, "base64"],
      [{ deviceId, fPort: 1, hex: "0" }, "hex"],
      [{ deviceId, fPort: 1, hex: "00".repeat(243) }, "242"],
      [{ deviceId, fPort: 1, object: [1] }, "object"],
    ];
    const before = network.received.length;
    for (const [body, part] of rows) {
      const answer = await send(body);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(part)]);
    }
    expect(network.received.length).toBe(before);
  });

  test("also what is missing in the settings", async () => {
    const { deviceId } = await setUp("CHIRPSTACK");
    const create = async (type: string, settings_json: unknown) =>
      (await call("POST", "/api/integrations", { name: "bare", type, settings_json })).body.integrationId;
    const rows = [
      [await create("HTTP", {}), "ChirpStack and The Things Stack"],
      [await create("CHIRPSTACK", {}), "settings_json.downlink"],
      [await create("CHIRPSTACK", { downlink: { url: network.url } }), "apiKey"],
      [await create("CHIRPSTACK", { downlink: { via: "mqtt" } }), "applicationId"],
      [await create("THE_THINGS_STACK", { downlink: { url: network.url, apiKey: KEY } }), "applicationId"],
      [
        await create("THE_THINGS_STACK", { downlink: { url: network.url, apiKey: KEY, applicationId: "a" } }),
        "webhookId",
      ],
    ];
    for (const [integrationId, part] of rows) {
      const answer = await call("POST", `/api/integrations/${integrationId}/downlink`, {
        deviceId,
        fPort: 1,
        data: "AA==",
      });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(part)]);
    }
  });

  test("a device without a dev EUI, an unknown one, and a paused integration", async () => {
    const { send, deviceId, integrationId } = await setUp("CHIRPSTACK");
    const plain = await fixture.createDevice(owner, { name: "no radio" });
    expect((await send({ deviceId: plain.deviceId, fPort: 1, data: "AA==" })).status).toBe(400);
    expect((await send({ deviceId: "nobody", fPort: 1, data: "AA==" })).status).toBe(404);
    await call("POST", `/api/integrations/${integrationId}/pause`);
    expect((await send({ deviceId, fPort: 1, data: "AA==" })).status).toBe(409);
  });
});

describe("who may", () => {
  test("administrators send, others and other tenants do not", async () => {
    const { integrationId, deviceId } = await setUp("CHIRPSTACK");
    chirpstackTakes("c");
    const path = `/api/integrations/${integrationId}/downlink`;
    const body = { deviceId, fPort: 1, data: "AA==" };
    expect((await fixture.call("POST", path, { body })).status).toBe(401);
    for (const [role, status] of [
      ["TENANT_READ_ONLY", 403],
      ["TENANT_RW", 403],
      ["TENANT_ADMIN", 201],
    ] as const)
      expect((await call("POST", path, body, (await fixture.signIn(role)).token)).status).toBe(status);
    const stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
    expect((await call("POST", path, body, stranger)).status).toBe(404);
    expect((await call("GET", `${path}s`, undefined, stranger)).status).toBe(404);
  });

  test("whoever may not see a device sends it nothing, and lists nothing", async () => {
    const { integrationId, deviceId } = await setUp("CHIRPSTACK");
    const mine = await fixture.createDevice(owner, { name: `mine ${number}`, lorawanDevEui: DEV_EUI });
    const limited = (await fixture.signIn("TENANT_ADMIN", { devices: [mine.deviceId] })).token;
    const path = `/api/integrations/${integrationId}/downlink`;
    const as = (device: object) => call("POST", path, { ...device, fPort: 1, data: "AA==" }, limited);
    expect((await as({ deviceId })).status).toBe(404);
    expect((await as({ devEui: "ffffffffffffffff" })).status).toBe(403);
    expect((await as({ deviceId: mine.deviceId })).status).toBe(201);
    expect((await call("GET", `${path}s`, undefined, limited)).status).toBe(403);
  });
});

describe("rules and jobs", () => {
  test("send downlinks the same way", async () => {
    const { deviceId, devEui, integrationId } = await setUp("CHIRPSTACK");
    chirpstackTakes("by-rule");
    const profile = await call("POST", "/api/device-profiles", {
      name: `siren ${number}`,
      alarmRules: [
        {
          alarmType: "hot",
          createRules: [{ severity: "MAJOR", condition: { key: "temperature", op: "GT", value: 30 } }],
          actions: [
            {
              on: "CREATED",
              type: "integration_downlink",
              downlink: { fPort: 9, confirmed: false, hex: "ff" },
            },
          ],
        },
      ],
    });
    expect([profile.status, profile.text]).toEqual([201, expect.any(String)]);
    await call("PATCH", `/api/devices/${deviceId}`, { profileId: profile.body.profileId });
    const before = network.received.length;
    const hot = {
      deviceInfo: { devEui, applicationId: "app" },
      deduplicationId: "hot",
      object: { temperature: 31 },
    };
    expect((await report("lorawan-a", integrationId, hot, "?event=up")).status).toBe(200);
    await network.until(before + 1);
    expect(last()).toMatchObject({ path: `/api/devices/${devEui}/queue` });
    expect(last().body).toEqual({ queueItem: { confirmed: false, fPort: 9, data: "/w==" } });

    const job = await call("POST", "/api/scheduler", {
      name: "flush",
      schedule: { kind: "once", at: new Date(Date.now() + 3_600_000).toISOString(), timezone: "UTC" },
      action: {
        type: "command",
        deviceIds: [deviceId],
        command: { method: "downlink", params: { fPort: 2, object: { flush: true } } },
      },
    });
    expect([job.status, job.text]).toEqual([201, expect.any(String)]);
    expect((await call("POST", `/api/scheduler/${job.body.jobId}/run`)).status).toBeLessThan(300);
    await network.until(before + 2);
    expect(last().body).toEqual({ queueItem: { confirmed: true, fPort: 2, object: { flush: true } } });
  });
});

test("an address that nothing may be sent to is refused when it is saved", async () => {
  const { status, body } = await call("POST", "/api/integrations", {
    ...{ name: "metadata", type: "CHIRPSTACK" },
    settings_json: { downlink: { url: "http://169.254.169.254", apiKey: KEY } },
  });
  expect([status, body.message]).toEqual([400, expect.stringContaining("metadata")]);
});

test("commands that wait for an integration that is deleted have failed", async () => {
  const { deviceId, integrationId } = await setUp("CHIRPSTACK", { url: "http://127.0.0.1:1", fPort: 1 });
  const other = await setUp("CHIRPSTACK");
  // Not heard yet, and more than one leads to it: the first of them is the default.
  const devEui = (await call("GET", `/api/devices/${deviceId}`)).body.lorawanDevEui;
  const received = { deviceInfo: { devEui, applicationId: "app" }, deduplicationId: "x", object: { t: 1 } };
  expect((await report("lorawan-a", integrationId, received, "?event=up")).status).toBe(200);
  const input = await command(deviceId, { method: "downlink", params: { hex: "01" } });
  expect((await input.state()).status).toBe("SENT");
  expect((await call("DELETE", `/api/integrations/${integrationId}`)).status).toBe(200);
  expect(await input.state()).toMatchObject({ status: "FAILED", error: expect.stringContaining("deleted") });
  expect(other.integrationId).not.toBe(integrationId);
});
