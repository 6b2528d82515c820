import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const LIMIT_BYTES = 64 * 1024;

let fixture: TestApp;
let owner: { token: string };
let device: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp();
  owner = await fixture.signIn("TENANT_OWNER");
  device = await fixture.createDevice(owner.token);
});
afterAll(() => fixture.stop());

const post = (body: unknown, kind = "telemetry/batch") =>
  fixture.call("POST", `/api/v1/${device.token}/${kind}`, { body });
const batch = (value: unknown) => ({ items: [{ ts: 1_700_000_000_000, telemetry: { log: value, a: 1 } }] });

test.each([
  ["a text", "x".repeat(LIMIT_BYTES + 1)],
  ["a text of characters that take three bytes each", "€".repeat(LIMIT_BYTES / 3 + 1)],
  ["an object", { text: "x".repeat(LIMIT_BYTES) }],
])("%s of more than 64 KiB is refused by name, in telemetry and in attributes", async (_, value) => {
  const refused = await post(batch(value));
  expect([refused.status, refused.body.message]).toEqual([413, 'The value of "log" is longer than 64 KiB.']);
  const rejections = await fixture.call("GET", `/api/devices/${device.deviceId}/rejections`, {
    token: owner.token,
  });
  // Of two entries of the same millisecond, either may be the first.
  const [newest] = rejections.body.filter(({ where }: { where: string }) => where === "/telemetry/batch");
  expect(newest).toMatchObject({ code: "telemetry.value_too_large" });
  expect((await post({ log: value }, "attributes")).status).toBe(400);
});

test("a text of just 64 KiB is stored as it is", async () => {
  const text = "x".repeat(LIMIT_BYTES);
  expect((await post(batch(text))).status).toBe(200);
  const { body } = await fixture.call("GET", `/api/devices/${device.deviceId}/telemetry/latest`, {
    token: owner.token,
  });
  expect(body.values.log).toBe(text);
});

test("an import lists the row and goes on with the others", async () => {
  const rows = [
    { ts: 1, log: "x".repeat(LIMIT_BYTES + 1) },
    { ts: 2, log: "short" },
  ];
  const { status, body } = await fixture.call("POST", `/api/devices/${device.deviceId}/telemetry/import`, {
    token: owner.token,
    raw: rows
      .map((row) => JSON.stringify({ ts: 1_700_000_000_000 + row.ts, values: { log: row.log } }))
      .join("\n"),
    headers: { "content-type": "application/x-ndjson" },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ points: 1, failed: 1, errors: [{ row: 1 }] });
});

const BYTES_PER_SECOND = 2_000;
const STORED_BYTES = 256 * 1024;

