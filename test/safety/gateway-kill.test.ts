import { expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { type Gateway, remove, startGateway, temporaryDirectory } from "../bench/processes.ts";
import { until } from "../support/until.ts";

const ROUNDS = 4;
const WINDOW = 8;
/** Of each round, however busy the machine is. */
const ACKNOWLEDGED_MIN = 10;
const FIRST_TS = 1_700_000_000_000;

interface Device {
  readonly deviceId: string;
  readonly name: string;
}

/**
 * A gateway that names a new child in every message, and speaks of two older ones in it. Returns, when the process is gone, the
 * sequence numbers that were acknowledged.
 */
function speak(client: MqttClient, first: number): { acknowledged: number[]; next: () => number } {
  const acknowledged: number[] = [];
  let next = first;
  const say = async () => {
    for (;;) {
      const n = next++;
      const entry = [{ ts: FIRST_TS + n, values: { n } }];
      const body = { [`child ${n}`]: entry, [`child ${n >> 1}`]: entry, [`child ${n >> 2}`]: entry };
      await client.publishAsync("v1/gateway/telemetry", JSON.stringify(body), { qos: 1 });
      acknowledged.push(n);
    }
  };
  for (let i = 0; i < WINDOW; i++) say().catch(() => undefined); // ends with the connection
  return { acknowledged, next: () => next };
}

test("a gateway whose server is killed has every child once, and every point that was acknowledged", async () => {
  const directory = temporaryDirectory();
  let server: Gateway = await startGateway(directory);
  let api = await server.signIn();
  const gateway = await api.post<Device & { credentials: { token: string } }>("/api/devices", {
    name: "gateway",
    deviceType: "gateway",
    role: "GATEWAY",
  });
  const acknowledged: number[] = [];
  let next = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const client = await connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: gateway.credentials.token,
      reconnectPeriod: 0,
    });
    client.on("error", () => undefined);
    const speaking = speak(client, next);
    await until(() => speaking.acknowledged.length >= ACKNOWLEDGED_MIN);
    await Bun.sleep(Math.random() * 200);
    await server.kill("SIGKILL");
    client.end(true);
    acknowledged.push(...speaking.acknowledged);
    next = speaking.next();
    server = await startGateway(directory);
    api = await server.signIn();
    const children = await api.get<Device[]>(`/api/devices/${gateway.deviceId}/children?limit=10000`);
    const byName = new Map(children.map((child) => [child.name, child.deviceId]));
    expect(byName.size).toBe(children.length);
    const stored = new Map<string, ReadonlySet<number>>();
    const pointsOf = async (name: string) => {
      const existing = stored.get(name);
      if (existing !== undefined) return existing;
      const path = `/api/devices/${byName.get(name)}/telemetry/range?from=${FIRST_TS}&to=${FIRST_TS + next}&keys=n&aggregation=none&maxDataPoints=100000`;
      type Answer = { data: { series: { points: { value: number }[] }[] }[] };
      const { data } = await api.get<Answer>(path);
      const points = new Set(data[0]?.series[0]?.points.map(({ value }) => value));
      stored.set(name, points);
      return points;
    };
    const lost: string[] = [];
    for (const n of speaking.acknowledged)
      for (const of of [n, n >> 1, n >> 2])
        if (!(await pointsOf(`child ${of}`)).has(n)) lost.push(`${n} of child ${of}`);
    expect(lost).toEqual([]);
  }
  await server.kill("SIGTERM");
  remove(directory);
  expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS * ACKNOWLEDGED_MIN);
});
