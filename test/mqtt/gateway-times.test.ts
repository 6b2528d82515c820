import { expect, test } from "bun:test";
import { GatewayClient } from "./gateway-client.ts";
import { child, createGateway, fixture, fresh, get, rejections, useGateways } from "./gateway-fixture.ts";

useGateways();

test("a child whose clock is not set has its values now, with a note on the child", async () => {
  const gateway = await createGateway();
  const name = fresh();
  const connection = await GatewayClient.connect(fixture, gateway, { version: 5 });
  await connection.say("telemetry", { [name]: { on: true } });
  const before = Date.now();
  expect(await connection.say("telemetry", { [name]: [{ ts: 86_400_000, values: { level: 9 } }] })).toBe(0);
  const { deviceId } = await child(gateway, name);
  const { data } = await get(`/api/devices/${deviceId}/telemetry/range?from=0&to=${Date.now()}&keys=level`);
  expect(data[0].series[0].points).toEqual([{ ts: expect.any(Number), value: 9 }]);
  expect(data[0].series[0].points[0].ts).toBeGreaterThanOrEqual(before);
  expect(await rejections(deviceId)).toMatchObject([
    { code: "telemetry.ts_replaced", where: "v1/gateway/telemetry" },
  ]);
  await connection.end();
});
