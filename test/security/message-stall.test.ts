import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { int, payload } from "../modules/integrations/adapters/sparkplug-writer.ts";
import {
  callGateway,
  type StalledGateway,
  stallsOf as stallsIn,
  startStalledGateway,
} from "./stall-fixture.ts";

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

const call = (method: string, path: string, body?: unknown) => callGateway(gateway, method, path, body);

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
const stallsOf = <Prepared>(
  name: string,
  work: (round: number, prepared: Prepared) => Promise<unknown>,
  prepare: () => Promise<Prepared> | undefined = () => undefined,
): Promise<string[]> =>
  stallsIn(gateway, { name, counts: [1, 10] }, async (atOnce) => {
    const prepared: Prepared[] = [];
    for (let index = 0; index < atOnce; index++) prepared.push((await prepare()) as Prepared);
    return () => Promise.all(prepared.map((each) => work(++count, each)));
  });

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
});

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
});

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
});

/** A client of the broker that may publish everything. */
async function connectClient(username: string): Promise<MqttClient> {
  const { body } = await call("POST", "/api/mqtt/clients", {
    ...{ name: username, signIn: "PASSWORD", username, publish: ["#"], messagesPerSecond: 10_000 },
  });
  return connect({ username, password: body.password });
}

async function createIntegration(
  format: string,
  topicFilter: string,
  settings: object = {},
): Promise<string> {
  const { body } = await call("POST", "/api/integrations", {
    ...{ name: format, type: "MQTT", status: "active" },
    settings_json: {
      format,
      autoCreateDevice: true,
      mqtt: { brokerUrl: "local:", topicFilter },
      ...settings,
    },
  });
  return body.integrationId;
}

const codesOf = async (integrationId: string): Promise<string[]> =>
  (await call("GET", `/api/integrations/${integrationId}/events?limit=100`)).body.map(
    ({ code }: { code: string }) => code,
  );

test("states whose announcements ask for much work", async () => {
  const integrationId = await createIntegration("home-assistant", "homeassistant/#");
  const client = await connectClient("announcing");
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
  const codes = await codesOf(integrationId);
  expect(codes).toContain("message.too_much_work");
  expect(codes).toContain("integration_event.stored");
});

test("births and data of Sparkplug with as many metrics as fit into a message", async () => {
  const integrationId = await createIntegration("sparkplug", "spBv1.0/#");
  const client = await connectClient("sparkplug");
  const metrics = (value: number, isNamed: boolean) =>
    Array.from({ length: isNamed ? 1_800 : 4_000 }, (_, index) => ({
      ...(isNamed && { name: `tag ${index}` }),
      ...{ alias: index % 1_800, type: 3, value: int(value) },
    }));
  const publish = (type: string, node: number, body: Uint8Array) =>
    client.publishAsync(`spBv1.0/plant/${type}/node${node}`, Buffer.from(body), { qos: 1 });
  const birth = (round: number) => publish("NBIRTH", round, payload(metrics(round, true), { seq: 0 }));
  expect(await stallsOf("birth", birth)).toEqual([]);
  await publish("NBIRTH", 0, payload(metrics(1, true), { seq: 0 }));
  let seq = 0;
  const data = (round: number) => publish("NDATA", 0, payload(metrics(round, false), { seq: ++seq % 256 }));
  expect(await stallsOf("data", data)).toEqual([]);
  expect(await codesOf(integrationId)).toContain("integration_event.stored");
});

test("messages of generic integrations for 1,000 new devices", async () => {
  const integrationId = await createIntegration("generic", "plant/#", {
    paths: { items: "items", deviceId: "id", telemetry: "values" },
  });
  const client = await connectClient("generic");
  const items = (round: number) => ({
    items: Array.from({ length: 1_000 }, (_, index) => ({ id: `g${round}-${index}`, values: { a: index } })),
  });
  const publish = (round: number) =>
    client.publishAsync("plant/all", JSON.stringify(items(round)), { qos: 1 });
  expect(await stallsOf("items", publish)).toEqual([]);
  expect(await codesOf(integrationId)).toContain("integration_event.stored");
});

