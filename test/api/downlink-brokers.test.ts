import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { MqttClient } from "mqtt";
import { createMosquitto, hasMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

/** Downlinks by the brokers of ChirpStack and The Things Stack: a real one, and clients that stand for the network servers. */
describe.skipIf(!hasMosquitto)("a downlink by the integration's broker", () => {
  let fixture: TestApp;
  let broker: Mosquitto;
  let network: MqttClient;
  let token: string;
  const received: { topic: string; body: unknown }[] = [];

  beforeAll(async () => {
    fixture = await createTestApp({ config: { outbound_allow: "127.0.0.1" } });
    broker = await createMosquitto();
    token = (await fixture.signIn("TENANT_OWNER")).token;
    network = await broker.client();
    network.on("message", (topic, payload) => received.push({ topic, body: JSON.parse(payload.toString()) }));
    await network.subscribeAsync(["application/+/device/+/command/down", "v3/+/devices/+/down/push"], {
      qos: 1,
    });
  });
  afterAll(async () => {
    await fixture.stop();
    await broker.stop();
  });

  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fixture.call(method, `/api${path}`, { token, body });
    if (response.status >= 300)
      throw new Error(`${method} ${path} answered ${response.status} ${response.text}`);
    return response.body;
  };
  async function setUp(type: string, topicFilter: string, devEui: string, downlink: object = {}) {
    const device = await fixture.createDevice(token, { name: devEui, lorawanDevEui: devEui });
    const { integrationId } = await call("POST", "/integrations", {
      ...{ name: devEui, type, status: "active" },
      settings_json: {
        mqtt: { brokerUrl: `mqtt://127.0.0.1:${broker.port}`, topicFilter },
        downlink: { via: "mqtt", ...downlink },
      },
    });
    await untilAnswer(
      () => call("GET", `/integrations/${integrationId}`),
      ({ bridge }) => bridge?.status === "connected",
    );
    const path = `/integrations/${integrationId}/downlink`;
    return {
      ...{ integrationId, deviceId: device.deviceId },
      send: (body: object) => call("POST", path, { deviceId: device.deviceId, ...body }),
      is: (status: string) =>
        untilAnswer(
          () => call("GET", `${path}s`),
          ([latest]) => latest?.status === status,
        ),
      hasUplink: () =>
        untilAnswer(
          () => call("GET", `/integrations/${integrationId}`),
          ({ stats }) => stats.stored > 0,
        ),
    };
  }
  const say = (topic: string, body: unknown) => network.publishAsync(topic, JSON.stringify(body), { qos: 1 });
  const hasReceived = (count: number) =>
    untilAnswer(
      () => received.length,
      (length) => length >= count,
    );

  test("of ChirpStack is a command on the device's topic, with an id of ours that comes back", async () => {
    const devEui = "00000000000000a1";
    const { send, is, hasUplink } = await setUp("CHIRPSTACK", "application/+/device/+/event/+", devEui);
    const base = `application/f2f3/device/${devEui}`;
    const info = { deviceInfo: { devEui, applicationId: "f2f3" }, time: new Date().toISOString() };
    await say(`${base}/event/up`, { ...info, deduplicationId: "u", fPort: 1, object: { t: 1 } });
    await hasUplink();
    const { downlinkId, status } = await send({ fPort: 10, confirmed: true, hex: "010203" });
    expect(status).toBe("SENT");
    await hasReceived(1);
    expect(received.at(-1)).toEqual({
      topic: `${base}/command/down`,
      body: { id: downlinkId, devEui, confirmed: true, fPort: 10, data: "AQID" },
    });
    await say(`${base}/event/txack`, { ...info, queueItemId: downlinkId, downlinkId: 1 });
    await is("TRANSMITTED");
    await say(`${base}/event/ack`, { ...info, queueItemId: downlinkId, acknowledged: true });
    await is("ACKNOWLEDGED");
  });

  test("of The Things Stack is pushed to the device's topic, under the application as its topics have it", async () => {
    const devEui = "00000000000000a2";
    const { send, is, hasUplink } = await setUp("THE_THINGS_STACK", "v3/+/devices/+/#", devEui);
    const base = "v3/works@ttn/devices/press-7";
    const end_device_ids = { device_id: "press-7", dev_eui: devEui.toUpperCase() };
    const uplink_message = { f_port: 1, f_cnt: 1, session_key_id: "AA==", decoded_payload: { t: 1 } };
    await say(`${base}/up`, { end_device_ids, uplink_message });
    await hasUplink();
    const before = received.length;
    const { downlinkId, status } = await send({ fPort: 15, data: "vu8=", confirmed: true });
    expect(status).toBe("SENT");
    await hasReceived(before + 1);
    const correlation_ids = [`lineside:${downlinkId}`];
    expect(received.at(-1)).toEqual({
      topic: `${base}/down/push`,
      body: {
        downlinks: [
          { frm_payload: "vu8=", f_port: 15, priority: "NORMAL", confirmed: true, correlation_ids },
        ],
      },
    });
    await say(`${base}/down/nack`, { end_device_ids, downlink_nack: { f_port: 15, correlation_ids } });
    await is("FAILED");
    await say(`${base}/down/ack`, { end_device_ids, downlink_ack: { f_port: 15, correlation_ids } });
    await is("ACKNOWLEDGED");
  });

  test("waits while the broker is away, and goes once it is back", async () => {
    const devEui = "00000000000000a3";
    const { send, is } = await setUp("CHIRPSTACK", "application/other/#", devEui, { applicationId: "other" });
    await broker.kill("SIGTERM");
    expect(await send({ fPort: 1, hex: "aa" })).toMatchObject({
      status: "QUEUED",
      error: expect.any(String),
    });
    await broker.start();
    await is("SENT");
  });
});
