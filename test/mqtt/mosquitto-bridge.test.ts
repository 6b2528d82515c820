import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { createMosquitto, hasMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

describe.skipIf(!hasMosquitto)("Mosquitto as a bridge (skipped where it is missing)", () => {
  const account = { username: "bridge", password: "sixteen quiet rooms" };
  let fixture: TestApp;
  let owner: string;
  let here: MqttClient;
  const call = (method: string, path: string, body?: unknown) =>
    fixture.call(method, `/api${path}`, { token: owner, body });

  beforeAll(async () => {
    fixture = await createTestApp();
    owner = (await fixture.signIn("TENANT_OWNER")).token;
    const patterns = { publish: ["#"], subscribe: ["#"] };
    await call("POST", "/mqtt/clients", { name: "bridge", signIn: "PASSWORD", ...account, ...patterns });
    here = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, account);
  });
  afterAll(async () => {
    await here?.endAsync(true);
    await fixture.stop();
  });

  async function bridged(lines: string[], use: (mosquitto: Mosquitto) => Promise<void>): Promise<void> {
    const address = `address 127.0.0.1:${fixture.app.mqttPort}`;
    const mosquitto = await createMosquitto({ lines: ["connection lineside", address, ...lines] });
    try {
      await use(mosquitto);
    } finally {
      await mosquitto.stop();
    }
  }

  test.each([
    ["with its defaults", "default", []],
    ["speaking MQTT 3.1", "old", ["bridge_protocol_version mqttv31"]],
    ["speaking MQTT 5", "new", ["bridge_protocol_version mqttv50"]],
  ])("carries messages both ways, each once, %s", async (_, site, lines) => {
    const signIn = [`remote_username ${account.username}`, `remote_password ${account.password}`];
    await bridged([...signIn, `topic ${site}/# both 1`, ...lines], async (mosquitto) => {
      const there = await mosquitto.client();
      const received = { here: [] as string[], there: [] as string[] };
      const listen = (client: MqttClient, messages: string[]) => {
        client.on(
          "message",
          (topic, payload) => topic.startsWith(`${site}/`) && messages.push(`${topic} ${payload}`),
        );
        return client.subscribeAsync(`${site}/#`, { qos: 1 });
      };
      await listen(here, received.here);
      await listen(there, received.there);
      const say = (client: MqttClient, name: string) =>
        client.publishAsync(`${site}/${name}`, "1", { qos: 1 });
      // Mosquitto keeps what it cannot send yet; the gateway does not know the bridge before it has subscribed.
      await say(there, "up");
      await until(() => received.here.includes(`${site}/up 1`));
      await until(async () => {
        await say(here, "subscribed");
        return received.there.includes(`${site}/subscribed 1`);
      });
      await say(here, "down");
      await until(() => received.there.includes(`${site}/down 1`));
      // What comes back to where it was sent is there before these.
      await say(there, "last");
      await until(() => received.here.includes(`${site}/last 1`));
      await say(here, "end");
      await until(() => received.there.includes(`${site}/end 1`));
      const sent = ["up", "down", "last", "end"].map((name) => `${site}/${name} 1`);
      for (const messages of Object.values(received))
        expect(messages.filter((message) => !message.includes("subscribed"))).toEqual(sent);
    });
  });

  test("sends the telemetry of devices on topics that it renames", async () => {
    const device = await fixture.createDevice(owner);
    const gateway = await fixture.createDevice(owner, { role: "GATEWAY" });
    const latest = async (deviceId: string) =>
      (await call("GET", `/devices/${deviceId}/telemetry/latest`)).body.values;
    const asDevice = [`remote_username ${device.token}`, 'topic telemetry out 1 "" v1/devices/me/'];
    await bridged(asDevice, async (mosquitto) => {
      const client = await mosquitto.client();
      await client.publishAsync("telemetry", '{"level":3}', { qos: 1 });
      await until(async () => (await latest(device.deviceId)).level === 3);
    });
    const asGateway = [`remote_username ${gateway.token}`, 'topic telemetry out 1 "" v1/gateway/'];
    await bridged(asGateway, async (mosquitto) => {
      const client = await mosquitto.client();
      await client.publishAsync("telemetry", '{"Bridged tank":[{"level":4}]}', { qos: 1 });
      const children = () => call("GET", `/devices/${gateway.deviceId}/children`);
      await until(async () => (await children()).body.length === 1);
      const [child] = (await children()).body;
      expect(child.name).toBe("Bridged tank");
      await until(async () => (await latest(child.deviceId)).level === 4);
    });
  });
});
