import { describe, expect, test } from "bun:test";
import type { MqttClient } from "mqtt";
import { createMosquitto, hasMosquitto, type Mosquitto } from "../../../support/mosquitto.ts";
import { until } from "../../../support/until.ts";
import { connected, hasty, rigBridge } from "./bridge-fixture.ts";

const WINDOW = 16;
const ROUNDS = 3;
const ROUND_MIN = 200;

/** Publishes numbers until it is told to stop, through every loss of the connection; keeps those that the broker has acknowledged. */
function publishOn(client: MqttClient) {
  const acknowledged: number[] = [];
  let next = 0;
  let isOver = false;
  const say = async () => {
    while (!isOver) {
      const n = next++;
      await client.publishAsync("load/x", String(n), { qos: 1 });
      acknowledged.push(n);
    }
  };
  const speakers = Array.from({ length: WINDOW }, say);
  return {
    acknowledged,
    async end() {
      isOver = true;
      await Promise.all(speakers);
    },
  };
}

const more = async (list: readonly unknown[], count: number) => {
  const wanted = list.length + count;
  await until(() => list.length >= wanted);
};

async function underLoad(broker: Mosquitto, signal: "SIGTERM" | "SIGKILL", protocolVersion: 4 | 5) {
  const rig = rigBridge(
    {
      brokerUrl: `mqtt://127.0.0.1:${broker.port}`,
      topicFilter: "load/#",
      protocolVersion,
      clientId: "load",
    },
    // Taken in an order of its own, as by anything that waits for a disk.
    { clock: hasty, handle: ({ bytes }) => Bun.sleep(bytes.length % 3) },
  );
  rig.bridge.start();
  await rig.until(connected);
  const client = await broker.client({ clientId: "publisher", clean: false, protocolVersion });
  const load = publishOn(client);
  for (let round = 0; round < ROUNDS; round++) {
    await more(load.acknowledged, ROUND_MIN);
    await broker.kill(signal);
    await broker.start();
    await rig.until(connected);
  }
  await more(load.acknowledged, ROUND_MIN);
  await load.end();
  return { rig, acknowledged: load.acknowledged };
}

const lostOf = (texts: readonly string[], acknowledged: readonly number[]) => {
  const taken = new Set(texts.map(Number));
  return acknowledged.filter((n) => !taken.has(n));
};

describe.skipIf(!hasMosquitto).each([4, 5] as const)(
  "a broker that is restarted under load, MQTT version %p",
  (version) => {
    test("loses nothing of what it has acknowledged", async () => {
      const broker = await createMosquitto();
      const { rig, acknowledged } = await underLoad(broker, "SIGTERM", version);
      await rig.until(() => lostOf(rig.texts(), acknowledged).length === 0);
      expect(acknowledged.length).toBeGreaterThan((ROUNDS + 1) * ROUND_MIN);
      await rig.bridge.stop();
      await broker.stop();
    });

    test("that had no time to write down its sessions is asked for everything anew", async () => {
      const broker = await createMosquitto();
      const { rig, acknowledged } = await underLoad(broker, "SIGKILL", version);
      // What it alone knew is lost with it; everything since its last start came.
      const since = acknowledged.slice(-ROUND_MIN / 2);
      await rig.until(() => lostOf(rig.texts(), since).length === 0);
      expect(rig.bridge.state).toMatchObject({
        status: "connected",
        subscriptions: [{ filter: "load/#", qos: 1 }],
      });
      await rig.bridge.stop();
      await broker.stop();
    });
  },
);
