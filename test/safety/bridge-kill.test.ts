import { expect, test } from "bun:test";
import { type Gateway, remove, startGateway, temporaryDirectory } from "../bench/processes.ts";
import { createMosquitto, hasMosquitto } from "../support/mosquitto.ts";
import { until } from "../support/until.ts";

const ROUNDS = 4;
const WINDOW = 16;
const FIRST_TS = 1_700_000_000_000;
/** Of each round, however busy the machine is. */
const ACKNOWLEDGED_MIN = 100;

test.skipIf(!hasMosquitto)(
  "a gateway that is killed while it fetches from a broker has every message in the end, and each device once",
  async () => {
    const directory = temporaryDirectory();
    const broker = await createMosquitto();
    const start = () => startGateway(directory, ["--outbound-allow", "127.0.0.1"]);
    let server: Gateway = await start();
    const setup = await server.signIn();
    const { integrationId } = await setup.post<{ integrationId: string }>("/api/integrations", {
      name: "field",
      type: "MQTT",
      status: "active",
      settings_json: {
        autoCreateDevice: true,
        mqtt: {
          brokerUrl: `mqtt://127.0.0.1:${broker.port}`,
          topicFilter: "field/#",
          topicTemplate: "field/{device}",
        },
      },
    });
    // From the subscription on, everything that the broker acknowledges is for us.
    type Shown = { bridge: { subscriptions: unknown[] } | null };
    const isSubscribed = async () => {
      const { bridge } = await setup.get<Shown>(`/api/integrations/${integrationId}`);
      return (bridge?.subscriptions.length ?? 0) > 0;
    };
    await until(isSubscribed);
    const client = await broker.client();
    const acknowledged: number[] = [];
    let next = 0;
    let isOver = false;
    // One device, and a new one now and then, which is made by its message.
    const topicOf = (n: number) => (n % 50 === 0 ? `field/new-${n}` : "field/old");
    const say = async () => {
      while (!isOver) {
        const n = next++;
        const body = { ts: FIRST_TS + n, values: { n } };
        await client.publishAsync(topicOf(n), JSON.stringify(body), { qos: 1 });
        acknowledged.push(n);
        await Bun.sleep(20);
      }
    };
    const speakers = Array.from({ length: WINDOW }, say);
    for (let round = 0; round < ROUNDS; round++) {
      const wanted = acknowledged.length + ACKNOWLEDGED_MIN;
      await until(() => acknowledged.length >= wanted);
      await Bun.sleep(Math.random() * 100);
      await server.kill("SIGKILL");
      server = await start();
    }
    isOver = true;
    await Promise.all(speakers);
    const api = await server.signIn();
    const devices = async () => {
      const list = await api.get<{ deviceId: string; name: string }[]>("/api/devices?limit=10000");
      expect(new Set(list.map(({ name }) => name)).size).toBe(list.length);
      return new Map(list.map(({ deviceId, name }) => [name, deviceId]));
    };
    type Answer = { data: { series: { points: { value: number }[] }[] }[] };
    const pointsOf = async (deviceId: string | undefined) => {
      const path = `/api/devices/${deviceId}/telemetry/range?from=${FIRST_TS}&to=${FIRST_TS + next}&keys=n&aggregation=none&maxDataPoints=1000000`;
      const { data } = await api.get<Answer>(path);
      return data[0]?.series[0]?.points.map(({ value }) => value) ?? [];
    };
    const lost = async () => {
      const existing = await devices();
      const stored = new Set(await pointsOf(existing.get("old")));
      return acknowledged.filter((n) => (n % 50 === 0 ? !existing.has(`new-${n}`) : !stored.has(n)));
    };
    // What the broker still has comes by and by; the test's own limit ends the waiting.
    await until(async () => (await lost()).length === 0);
    const current = await devices();
    for (const n of acknowledged)
      if (n % 50 === 0) expect(await pointsOf(current.get(`new-${n}`))).toEqual([n]);
    expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS * ACKNOWLEDGED_MIN);
    await server.kill("SIGTERM");
    await broker.stop();
    remove(directory);
  },
);
