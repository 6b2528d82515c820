import { describe, expect, test } from "bun:test";
import {
  call,
  chirpstackTakes,
  KEY,
  last,
  network,
  report,
  setUp,
  useDownlinks,
} from "./downlinks-fixture.ts";

useDownlinks();

describe("through ChirpStack's REST proxy", () => {
  test("a downlink is queued there with every header and field that it asks for", async () => {
    const { send, devEui, deviceId } = await setUp("CHIRPSTACK");
    chirpstackTakes("42cb6459-a640-46ec-9623-bdff39dc4736");
    const response = await send({ deviceId, fPort: 10, confirmed: true, data: "AQID" });
    expect([response.status, response.body]).toEqual([
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
    const response = await send({
      devEui: devEui.toUpperCase().replace(/(..)(?=.)/g, "$1:"),
      hex: "01 02 ff",
    });
    expect(response.body).toMatchObject({ status: "SENT", fPort: 22, confirmed: false });
    expect(last().body).toEqual({ queueItem: { confirmed: false, fPort: 22, data: "AQL/" } });
  });

  test("an object without a codec of ours is left to the codec there", async () => {
    const { send, deviceId } = await setUp("CHIRPSTACK");
    chirpstackTakes("b");
    await send({ deviceId, fPort: 3, object: { led: "on" } });
    expect(last().body).toEqual({ queueItem: { confirmed: false, fPort: 3, object: { led: "on" } } });
  });

  test("later reports of the network server are matched to the downlink", async () => {
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

  test("a refusal is returned at once and not retried", async () => {
    const { send, deviceId, integrationId } = await setUp("CHIRPSTACK");
    network.answer = () =>
      Response.json({ code: 16, message: "authentication failed: invalid token" }, { status: 401 });
    const response = await send({ deviceId, fPort: 10, data: "AQID" });
    expect([response.status, response.body]).toEqual([
      201,
      expect.objectContaining({ success: false, status: "FAILED", attempts: 1 }),
    ]);
    expect(response.body).toMatchObject({
      error: "The network server answered 401: authentication failed: invalid token. Check the API key.",
      errorText: {
        code: "downlink_error.hinted",
        params: {
          response: { params: { status: 401, message: "authentication failed: invalid token" } },
          hint: { code: "downlink_hint.api_key" },
        },
      },
    });
    const events = await call("GET", `/api/integrations/${integrationId}/events?direction=OUT`);
    expect(events.body[0]).toMatchObject({ direction: "OUT", status: "ERROR", stage: "downlink" });
    expect(events.text).not.toContain(KEY);
  });

  test("the API key is never shown, not even in an echo of the network server", async () => {
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
    const response = await send({ deviceId, fPort: 15, confirmed: true, data: "vu8=", priority: "HIGH" });
    expect(response.body).toMatchObject({ success: true, status: "SENT" });
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
          correlation_ids: [`lineside:${response.body.downlinkId}`],
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
      error: "The network server could not send the downlink: downlink of 99 bytes is too long.",
      errorText: { code: "downlink_error.network", params: { message: "downlink of 99 bytes is too long" } },
    });
    await report("lorawan-b", integrationId, { end_device_ids: ids, downlink_ack: downlink });
    expect((await latest()).status).toBe("ACKNOWLEDGED");
  });

  test("the push address of an uplink is used only at the configured server", async () => {
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
    for (const [index, [pushUrl, expected]] of pushes.entries()) {
      const headers = { "x-downlink-push": pushUrl };
      const body = { ...up(devEui), received_at: new Date(Date.now() - index * 1000).toISOString() };
      expect((await report("lorawan-b", integrationId, body, "", headers)).status).toBe(200);
      expect((await send({ deviceId, fPort: 1, data: "AA==" })).body.status).toBe("SENT");
      expect(last().path).toBe(
        expected ?? "/api/v3/as/applications/works/webhooks/lineside/devices/press-7/down/push",
      );
    }
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

test("an address that nothing may be sent to is refused when it is saved", async () => {
  const { status, body } = await call("POST", "/api/integrations", {
    ...{ name: "metadata", type: "CHIRPSTACK" },
    settings_json: { downlink: { url: "http://169.254.169.254", apiKey: KEY } },
  });
  expect([status, body.message]).toEqual([400, expect.stringContaining("metadata")]);
});

describe("the downlinks of an integration take a limited space", () => {
  const object = { text: "x".repeat(16_000) };
  /** Downlinks of 16 KB that fit into 8 MiB. */
  const FITTING = 507;
  const devEuiOf = (index: number) => (0x1000000000 + index).toString(16).padStart(16, "0");

  test("those that were sent: the oldest are deleted, except one whose command is open", async () => {
    const { send, integrationId, deviceId, devEui } = await setUp("CHIRPSTACK");
    const up = { deviceInfo: { devEui, applicationId: "app" }, deduplicationId: "u", object: { t: 1 } };
    await report("lorawan-a", integrationId, up, "?event=up");
    chirpstackTakes("carrier");
    const before = network.received.length;
    const carried = await call("POST", `/api/devices/${deviceId}/commands`, {
      method: "downlink",
      params: { fPort: 7, hex: "01" },
    });
    await network.until(before + 1);
    network.answer = () => Response.json({ id: crypto.randomUUID() });
    const count = FITTING + 100;
    for (let index = 0; index < count; index++)
      expect((await send({ devEui: devEuiOf(index), fPort: 1, object })).status).toBe(201);
    const listed = await call("GET", `/api/integrations/${integrationId}/downlinks?limit=1000`);
    expect(listed.body.length).toBeLessThan(FITTING + 70);
    expect(listed.body.length).toBeGreaterThanOrEqual(FITTING);
    expect(listed.body[0].devEui).toBe(devEuiOf(count - 1));
    const ack = { deviceInfo: { devEui }, queueItemId: "carrier", acknowledged: true };
    await report("lorawan-a", integrationId, ack, "?event=ack");
    const ended = await call("GET", `/api/devices/${deviceId}/commands/${carried.body.commandId}`);
    expect(ended.body).toMatchObject({ status: "SUCCESSFUL" });
  });

  test("those that wait: further ones are refused", async () => {
    const { send } = await setUp("CHIRPSTACK");
    network.answer = () => new Response(null, { status: 503 });
    const sent = Array.from({ length: FITTING + 20 }, (_, index) =>
      send({ devEui: devEuiOf(index), fPort: 1, object }),
    );
    const refused = (await Promise.all(sent)).filter(({ status }) => status !== 201);
    expect(refused.length).toBeGreaterThan(10);
    expect(refused.length).toBeLessThan(30);
    for (const response of refused)
      expect(response).toMatchObject({
        status: 429,
        body: { code: "downlink.too_much", params: { mib: 8 } },
      });
  });
});
