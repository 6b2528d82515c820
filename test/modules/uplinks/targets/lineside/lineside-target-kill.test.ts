import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import {
  type LinesideSettings,
  linesideSettings,
} from "../../../../../src/modules/uplinks/targets/lineside/lineside.schemas.ts";
import { createLinesideTarget } from "../../../../../src/modules/uplinks/targets/lineside/lineside.target.ts";
import { remove, startGateway, temporaryDirectory } from "../../../../bench/processes.ts";
import { freePort } from "../../../../support/free-port.ts";
import {
  batchOf,
  contextOf,
  deviceOf,
  failureOf,
  neverAborted,
  rowsOf,
} from "../../../../support/uplink-batches.ts";

const ROUNDS = 2;
const BATCHES = 300;
const ROWS = 200;
const FIRST_TS = 1_700_000_000_000;

interface Device {
  readonly deviceId: string;
  readonly credentials: { readonly token: string };
}

test("nothing is lost when the central Lineside is killed in the middle of sending", async () => {
  const directory = temporaryDirectory();
  const port = await freePort();
  const start = () => startGateway(directory, ["--mqtt-port", `${port}`]);
  let central = await start();
  const api = await central.signIn();
  const gateway = await api.post<Device>("/api/devices", {
    name: "site",
    deviceType: "gateway",
    role: "GATEWAY",
  });
  const settings = Value.Default(linesideSettings, {
    type: "LINESIDE",
    url: `mqtt://central.example:${port}`,
    token: gateway.credentials.token,
  }) as LinesideSettings; // as the schema says
  const target = createLinesideTarget(settings, contextOf());
  const devices = [1, 2, 3].map((number) =>
    deviceOf({ deviceId: `0199f6a0-0000-7000-8000-00000000000${number}`, name: `Pump ${number}` }),
  );
  const batches = Array.from({ length: BATCHES }, (_, index) => {
    const ts = Array.from({ length: ROWS }, (_, row) => FIRST_TS + index * ROWS + row);
    return batchOf(`${index}`, ...devices.map((device) => rowsOf(device, ts, { n: ts })));
  });
  const killAt = new Set(
    Array.from({ length: ROUNDS }, (_, round) => Math.floor(((round + 0.5) * BATCHES) / ROUNDS)),
  );
  let failures = 0;
  for (const [index, batch] of batches.entries()) {
    let sending = failureOf(target.send(batch, neverAborted()));
    if (killAt.has(index)) {
      await Bun.sleep(0);
      await central.kill("SIGKILL");
      const failure = await sending;
      if (failure.reaction !== "none") expect(failure.reaction).toBe("retry");
      expect((await failureOf(target.send(batch, neverAborted()))).reaction).toBe("retry");
      central = await start();
      failures++;
      sending = failureOf(target.send(batch, neverAborted()));
    }
    expect(await sending).toEqual({ reaction: "none", message: "" });
  }
  expect(failures).toBe(ROUNDS);
  await target.close();
  const client = await central.signIn();
  const children = await client.get<{ deviceId: string }[]>(`/api/devices/${gateway.deviceId}/children`);
  expect(children.length).toBe(devices.length);
  for (const { deviceId } of children) {
    const path = `/api/devices/${deviceId}/telemetry/range?keys=n&aggregation=none&maxDataPoints=100000&from=${FIRST_TS}&to=${FIRST_TS + BATCHES * ROWS}`;
    type Answer = { data: { series: { points: { ts: number; value: number }[] }[] }[] };
    const { data } = await client.get<Answer>(path);
    const points = data[0]?.series[0]?.points ?? [];
    expect(points.length).toBe(BATCHES * ROWS);
    expect(points.every(({ ts, value }, index) => ts === FIRST_TS + index && value === ts)).toBe(true);
  }
  await central.kill("SIGTERM");
  remove(directory);
});
