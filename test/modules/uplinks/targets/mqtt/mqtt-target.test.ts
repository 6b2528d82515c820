import "reflect-metadata";
import { afterEach, describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import type { MqttClient } from "mqtt";
import { decodeBody } from "../../../../../src/lib/json/body.ts";
import type { JsonValue } from "../../../../../src/lib/json/json.ts";
import type { Target, TargetContext } from "../../../../../src/modules/uplinks/target.types.ts";
import {
  type MqttTargetSettings,
  mqttSettings,
} from "../../../../../src/modules/uplinks/targets/mqtt/mqtt.schemas.ts";
import { createMqttTarget } from "../../../../../src/modules/uplinks/targets/mqtt/mqtt.target.ts";
import {
  createAuthority,
  createServerCertificate,
} from "../../../../../src/platform/network/tls-certificates.ts";
import { createClientCertificate } from "../../../../support/client-certificate.ts";
import {
  createMosquitto,
  hasMosquitto,
  type Mosquitto,
  passwordLine,
} from "../../../../support/mosquitto.ts";
import { until } from "../../../../support/until.ts";
import {
  batchOf,
  contextOf,
  deviceOf,
  eventsOf,
  failureOf,
  neverAborted,
  rowsOf,
} from "../../../../support/uplink-batches.ts";

const closing: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function startBroker(options?: Parameters<typeof createMosquitto>[0]): Promise<Mosquitto> {
  const broker = await createMosquitto(options);
  closing.push(() => broker.stop());
  return broker;
}

function openTarget(
  port: number,
  settings: Partial<MqttTargetSettings> = {},
  context: Partial<TargetContext> = {},
): Target {
  const defaults = Value.Default(mqttSettings, {
    type: "MQTT",
    url: `mqtt://broker.example:${port}`,
    ...settings,
  }) as MqttTargetSettings; // as the schema says
  const target = createMqttTarget(defaults, contextOf(context));
  closing.push(() => target.close());
  return target;
}

interface Received {
  readonly topic: string;
  readonly bytes: Uint8Array;
  readonly retain: boolean;
}

async function listen(broker: Mosquitto, filter = "#") {
  const client: MqttClient = await broker.client();
  const received: Received[] = [];
  client.on("message", (topic, bytes, { retain }) => received.push({ topic, bytes, retain }));
  await client.subscribeAsync(filter, { qos: 1 });
  return received;
}

const json = ({ bytes }: Received): JsonValue => JSON.parse(new TextDecoder().decode(bytes));
const device = deviceOf({ name: "Pump 1/left", tags: { line: "3" } });
const root = "lineside/Plant A/Pump 1_left";

describe.skipIf(!hasMosquitto)("an MQTT broker (mosquitto is missing unless this runs)", () => {
  test("gets a message a row with every kind of value, and events on their topics", async () => {
    const broker = await startBroker();
    const received = await listen(broker);
    const target = openTarget(broker.port);
    const rows = rowsOf(device, [1_000, 2_000, 3_000], {
      n: [0.1, undefined, Number.NaN],
      flag: [true, false, undefined],
      text: ['"Grüße" 🚀', undefined, undefined],
      json: [undefined, { a: [1] }, undefined],
    });
    const deletion = { kind: "deletion", device, keys: ["n"], from: 1, to: 2 } as const;
    await target.send(batchOf("1", rows, ...eventsOf(device, 5_000), deletion), neverAborted());
    expect(target.bytesSent).toBeGreaterThan(0);
    await until(() => received.length === 7);
    expect(received.map((message) => [message.topic, json(message)]).slice(0, 3)).toEqual([
      [`${root}/telemetry`, { ts: 1_000, values: { n: 0.1, flag: true, text: '"Grüße" 🚀' } }],
      [`${root}/telemetry`, { ts: 2_000, values: { flag: false, json: { a: [1] } } }],
      [`${root}/telemetry`, { ts: 3_000, values: { n: null } }],
    ]);
    const events = received.slice(3);
    expect(events.map(({ topic }) => topic)).toEqual(
      ["device", "attributes", "alarm", "deletion"].map((event) => `${root}/${event}`),
    );
    expect(events.map(json)).toMatchObject([
      { change: "created", name: "Pump 1/left" },
      { scope: "SERVER", values: { floor: 2, gone: null } },
      { severity: "MAJOR", event: "CREATED" },
      { keys: ["n"], from: 1, to: 2 },
    ]);
  });

  test("gets CBOR, several rows a message, and keeps the last of them if it is to retain", async () => {
    const broker = await startBroker();
    const target = openTarget(broker.port, {
      format: "CBOR",
      rowsPerMessage: 2,
      retain: true,
      eventTopic: null,
    });
    const rows = rowsOf(device, [1, 2, 3], { n: [1, Number.NaN, 3], s: ["a", undefined, undefined] });
    await target.send(batchOf("1", rows, ...eventsOf(device, 5)), neverAborted());
    const received = await listen(broker);
    await until(() => received.length === 1);
    expect(received[0]?.retain).toBe(true);
    expect(decodeBody(received[0]?.bytes ?? new Uint8Array(), "CBOR")).toEqual([{ ts: 3, values: { n: 3 } }]);
  });

  test("gets a message a value where the topic names the key, by the template of the settings", async () => {
    const broker = await startBroker();
    const received = await listen(broker);
    const target = openTarget(broker.port, {
      topic: "{site}/{type}/{tag.line}/{device}/{key}",
      payload: '{"t":{time},"v":{value},"k":{key},"d":{deviceId},"x":{tags}}',
    });
    const rows = rowsOf(device, [0, 1_000], { "a/b": [1, undefined], c: ["x", true] });
    await target.send(batchOf("1", rows), neverAborted());
    await until(() => received.length === 3);
    const common = { d: device.deviceId, x: { line: "3" } };
    expect(received.map((message) => [message.topic, json(message)])).toEqual([
      ["Plant A/pump/3/Pump 1_left/a_b", { t: "1970-01-01T00:00:00.000Z", v: 1, k: "a/b", ...common }],
      ["Plant A/pump/3/Pump 1_left/c", { t: "1970-01-01T00:00:00.000Z", v: "x", k: "c", ...common }],
      ["Plant A/pump/3/Pump 1_left/c", { t: "1970-01-01T00:00:01.000Z", v: true, k: "c", ...common }],
    ]);
  });

  test("that is killed in the middle of sending gets everything when it runs again", async () => {
    const broker = await startBroker();
    let received = await listen(broker);
    const target = openTarget(broker.port, { rowsPerMessage: 10 });
    const batches = [0, 1, 2].map((round) => {
      const ts = Array.from({ length: 2_000 }, (_, row) => round * 2_000 + row);
      return batchOf(`${round}`, rowsOf(device, ts, { n: ts }));
    });
    const seen = new Set<number>();
    const seeAll = async (size: number) => {
      await until(() => {
        for (const message of received.splice(0))
          for (const { ts } of json(message) as { ts: number }[]) seen.add(ts);
        return seen.size >= size;
      });
    };
    const reactionOf = async (index: number) =>
      (await failureOf(target.send(batches[index] ?? batchOf("none"), neverAborted()))).reaction;
    expect(await reactionOf(0)).toBe("none");
    await seeAll(2_000);
    const interrupted = reactionOf(1);
    await until(() => received.length > 0);
    await broker.kill("SIGKILL");
    expect(["none", "retry"]).toContain(await interrupted);
    expect(await reactionOf(1)).toBe("retry");
    await broker.start();
    // The broker has forgotten the listener with the rest of its memory.
    received = await listen(broker);
    expect(await reactionOf(1)).toBe("none");
    expect(await reactionOf(2)).toBe("none");
    await seeAll(6_000);
  });
});

describe.skipIf(!hasMosquitto)("an MQTT broker that is secured", () => {
  const rights = "user uplink\ntopic write lineside/#\ntopic read spBv1.0/#\n";
  const startSecured = () =>
    startBroker({
      listener: (port, directory) => [
        `listener ${port} 127.0.0.1`,
        "allow_anonymous false",
        `password_file ${directory}/passwords`,
        `acl_file ${directory}/rights`,
      ],
      files: { passwords: passwordLine("uplink", "secret"), rights },
    });
  const credentials = { username: "uplink", password: "secret" };
  const batch = batchOf("1", rowsOf(device, [1], { n: [1] }));

  test.each([4, 5] as const)("refuses a wrong password, MQTT version %d", async (protocolVersion) => {
    const { port } = await startSecured();
    const wrong = openTarget(port, { ...credentials, password: "wrong", protocolVersion });
    expect((await failureOf(wrong.check(neverAborted()))).reaction).toBe("settings");
    await openTarget(port, { ...credentials, protocolVersion }).send(batch, neverAborted());
  });

  test("refuses a topic, which is an error and not a loss", async () => {
    const { port } = await startSecured();
    const target = openTarget(port, { ...credentials, topic: "elsewhere/{device}" });
    expect(await failureOf(target.send(batch, neverAborted()))).toMatchObject({ reaction: "settings" });
  });

  test("is trusted by its authority and its name, and asks for a certificate", async () => {
    const now = Date.now();
    const authority = await createAuthority(now, "broker");
    const { port } = await startBroker();
    const names = { dns: ["broker.example"], ip: [] };
    const server = await createServerCertificate(authority, names, now);
    const secured = await startBroker({
      files: { "ca.pem": authority.cert, "cert.pem": server.cert, "key.pem": server.key },
      listener: (own, directory) => [
        `listener ${own} 127.0.0.1`,
        `cafile ${directory}/ca.pem`,
        `certfile ${directory}/cert.pem`,
        `keyfile ${directory}/key.pem`,
        "allow_anonymous true",
        "require_certificate true",
      ],
    });
    const url = `mqtts://broker.example:${secured.port}`;
    const client = await createClientCertificate(authority);
    const tls = { ca: authority.cert, certificate: client.cert, privateKey: client.key };
    await openTarget(port, { url, tls }).send(batch, neverAborted());
    for (const settings of [
      { url, tls: { certificate: client.cert, privateKey: client.key } },
      { url: `mqtts://other.example:${secured.port}`, tls },
      { url, tls: { ca: authority.cert } },
    ])
      expect((await failureOf(openTarget(port, settings).check(neverAborted()))).reaction).toBe("settings");
    expect(() => openTarget(port, { url, tls: { ...tls, ca: "nonsense" } })).toThrow("tls.ca");
  });
});
