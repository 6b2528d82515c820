import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { isStall, STALL_MS_MAX, type StalledGateway, startStalledGateway, TRIES } from "./stall-fixture.ts";

/**
 * No kind of message and no large request holds the event loop for longer than 100 ms of processor time, alone or ten at a time.
 * See `stall.test.ts` for how that is measured.
 */

let gateway: StalledGateway;
const open: MqttClient[] = [];

beforeAll(async () => {
  gateway = await startStalledGateway();
});
afterAll(async () => {
  for (const client of open) await client.endAsync(true);
  gateway.stop();
});

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(gateway.url + path, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${gateway.token}` },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text,
  };
}

async function connect(options: { username: string; password?: string }): Promise<MqttClient> {
  const client = await connectAsync(`mqtt://127.0.0.1:${gateway.mqttPort}`, {
    ...options,
    protocolVersion: 5,
    reconnectPeriod: 0,
  });
  open.push(client);
  return client;
}

let count = 0;

async function createGatewayDevice(): Promise<{ deviceId: string; client: MqttClient }> {
  const { body } = await call("POST", "/api/devices", {
    name: `parent ${++count}`,
    deviceType: "gateway",
    role: "GATEWAY",
  });
  return { deviceId: body.deviceId, client: await connect({ username: body.credentials.token }) };
}

/** Runs something alone and ten at a time, and returns the stalls that it has caused. What `prepare` does is not measured. */
async function stallsOf<Prepared>(
  name: string,
  work: (round: number, prepared: Prepared) => Promise<unknown>,
  prepare: () => Promise<Prepared> | undefined = () => undefined,
): Promise<string[]> {
  const stalls: string[] = [];
  for (const atOnce of [1, 10]) {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < TRIES && least > STALL_MS_MAX; attempt++) {
      const prepared: Prepared[] = [];
      for (let index = 0; index < atOnce; index++) prepared.push((await prepare()) as Prepared);
      await gateway.longestTurn();
      await Promise.all(prepared.map((each) => work(++count, each)));
      least = Math.min(least, await gateway.longestTurn());
    }
    if (isStall(least)) stalls.push(`${name}, ${atOnce} at once: ${least.toFixed(0)} ms`);
  }
  return stalls;
}

const childrenOf = (round: number, values: unknown) =>
  JSON.stringify(
    Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`c${round}-${index}`, values])),
  );

type Parent = Awaited<ReturnType<typeof createGatewayDevice>>;

test("messages of gateways with 1,000 new children", async () => {
  const publish =
    (topic: string, values: unknown) =>
    (round: number, { client }: Parent) =>
      client.publishAsync(topic, childrenOf(round, values), { qos: 1 });
  const telemetry = publish("v1/gateway/telemetry", [{ t: 1 }]);
  expect(await stallsOf("telemetry", telemetry, createGatewayDevice)).toEqual([]);
  const attributes = publish("v1/gateway/attributes", { t: 1 });
  expect(await stallsOf("attributes", attributes, createGatewayDevice)).toEqual([]);
}, 240_000);

test("deletions of gateways with 5,000 children", async () => {
  const prepare = async () => {
    const parent = await createGatewayDevice();
    for (let message = 0; message < 5; message++)
      await parent.client.publishAsync("v1/gateway/telemetry", childrenOf(++count, [{ t: 1 }]), { qos: 1 });
    return parent;
  };
  const remove = async (_: number, { deviceId }: Parent) =>
    expect((await call("DELETE", `/api/devices/${deviceId}`)).status).toBe(200);
  expect(await stallsOf("deletion", remove, prepare)).toEqual([]);
}, 300_000);

test("imports of 5,000 devices", async () => {
  const rows = (round: number) =>
    JSON.stringify({
      rows: Array.from({ length: 5_000 }, (_, index) => ({
        name: `i${round}-${index}`,
        deviceType: "sensor",
      })),
    });
  const importRows = async (round: number) =>
    expect((await call("POST", "/api/devices/bulk/import", rows(round))).status).toBe(201);
  expect(await stallsOf("import", importRows)).toEqual([]);
}, 240_000);

test("states whose announcements ask for much work", async () => {
  const { body } = await call("POST", "/api/mqtt/clients", {
    name: "announcing",
    signIn: "PASSWORD",
    username: "announcing",
    publish: ["#"],
  });
  const integration = await call("POST", "/api/integrations", {
    name: "discovered",
    type: "MQTT",
    status: "active",
    settings_json: {
      format: "home-assistant",
      autoCreateDevice: true,
      mqtt: { brokerUrl: "local:", topicFilter: "homeassistant/#" },
    },
  });
  const client = await connect({ username: "announcing", password: body.password });
  const template = (index: number) =>
    `{{ value|replace('a','${index}')|replace('b','a')|upper|lower|upper }}`;
  const announce = (device: number) => {
    const cmps = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [
        `c${index}`,
        { p: "sensor", unique_id: `u${index}`, stat_t: `st/${device}`, val_tpl: template(index) },
      ]),
    );
    const announcement = { dev: { ids: [`heavy${device}`] }, o: { name: "x" }, cmps };
    return client.publishAsync(`homeassistant/device/heavy${device}/config`, JSON.stringify(announcement), {
      qos: 1,
      retain: true,
    });
  };
  expect(await stallsOf("announcement", (round) => announce(round % 4))).toEqual([]);
  for (let device = 0; device < 4; device++) await announce(device);
  for (const bytes of [100, 8_000, 60_000]) {
    const state = (round: number) =>
      client.publishAsync(`st/${round % 4}`, "ab".repeat(bytes / 2), { qos: 1 });
    expect(await stallsOf(`state of ${bytes} bytes`, state)).toEqual([]);
  }
  const path = `/api/integrations/${integration.body.integrationId}/events?limit=100`;
  const codes = (await call("GET", path)).body.map(({ code }: { code: string }) => code);
  expect(codes).toContain("message.too_much_work");
  expect(codes).toContain("integration_event.stored");
}, 240_000);
