import { expect, test } from "bun:test";
import { remove, startGateway, temporaryDirectory } from "../bench/processes.ts";
import { until } from "../support/until.ts";

interface Generator {
  readonly id: string;
  readonly status: string;
  readonly devices: ReadonlyArray<{ readonly deviceId: string }>;
}
interface Range {
  readonly data: ReadonlyArray<{
    readonly series: ReadonlyArray<{
      readonly points: ReadonlyArray<{ readonly ts: number; readonly value: number }>;
    }>;
  }>;
}

const ROUNDS = 3;
const INTERVAL_MS = 100;

test("a generator outlives kills: its counter goes on where it was, with nothing twice and no burst", async () => {
  const directory = temporaryDirectory();
  let server = await startGateway(directory);
  let api = await server.signIn();
  const generator = await api.post<Generator>("/api/rule-chains", {
    name: "meter",
    type: "data_generator",
    enabled: true,
    status: "active",
    config: {
      intervalSeconds: INTERVAL_MS / 1000,
      metrics: [{ key: "n", min: 0, max: 1_000_000, pattern: "counter" }],
    },
  });
  const deviceId = generator.devices[0]?.deviceId ?? "";
  const pointsOf = async () => {
    const query = `keys=n&from=0&to=${Date.now() + 60_000}&maxDataPoints=10000`;
    const { data } = await api.get<Range>(`/api/devices/${deviceId}/telemetry/range?${query}`);
    return data[0]?.series[0]?.points ?? [];
  };

  for (let round = 0; round < ROUNDS; round++) {
    const before = (await pointsOf()).length;
    await until(async () => (await pointsOf()).length >= before + 2);
    await Bun.sleep(Math.random() * 2 * INTERVAL_MS);
    await server.kill("SIGKILL");
    server = await startGateway(directory);
    api = await server.signIn();
    expect(await api.get<Generator>(`/api/rule-chains/${generator.id}`)).toMatchObject({ status: "active" });
  }
  const before = (await pointsOf()).length;
  await until(async () => (await pointsOf()).length >= before + 2);
  const points = await pointsOf();
  expect(points.map(({ value }) => value)).toEqual(points.map((_, index) => index));
  const elapsedMs = (points.at(-1)?.ts ?? 0) - (points[0]?.ts ?? 0);
  // One more a start, where timers are a little early.
  expect(points.length).toBeLessThanOrEqual(elapsedMs / INTERVAL_MS + 2 + ROUNDS);
  await server.kill("SIGTERM");
  remove(directory);
});
