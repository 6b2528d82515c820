/**
 * Clients that send nonsense: MQTT packets and HTTP requests, valid ones spoiled at random, under valid and invalid credentials. A
 * process of its own; prints one JSON line at its end.
 *
 * Arguments: MQTT port, HTTP port, a file of user names separated by commas, seconds, seed.
 */

import { encode } from "cbor-x";
import { generate, type Packet } from "mqtt-packet";
import { createRandom } from "../../src/lib/data/random.ts";
import { mutate } from "./mutations.ts";

export interface FuzzResult {
  readonly packets: number;
  readonly connections: number;
  readonly requests: number;
  /** Answers by their status. */
  readonly responses: Record<string, number>;
  readonly refusedConnections: number;
}

const [mqttPort = "0", httpPort = "0", usersFile = "", secondsText = "10", seed = "1"] =
  process.argv.slice(2);
const users = (await Bun.file(usersFile).text()).split(",");
const random = createRandom(Number(seed));
const endsAt = performance.now() + Number(secondsText) * 1_000;
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item; // none is empty
/** Connections at once, of each protocol. */
const AT_ONCE = 12;
const PACKETS_PER_CONNECTION = 200;
const CONNECTION_MS_MAX = 2_000;

const result = {
  packets: 0,
  connections: 0,
  requests: 0,
  responses: {} as Record<string, number>,
  refused: 0,
};

const bodies: Uint8Array[] = [
  { temperature: 21.5, ok: true, mode: "eco", nested: { a: [1, null, { b: 2 }] } },
  { ts: 1_700_000_000_000, values: { a: 1 } },
  [{ ts: "2026-01-01T00:00:00Z", values: { a: -0.5 } }, { b: 1e300 }],
  { payload: { c: 12345678901234567890n.toString() } },
  { sharedKeys: "a,b", clientKeys: "" },
  { device: "child", data: { id: 5, method: "x", params: {} } },
  { childA: [{ ts: 1_700_000_000_000, values: { a: 1 } }, { b: 2 }], childB: { c: 3 } },
  { deviceName: "new", provisionDeviceKey: "key", provisionDeviceSecret: "secret" },
  { method: "getSessionLimits", params: {} },
].flatMap((body) => [Buffer.from(JSON.stringify(body)), Buffer.from(encode(body))]);

const topics = [
  "v1/devices/me/telemetry",
  "v1/devices/me/attributes",
  "v1/devices/me/attributes/request/1",
  "v1/devices/me/rpc/request/2",
  "v1/devices/me/rpc/response/3",
  "v2/t",
  "v2/a",
  "v2/r/res/4",
  "v1/gateway/telemetry",
  "v1/gateway/attributes",
  "v1/gateway/attributes/request",
  "v1/gateway/connect",
  "v1/gateway/disconnect",
  "v1/gateway/rpc",
  "/provision/request",
  "lineside/devices/x/telemetry",
  "$SYS/broker",
];
const filters = ["v1/devices/me/#", "v1/devices/me/rpc/request/+", "v2/a", "v1/gateway/+", "#", "$share/g/#"];

function packetsOf(version: 3 | 4 | 5): Uint8Array[] {
  const publishes: Packet[] = topics.flatMap((topic) =>
    bodies.map((payload, index) => ({
      cmd: "publish" as const,
      topic,
      payload: Buffer.from(payload),
      qos: (index % 3) as 0 | 1 | 2,
      messageId: index + 1,
      retain: index % 7 === 0,
      dup: false,
    })),
  );
  const others: Packet[] = [
    ...([1, 2, 3, 4] as const).map((messageId) => ({ cmd: "pubrel" as const, messageId })),
    ...([1, 2, 3, 4] as const).map((messageId) => ({ cmd: "puback" as const, messageId })),
    { cmd: "pubrec", messageId: 4 },
    { cmd: "pubcomp", messageId: 4 },
    { cmd: "subscribe", messageId: 5, subscriptions: filters.map((topic) => ({ topic, qos: 1 as const })) },
    { cmd: "unsubscribe", messageId: 6, unsubscriptions: filters },
    { cmd: "pingreq" },
    { cmd: "disconnect" },
  ];
  return [...publishes, ...others, ...others, ...others].map((packet) =>
    generate(packet, { protocolVersion: version }),
  );
}
const existing = { 3: packetsOf(3), 4: packetsOf(4), 5: packetsOf(5) };

