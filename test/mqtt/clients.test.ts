import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAsync, type IClientOptions } from "mqtt";
import type { DeviceId } from "../../src/lib/core/ids.ts";
import { until } from "../support/until.ts";
import { serverPerTest } from "./running.ts";
import { serveWebSocket } from "./websocket.ts";

const start = serverPerTest();
const telemetry = "v1/devices/me/telemetry";
const attributes = "v1/devices/me/attributes";
const deviceId = "device-token" as DeviceId;

const open = (url: string, options: IClientOptions) =>
  connectAsync(url, { username: "token", reconnectPeriod: 0, connectTimeout: 4_000, ...options });

describe.each([
  ["3.1", { protocolVersion: 3 as const, protocolId: "MQIsdp" as const }],
  ["3.1.1", { protocolVersion: 4 as const }],
  ["5", { protocolVersion: 5 as const }],
])("mqtt.js speaking %s", (_name, options) => {
  test("publishes with every QoS and is answered", async () => {
    const { port, ingest } = await start();
    const client = await open(`mqtt://127.0.0.1:${port}`, options);
    for (const qos of [0, 1, 2] as const) await client.publishAsync(telemetry, `{"q":${qos}}`, { qos });
    await until(() => ingest.taken.length === 3, "three messages");
    expect(ingest.taken.map(({ body }) => body)).toEqual(['{"q":0}', '{"q":1}', '{"q":2}']);
    await client.endAsync();
  });

  test("subscribes and receives", async () => {
    const { port, server } = await start();
    const client = await open(`mqtt://127.0.0.1:${port}`, options);
    const received: string[] = [];
    client.on("message", (topic, payload) => received.push(`${topic} ${payload}`));
    await client.subscribeAsync([attributes, "v1/devices/me/rpc/request/+"], { qos: 1 });
    await server.publishToDevice(deviceId, attributes, Buffer.from("{}"), 1);
    await server.publishToDevice(deviceId, "v1/devices/me/rpc/request/4", Buffer.from("[]"), 0);
    await until(() => received.length === 2, "both messages");
    expect(received.toSorted()).toEqual([`${attributes} {}`, "v1/devices/me/rpc/request/4 []"]);
    await client.endAsync();
  });

  test("does the same over a WebSocket", async () => {
    const { server, ingest } = await start();
    const http = serveWebSocket(server);
    const client = await open(`ws://127.0.0.1:${http.port}/mqtt`, options);
    const received: string[] = [];
    client.on("message", (topic) => received.push(topic));
    await client.subscribeAsync(attributes, { qos: 1 });
    await client.publishAsync(telemetry, "{}", { qos: 2 });
    await server.publishToDevice(deviceId, attributes, Buffer.from("x".repeat(20_000)), 1);
    await until(() => received.length === 1, "the message");
    expect(ingest.taken.length).toBe(1);
    await client.endAsync();
    await until(() => server.stats().connections === 0, "the disconnect");
    await http.stop(true);
  });

  test("is refused with a wrong token", async () => {
    const { port } = await start();
    const attempt = open(`mqtt://127.0.0.1:${port}`, { ...options, username: "wrong" });
    await expect(attempt).rejects.toThrow();
  });
});

const openssl = Bun.which("openssl");
if (openssl === null && process.env.CI) throw new Error("openssl must be installed in CI");

test.skipIf(openssl === null)("a client connects over TLS", async () => {
  const home = mkdtempSync(join(tmpdir(), "lineside-tls-"));
  const [cert, key] = [join(home, "cert.pem"), join(home, "key.pem")];
  const request = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-days",
    "2",
  ];
  await run("openssl", ...request, "-subj", "/CN=localhost", "-keyout", key, "-out", cert);
  const pair = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  const tls = { port: 0, pair: () => pair };
  rmSync(home, { recursive: true, force: true });
  const { server, ingest } = await start({ tls });
  const client = await open(`mqtts://127.0.0.1:${server.tlsPort}`, { rejectUnauthorized: false });
  await client.publishAsync(telemetry, "x".repeat(50_000), { qos: 1 });
  expect(ingest.taken.length).toBe(1);
  await client.endAsync();
});

const tools = Bun.which("mosquitto_pub") !== null && Bun.which("mosquitto_sub") !== null;
if (!tools && process.env.CI) throw new Error("mosquitto_pub and mosquitto_sub must be installed in CI");

const run = async (command: string, ...args: string[]) => {
  const child = Bun.spawn([command, ...args], { stdout: "pipe", stderr: "pipe" });
  const [out, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { out, errors, code };
};

describe.skipIf(!tools).each(["mqttv31", "mqttv311", "mqttv5"])(
  "mosquitto clients speaking %s",
  (version) => {
    const common = (port: number) => [
      "-h",
      "127.0.0.1",
      "-p",
      `${port}`,
      "-u",
      "token",
      "-V",
      version,
      "-i",
      "m",
    ];

    test("publish with every QoS", async () => {
      const { port, ingest } = await start();
      for (const qos of ["0", "1", "2"]) {
        const { code, errors } = await run(
          "mosquitto_pub",
          ...common(port),
          "-t",
          telemetry,
          "-m",
          "{}",
          "-q",
          qos,
        );
        expect([code, errors]).toEqual([0, ""]);
      }
      await until(() => ingest.taken.length === 3, "three messages");
    });

    test("receive what was queued while they were away", async () => {
      const { port, server } = await start();
      const args = [...common(port), "-t", attributes, "-q", "1", "-c", "-W", "20"];
      if (version === "mqttv5") args.push("-x", "600");
      expect((await run("mosquitto_sub", ...args, "-E")).code).toBe(0); // ends when it has subscribed
      for (const text of ["one", "two"]) {
        await until(() => server.stats().connections === 0, "the disconnect");
        await server.publishToDevice(deviceId, attributes, Buffer.from(text), 1);
        expect((await run("mosquitto_sub", ...args, "-C", "1")).out).toBe(`${text}\n`);
      }
    });

    test("are told that a subscription is not allowed", async () => {
      const { port } = await start();
      const { errors } = await run("mosquitto_sub", ...common(port), "-t", "#", "-W", "1");
      expect(errors).toMatch(/denied|rejected|not authori/i);
    });
  },
);