test("line protocol and batches of devices", async () => {
  const [device] = gateway.deviceTokens;
  const lines = Array.from(
    { length: 60_000 },
    (_, index) => `m,host=a a=${index}.5 ${1_767_268_800_000 + index}`,
  );
  const write = async () => {
    const response = await fetch(`${gateway.url}/write?precision=ms`, {
      method: "POST",
      body: lines.join("\n"),
      headers: { authorization: `Bearer ${device}` },
    });
    expect(response.status).toBe(204);
  };
  expect(await stallsOf("lines", write)).toEqual([]);
  const readings = (count: number) =>
    JSON.stringify(
      Array.from({ length: count }, (_, index) => ({ ts: 1_767_268_800_000 + index, values: { a: index } })),
    );
  const client = await connect({ username: device });
  const publish = () => client.publishAsync("v1/devices/me/telemetry", readings(1_500), { qos: 1 });
  expect(await stallsOf("readings of 60 KB", publish)).toEqual([]);
  const large = readings(100_000);
  const send = async () => {
    const { status } = await call("POST", `/api/v1/${device}/telemetry`, large);
    expect([200, 413]).toContain(status);
  };
  expect(await stallsOf("readings of 5 MB", send)).toEqual([]);
});

test("messages whose pipelines ask for much work", async () => {
  const steps = Array.from({ length: 50 }, (_, index) => ({
    ...{ type: "string_transform", keys: ["*"], operation: "replace" },
    ...{ search: index % 2 === 0 ? "a" : "b", text: index % 2 === 0 ? "b" : "a" },
  }));
  const { body } = await call("POST", "/api/data-pipelines", { name: "heavy", steps });
  expect((await call("POST", `/api/data-pipelines/${body.pipelineId}/start`)).status).toBe(200);
  const [device] = gateway.deviceTokens;
  const client = await connect({ username: device });
  const values = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`key${index}`, "a".repeat(100)]),
  );
  const publish = () => client.publishAsync("v1/devices/me/telemetry", JSON.stringify(values), { qos: 1 });
  expect(await stallsOf("pipeline", publish)).toEqual([]);
  const pipeline = (await call("GET", `/api/data-pipelines/${body.pipelineId}`)).body;
  expect(pipeline.stats.in).toBeGreaterThanOrEqual(11);
  await call("POST", `/api/data-pipelines/${body.pipelineId}/pause`);
});

test("messages whose alarm rules look through long texts", async () => {
  // The dearest text to look for: nearly there at every place.
  const value = `${"n".repeat(198)}mo`;
  const any = Array.from({ length: 150 }, () => ({ key: "text", op: "CONTAINS", value }));
  const alarmRules = Array.from({ length: 20 }, (_, rule) => ({
    alarmType: `text ${rule}`,
    createRules: [{ severity: "MAJOR", condition: { any } }],
  }));
  const profile = await call("POST", "/api/device-profiles", { name: "texts", alarmRules });
  expect(profile.status).toBe(201);
  const { body } = await call("POST", "/api/devices", {
    ...{ name: "text device", deviceType: "text", profileId: profile.body.profileId },
  });
  const client = await connect({ username: body.credentials.token });
  const text = (round: number) => JSON.stringify({ text: `${"n".repeat(60_000)}${round}` });
  const publish = (round: number) => client.publishAsync("v1/devices/me/telemetry", text(round), { qos: 1 });
  expect(await stallsOf("alarm rules", publish)).toEqual([]);
});

const floodRules = (count: number) =>
  Array.from({ length: count }, (_, rule) => ({
    alarmType: `flapping ${rule}`,
    createRules: [
      { severity: "MAJOR", condition: { key: "level", op: "GT", value: 1 }, message: "x".repeat(900) },
    ],
    clearRule: { condition: { key: "level", op: "LE", value: 1 } },
  }));

async function postTelemetry(token: string, body: unknown): Promise<void> {
  const headers = { "content-type": "application/json" };
  const path = `/api/v1/${token}/telemetry`;
  const request = { method: "POST", headers, body: JSON.stringify(body) };
  expect((await fetch(gateway.url + path, request)).status).toBe(200);
}

async function createFlapping(profileId: string): Promise<string> {
  const { body } = await call("POST", "/api/devices", {
    ...{ name: `flapping ${++count}`, deviceType: "flapping", profileId },
  });
  await postTelemetry(body.credentials.token, { level: 2 });
  return body.credentials.token;
}

test.each([
  ["a short message", 100, [1, 40], () => ({ level: 0 })],
  [
    "a message of many readings",
    20,
    [1, 4],
    (now: number) =>
      Array.from({ length: 401 }, (_, index) => ({ ts: now + index, values: { level: (index % 2) * 2 } })),
  ],
])("%s over HTTP that raises and clears alarms again and again", async (name, rules, counts, body) => {
  const profile = await call("POST", "/api/device-profiles", { name, alarmRules: floodRules(rules) });
  expect(profile.status).toBe(201);
  const stalls = await stallsIn(gateway, { name, counts }, async (atOnce) => {
    const tokens: string[] = [];
    while (tokens.length < atOnce) tokens.push(await createFlapping(profile.body.profileId));
    return () => Promise.all(tokens.map((token) => postTelemetry(token, body(Date.now()))));
  });
  expect(stalls).toEqual([]);
});

