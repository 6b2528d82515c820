import { afterEach, describe, expect, test } from "bun:test";
import { type Running, startMqtt, until } from "./mqtt-fixture.ts";
import { publishPacket, RawClient } from "./raw-client.ts";

const running: Running[] = [];
const start = async (...args: Parameters<typeof startMqtt>) => {
  const mqtt = await startMqtt(...args);
  running.push(mqtt);
  return mqtt;
};
afterEach(async () => {
  for (const mqtt of running.splice(0)) await mqtt.stop();
});

const telemetry = "v1/devices/me/telemetry";

describe.each([4, 5] as const)("MQTT version %d", (version) => {
  test("a publish is acknowledged only after its commit", async () => {
    const { port, ingest } = await start();
    ingest.held = true;
    const client = await RawClient.connect(port, version);
    client.send(publishPacket(telemetry, '{"a":1}', { id: 7 }));
    await client.ping();
    expect(client.packets).toEqual([]);
    expect(ingest.taken).toEqual([{ deviceId: "device-token", kind: "telemetry", body: '{"a":1}' }]);
    ingest.commit();
    const ack = await client.next("puback");
    expect(ack.messageId).toBe(7);
  });

  test("a device receives what the server publishes to it", async () => {
    const { port, server, devices } = await start();
    const client = await RawClient.connect(port, version);
    client.send({
      cmd: "subscribe",
      messageId: 3,
      subscriptions: [{ topic: "v1/devices/me/attributes", qos: 1 }],
    });
    const granted = await client.next("suback");
    expect(granted.granted).toEqual([1]);
    const device = devices.get("token")!;
    await server.publishToDevice(device.deviceId, "v1/devices/me/attributes", Buffer.from('{"x":2}'), 1);
    const message = await client.next("publish");
    expect(message.topic).toBe("v1/devices/me/attributes");
    expect(message.payload.toString()).toBe('{"x":2}');
  });

  test("stopping tells the client and closes its connection", async () => {
    const mqtt = await start();
    const client = await RawClient.connect(mqtt.port, version);
    await mqtt.server.stop();
    await client.end();
    expect(client.received.endsWith("e0018b")).toBe(version === 5);
    await until(() => mqtt.events.length === 2, "the disconnect event");
  });
});