describe("a tenant that sends as much as it can", () => {
  let small: { token: string };
  let limited: TestApp;
  let clock: FakeClock;

  beforeAll(async () => {
    clock = new FakeClock();
    const plans = [
      { id: "slow", limits: { bytesPerSecond: BYTES_PER_SECOND } },
      { id: "small", limits: { storedBytes: STORED_BYTES } },
    ];
    limited = await createTestApp({ clock, config: { plans: JSON.stringify(plans) } });
    small = await limited.signIn("TENANT_OWNER", { tenant: "small", plan: "small" });
  });
  afterAll(() => limited.stop());

  const send = (token: string, body: unknown) => limited.call("POST", `/api/v1/${token}/telemetry`, { body });
  const rejectionsOf = async (deviceId: string, token: string) =>
    (await limited.call("GET", `/api/devices/${deviceId}/rejections`, { token })).body;
  const noise = (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");

  test("is held to the bytes per second of its plan, over HTTP and MQTT, and nobody else is", async () => {
    const slow = await limited.signIn("TENANT_OWNER", { tenant: "slow", plan: "slow" });
    const first = await limited.createDevice(slow.token);
    const second = await limited.createDevice(slow.token);
    expect((await send(first.token, { log: "x".repeat(9 * BYTES_PER_SECOND) })).status).toBe(200);
    const refused = await send(second.token, { log: "x".repeat(2 * BYTES_PER_SECOND) });
    expect([refused.status, refused.body.message]).toEqual([
      429,
      "The plan of this site allows 2000 bytes per second from all devices together.",
    ]);
    expect(refused.headers.get("retry-after")).toBe("2");
    expect((await rejectionsOf(second.deviceId, slow.token))[0]).toMatchObject({ code: "plan.bytes_limit" });
    const client = await connectAsync(`mqtt://127.0.0.1:${limited.app.mqttPort}`, {
      username: first.token,
      protocolVersion: 5,
      reconnectPeriod: 0,
      keepalive: 0,
    });
    const reason = await client
      .publishAsync("v1/devices/me/telemetry", JSON.stringify({ log: "x".repeat(3 * BYTES_PER_SECOND) }), {
        qos: 1,
      })
      .then(
        () => 0,
        (error: { code: number }) => error.code,
      );
    expect(reason).toBe(0x97);
    await client.endAsync();
    const other = await limited.createDevice(small.token);
    expect((await send(other.token, { log: "x".repeat(20 * BYTES_PER_SECOND) })).status).toBe(200);
    clock.advance(3_000);
    expect((await send(second.token, { log: "short" })).status).toBe(200);
  });

  test("is stopped at the stored bytes of its plan, by name, until telemetry is deleted", async () => {
    const greedy = await limited.createDevice(small.token);
    let refused = await send(greedy.token, { n: 1 });
    for (let sent = 0; refused.status === 200 && sent < 20; sent++)
      refused = await send(greedy.token, { ts: clock.now() + sent, values: { log: noise(15_000) } });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      "The telemetry of this site can use at most 0.25 MB of the disk. Delete some, or keep it for fewer days.",
    ]);
    expect((await rejectionsOf(greedy.deviceId, small.token))[0]).toMatchObject({
      code: "telemetry.stored_bytes_limit",
    });
    const neighbour = await limited.signIn("TENANT_OWNER", { tenant: "a neighbour" });
    const theirs = await limited.createDevice(neighbour.token);
    expect((await send(theirs.token, { log: noise(15_000) })).status).toBe(200);

    const range = "from=0&to=8640000000000000";
    await limited.call("DELETE", `/api/devices/${greedy.deviceId}/telemetry?${range}`, {
      token: small.token,
    });
    await limited.app.services.store.compact();
    const counted = async () => {
      clock.advance(10_000);
      const { body } = await limited.call("GET", "/api/tenant/usage", { token: small.token });
      return body.usage.storedBytes < STORED_BYTES / 2;
    };
    await until(counted, "the deleted telemetry is counted");
    expect((await send(greedy.token, { n: 2 })).status).toBe(200);
  });
});

test("the attributes of a scope have a limit together, and their history too", async () => {
  const { deviceId, token } = await fixture.createDevice(owner.token);
  const save = (name: string) =>
    fixture.call("POST", `/api/v1/${token}/attributes`, { body: { [name]: name.padEnd(60_000, "x") } });
  const statuses: number[] = [];
  for (let index = 0; index < 80; index++) statuses.push((await save(`a${index}`)).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(69);
  expect((await save("b")).body.message).toBe(
    "The attributes of one scope of a device can have at most 4 MiB together. Delete some first.",
  );
  // Other values of the same names make no more of them, and the oldest changes go.
  for (let round = 0; round < 60; round++)
    await fixture.call("POST", `/api/v1/${token}/attributes`, {
      body: { a0: `${round}`.padEnd(60_000, "y") },
    });
  const { headers } = await fixture.call("GET", `/api/devices/${deviceId}/attributes/history?limit=1`, {
    token: owner.token,
  });
  expect(Number(headers.get("x-total-count"))).toBeLessThan(100);
});