/** Bodies of 64 KB that take long to refuse, unless the work is proportional to their length. */
const hostileBodies = {
  "strings that do not end": '"\\'.repeat(32_000),
  "single quotes that do not end": "'\\".repeat(32_000),
  "comments that do not end": "/* ".repeat(21_000),
  "deep lists": "[".repeat(32_000) + "]".repeat(32_000),
  "deep lists around no number": `${"[".repeat(31_000)}nan${"]".repeat(31_000)}`,
  "deep objects": '{"a":[[['.repeat(8_000),
};

test("bodies made to slow down their reader, from devices and from anybody", async () => {
  const [device] = gateway.deviceTokens;
  const client = await connect({ username: device });
  for (const [name, body] of Object.entries(hostileBodies)) {
    const provision = async () =>
      expect(["FAILURE", undefined]).toContain((await call("POST", "/api/v1/provision", body)).body.status);
    expect(await stallsOf(`${name} to provision`, provision)).toEqual([]);
    const send = async () =>
      expect((await call("POST", `/api/v1/${device}/telemetry`, body)).status).toBe(400);
    expect(await stallsOf(`${name} over HTTP`, send)).toEqual([]);
    const publish = () => client.publishAsync("v1/devices/me/attributes", body, { qos: 0 });
    expect(await stallsOf(`${name} over MQTT`, publish)).toEqual([]);
  }
});

const cborHead = (major: number, size: number): Buffer =>
  Buffer.from([(major << 5) | 26, size >>> 24, (size >> 16) & 0xff, (size >> 8) & 0xff, size & 0xff]);

/** CBOR whose names are decimal fractions of maps with such names. */
function cborOfNestedNames(): Buffer<ArrayBuffer> {
  let name = Buffer.concat([Buffer.from([0xc4, 0x82, 0x01]), cborHead(4, 60_000), Buffer.alloc(60_000)]);
  for (let level = 0; level < 80; level++)
    name = Buffer.concat([Buffer.from([0xc4, 0x82, 0x01, 0xa2]), name, Buffer.from([0, 0x61, 0x61, 0])]);
  return Buffer.concat([Buffer.from([0xa2]), name, Buffer.from([0, 0x61, 0x61, 0])]);
}

test("CBOR of 64 KB that takes long to look through", async () => {
  const [device] = gateway.deviceTokens;
  const client = await connect({ username: device });
  const bytes = Buffer.concat([Buffer.from([0xa1, 0x61, 0x61]), cborHead(2, 65_000), Buffer.alloc(65_000)]);
  for (const [name, body] of Object.entries({ names: cborOfNestedNames(), bytes })) {
    const send = async () => {
      const headers = { "content-type": "application/cbor" };
      const url = `${gateway.url}/api/v1/${device}/telemetry`;
      const response = await fetch(url, { method: "POST", body, headers });
      await response.arrayBuffer();
      expect([200, 400]).toContain(response.status);
    };
    expect(await stallsOf(`${name} over HTTP`, send)).toEqual([]);
    const publish = () => client.publishAsync("v1/devices/me/attributes", body, { qos: 0 });
    expect(await stallsOf(`${name} over MQTT`, publish)).toEqual([]);
  }
});

test("messages of integrations that seem to have thousands of overlapping tokens", async () => {
  const integrationId = await createIntegration("generic", "tokens/#");
  const client = await connectClient("tokens");
  const field = Buffer.from("kdeviceToken\x79\xff\xff", "latin1");
  const body = Buffer.concat(Array.from({ length: 4_000 }, () => field));
  const publish = () => client.publishAsync("tokens/all", body, { qos: 1 });
  expect(await stallsOf("tokens", publish)).toEqual([]);
  expect((await codesOf(integrationId)).length).toBeGreaterThan(0);
});

test("files with rows of very many columns", async () => {
  const { body: devices } = await call("GET", "/api/devices?limit=1");
  const files = {
    "of one row": ",".repeat(3_000_000),
    "of one row with quotes": `"a"${",".repeat(3_000_000)}`,
    "of many rows": `name\n${`${"a,".repeat(900)}\n`.repeat(1_500)}`,
  };
  for (const [name, file] of Object.entries(files))
    for (const path of ["bulk/validate", `${devices[0].deviceId}/telemetry/import`]) {
      const send = async () => {
        const response = await fetch(`${gateway.url}/api/devices/${path}`, {
          method: "POST",
          headers: { "content-type": "text/csv", authorization: `Bearer ${gateway.token}` },
          body: file,
        });
        await response.arrayBuffer();
        expect([200, 201, 400, 503]).toContain(response.status);
      };
      expect(await stallsOf(`${path} ${name}`, send)).toEqual([]);
    }
});
