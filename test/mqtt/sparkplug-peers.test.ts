import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { npmPeer, Peer, pythonPeer } from "../support/peers.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until, untilAnswer } from "../support/until.ts";

/** Edge nodes of Sparkplug B on libraries that others wrote, with their defaults. */
const account = { username: "spb", password: "sixteen quiet rooms" };
let fixture: TestApp;
let owner: string;
let integrationId: string;
const call = async (method: string, path: string, body?: unknown) =>
  (await fixture.call(method, `/api${path}`, { token: owner, body })).body;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  const patterns = { publish: ["spBv1.0/#"], subscribe: ["spBv1.0/#"] };
  await call("POST", "/mqtt/clients", { name: "spb", signIn: "PASSWORD", ...account, ...patterns });
  ({ integrationId } = await call("POST", "/integrations", {
    ...{ name: "spb", type: "MQTT", status: "active" },
    settings_json: {
      ...{ format: "sparkplug", autoCreateDevice: true },
      mqtt: { brokerUrl: "local:", topicFilter: "spBv1.0/#" },
    },
  }));
  await untilAnswer(
    () => call("GET", `/integrations/${integrationId}`),
    ({ bridge }) => bridge?.status === "connected",
  );
});
afterAll(() => fixture.stop());

const npm = npmPeer("sparkplug-client");
const peers = [
  { node: "pysparkplug", program: pythonPeer("pysparkplug"), script: "sparkplug_peer.py", library: "" },
  {
    node: "sparkplug-client",
    program: npm === null ? null : "node",
    script: "sparkplug_peer.cjs",
    library: npm ?? "",
  },
];

for (const { node, program, script, library } of peers)
  test.skipIf(program === null)(
    `${node} is an edge node with a device (skipped where it is missing)`,
    async () => {
      const { username, password } = account;
      const args = [
        join(import.meta.dir, script),
        `${fixture.app.mqttPort}`,
        username,
        password,
        node,
        library,
      ];
      const peer = new Peer([program ?? "", ...args]);
      const latest = async (name: string, isThere: (values: Record<string, unknown>) => boolean) => {
        const [device] = await untilAnswer(
          async () =>
            (await call("GET", "/devices")).filter((device: { name: string }) => device.name === name),
          ({ length }) => length === 1,
        );
        const { values } = await untilAnswer(
          () => call("GET", `/devices/${device.deviceId}/telemetry/latest`),
          (response) => isThere(response.values ?? {}),
        );
        return { deviceId: device.deviceId, values };
      };
      // 300 messages: the sequence number has begun again. pysparkplug may send values before its births.
      const own = await latest(
        node,
        ({ t, count, text, online }) =>
          t === 149.5 && count === 5 && text !== undefined && online !== undefined,
      );
      expect(own.values).toMatchObject({ t: 149.5, count: 5, text: "warm", online: true });
      const pump = await latest(
        `${node}/pump`,
        ({ speed, on, online }) => speed === 7 && on !== undefined && online !== undefined,
      );
      expect(pump.values).toEqual({ speed: 7, on: true, online: true });
      const heard = peer.json();
      // At QoS 0 a command is lost on a node that has not subscribed yet.
      await until(async () => {
        await call("POST", `/devices/${pump.deviceId}/commands`, { method: "speed", params: -5 });
        return Promise.race([heard.then(() => true), Bun.sleep(100).then(() => false)]);
      });
      // The first thing that it hears: no birth was asked for.
      expect(await heard).toEqual({
        topic: `spBv1.0/plant/DCMD/${node}/pump`,
        name: "speed",
        type: "int32",
        value: -5,
      });
      await peer.end();
      await latest(node, ({ online }) => online === false);
      const events = await call("GET", `/integrations/${integrationId}/events?limit=1000`);
      expect(events.filter(({ status }: { status: string }) => status !== "OK")).toEqual([]);
    },
  );
