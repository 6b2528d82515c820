import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const BURST = 60;

let clock: FakeClock;
let fixture: TestApp;
let owner: string;
let device: { deviceId: string; token: string };

beforeAll(async () => {
  clock = new FakeClock();
  fixture = await createTestApp({ clock });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(owner);
});
afterAll(() => fixture.stop());
beforeEach(() => clock.advance(BURST * 1_000));

const guess = (index: number) => `guess-${index}`.padEnd(27, "x");
const post = (token: string) =>
  fixture.call("POST", `/api/v1/${token}/telemetry`, { body: { temperature: 21 } });

async function connects(username: string): Promise<string> {
  try {
    const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      username,
      reconnectPeriod: 0,
    });
    await client.endAsync();
    return "in";
  } catch (error) {
    return (error as Error).message;
  }
}

test("invalid tokens over HTTP are answered 400 sixty times and 429 afterwards, and a valid one is taken", async () => {
  const statuses: number[] = [];
  for (let index = 0; index < BURST + 5; index++) statuses.push((await post(guess(index))).status);
  expect(statuses).toEqual([...Array(BURST).fill(400), ...Array(5).fill(429)]);
  const refused = await fixture.call("GET", `/api/v1/${guess(1)}/attributes`);
  expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([429, 1]);
  expect((await fixture.call("GET", `/api/v1/${guess(1)}/rpc?timeout=0`)).status).toBe(429);
  expect((await post(device.token)).status).toBe(200);
  clock.advance(1_000);
  expect((await post(guess(1))).status).toBe(400);
});

test("invalid tokens over MQTT count with those over HTTP, and a valid one connects", async () => {
  const first = await connects(guess(0));
  for (let index = 1; index < BURST; index++) await post(guess(index));
  const later = await connects(guess(1));
  expect(first).not.toBe("in");
  expect(later).not.toBe("in");
  expect((await post(guess(2))).status).toBe(429);
  expect(await connects(device.token)).toBe("in");
});

test.each(["short-one", "x".repeat(19)])(
  "a token that a person gives has 20 characters or more: %s",
  async (token) => {
    const body = { name: "short", deviceType: "sensor", token };
    const changed = await fixture.call("PUT", `/api/devices/${device.deviceId}/credentials`, {
      token: owner,
      body: { type: "ACCESS_TOKEN", token },
    });
    expect(changed.status).toBe(400);
    const imported = await fixture.call("POST", "/api/devices/bulk/import", {
      token: owner,
      body: { rows: [body] },
    });
    expect(imported.status).toBe(400);
  },
);