function connectBytes(version: 3 | 4 | 5): Uint8Array {
  return generate(
    {
      cmd: "connect",
      protocolId: version === 3 ? "MQIsdp" : "MQTT",
      protocolVersion: version,
      clientId: `fuzz-${Math.floor(random() * 50)}`,
      clean: random() < 0.7,
      keepalive: 30,
      username: random() < 0.95 ? pick(users) : "nobody",
      ...(random() < 0.1 && {
        will: { topic: "v1/devices/me/telemetry", payload: Buffer.from("{"), qos: 1 as const, retain: false },
      }),
    },
    { protocolVersion: version },
  );
}

async function mqttClient(): Promise<void> {
  const version = pick([3, 4, 4, 5, 5] as const);
  const { promise, resolve } = Promise.withResolvers<void>();
  let closed = false;
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(mqttPort),
    socket: {
      data() {},
      close() {
        closed = true;
        resolve();
      },
      error() {},
    },
  }).catch(() => undefined);
  if (socket === undefined) {
    result.refused++;
    await Bun.sleep(20);
    return;
  }
  result.connections++;
  const connect = connectBytes(version);
  socket.write(random() < 0.95 ? connect : mutate(connect, random));
  const limit = performance.now() + CONNECTION_MS_MAX;
  for (let count = 0; count < PACKETS_PER_CONNECTION && !closed && performance.now() < limit; count += 20) {
    const subset = Array.from({ length: 20 }, () => {
      const packet = pick(existing[version]);
      return random() < 0.3 ? mutate(packet, random) : packet;
    });
    result.packets += subset.length;
    socket.write(Buffer.concat(subset));
    await Bun.sleep(0);
  }
  if (random() < 0.5) socket.end();
  else socket.terminate();
  await promise;
}

const paths = () => {
  const token = pick(users);
  return pick([
    `/api/v1/${token}/telemetry`,
    `/api/v1/${token}/telemetry/batch`,
    `/api/v1/${token}/attributes`,
    `/api/v1/${token}/attributes/flat?scope=SHARED&keys=a`,
    `/api/v1/${token}/rpc/1`,
    `/api/v1/provision`,
    "/api/auth/exchange",
    "/api/auth/signup",
    "/idp/authorize",
    "/api/devices?limit=1&sort=-name",
    "/api/v1/telemetry/query",
    "/mqtt",
    "/api/ws",
    "/%00%ff/../etc",
  ]);
};

function requestBytes(): Uint8Array {
  const method = pick(["POST", "POST", "POST", "GET", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"]);
  const whole = pick(bodies);
  const body = random() < 0.5 ? mutate(whole, random) : whole;
  const type = pick([
    "application/json",
    "application/cbor",
    "text/plain",
    "multipart/form-data; boundary=x",
    "",
  ]);
  const head = [
    `${method} ${paths()} HTTP/1.1`,
    "Host: 127.0.0.1",
    ...(type === "" ? [] : [`Content-Type: ${type}`]),
    `Content-Length: ${random() < 0.95 ? body.length : Math.floor(random() * 1e9)}`,
    ...(random() < 0.1 ? ["Authorization: Bearer x.y.z"] : []),
    ...(random() < 0.05 ? ["Upgrade: websocket", "Connection: Upgrade"] : ["Connection: keep-alive"]),
  ].join("\r\n");
  const bytes = Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]);
  return random() < 0.2 ? mutate(bytes, random) : bytes;
}

const HTTP_WAIT_MS = 200;
const REQUESTS_PER_CONNECTION = 50;

async function httpClient(): Promise<void> {
  let answered: () => void = () => undefined;
  let closed = false;
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(httpPort),
    socket: {
      data(_, bytes) {
        for (const [, digit = "?"] of Buffer.from(bytes)
          .toString("latin1")
          .matchAll(/HTTP\/1\.1 (\d)\d\d /g))
          result.responses[digit] = (result.responses[digit] ?? 0) + 1;
        answered();
      },
      close() {
        closed = true;
        answered();
      },
      error() {},
    },
  }).catch(() => undefined);
  if (socket === undefined) {
    result.refused++;
    await Bun.sleep(20);
    return;
  }
  for (let count = 0; count < REQUESTS_PER_CONNECTION && !closed; count++) {
    const { promise, resolve } = Promise.withResolvers<void>();
    answered = resolve;
    result.requests++;
    socket.write(requestBytes());
    const timer = setTimeout(resolve, HTTP_WAIT_MS);
    await promise;
    clearTimeout(timer);
  }
  socket.terminate();
}

const until = async (work: () => Promise<void>) => {
  while (performance.now() < endsAt) await work();
};
await Promise.all(Array.from({ length: AT_ONCE }, () => [until(mqttClient), until(httpClient)]).flat());
const { packets, connections, requests, responses, refused } = result;
console.log(
  JSON.stringify({
    packets,
    connections,
    requests,
    responses,
    refusedConnections: refused,
  } satisfies FuzzResult),
);
process.exit(0);
