import "reflect-metadata";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { detail } from "../../../../../src/lib/core/domain-error.ts";
import type { Target, TargetContext } from "../../../../../src/modules/uplinks/target.types.ts";
import {
  type KafkaSettings,
  kafkaSettings,
} from "../../../../../src/modules/uplinks/targets/kafka/kafka.schemas.ts";
import { createKafkaTarget } from "../../../../../src/modules/uplinks/targets/kafka/kafka.target.ts";
import { RefusedAddress } from "../../../../../src/platform/network/outbound-address.ts";
import {
  createAuthority,
  createServerCertificate,
  type KeyPair,
} from "../../../../../src/platform/network/tls-certificates.ts";
import { createKafka, hasKafka, type Kafka } from "../../../../support/kafka.ts";
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

const targets: Target[] = [];
let kafka: Kafka;
let authority: KeyPair;
beforeAll(async () => {
  if (!hasKafka) return;
  const now = Date.now();
  authority = await createAuthority(now, "broker");
  const server = await createServerCertificate(authority, { dns: ["broker.example"], ip: [] }, now);
  kafka = await createKafka({ cert: server.cert, key: server.key, ca: authority.cert });
});
afterEach(async () => {
  for (const target of targets.splice(0)) await target.close();
});
afterAll(() => kafka?.stop());

function openTarget(settings: Partial<KafkaSettings> = {}, context: Partial<TargetContext> = {}): Target {
  const defaults = Value.Default(kafkaSettings, {
    type: "KAFKA",
    brokers: [`broker.example:${kafka.port}`],
    ...settings,
  }) as KafkaSettings; // as the schema says
  const target = createKafkaTarget(defaults, contextOf(context));
  targets.push(target);
  return target;
}

const device = deviceOf({ tags: { line: "3" } });
const rows = rowsOf(device, [1, 2], {
  n: [0.1, Number.NaN],
  flag: [true, undefined],
  s: ["ä", undefined],
  j: [undefined, { a: [1] }],
});
const common = {
  device: device.deviceId,
  name: "Pump 1",
  type: "pump",
  site: "Plant A",
  tags: { line: "3" },
};
const lines = [
  { ...common, ts: 1, values: { n: 0.1, flag: true, s: "ä" } },
  { ...common, ts: 2, values: { n: null, j: { a: [1] } } },
];

const compressions = ["NONE", "GZIP", "SNAPPY", "LZ4", "ZSTD"] as const;

describe.skipIf(!hasKafka)("Kafka (skipped without Java and the jars of test/support/kafka/pom.xml)", () => {
  test("gets every kind of value with every compression, in a topic that is created", async () => {
    for (const compression of compressions) {
      const target = openTarget({
        compression,
        topic: "values",
        partitions: 3,
        replicationFactor: 1,
        eventTopic: null,
      });
      await target.send(batchOf("1", rows, ...eventsOf(device, 3)), neverAborted());
      expect(target.bytesSent).toBeGreaterThan(0);
    }
    const read = await kafka.read("values", 2 * compressions.length);
    expect(new Set(read.map(({ key }) => key))).toEqual(new Set([device.deviceId]));
    expect(read.map(({ value }) => JSON.parse(value))).toEqual(compressions.flatMap(() => lines));
  });

  test("gets events and deletions on the other topic", async () => {
    const target = openTarget({ topic: "telemetry", eventTopic: "events" });
    const deletion = { kind: "deletion", device, keys: null, from: 1, to: 2 } as const;
    await target.send(batchOf("1", ...eventsOf(device, 3), deletion), neverAborted());
    const read = await kafka.read("events", 4);
    expect(read.map(({ value }) => JSON.parse(value).kind)).toEqual([
      "device",
      "attributes",
      "alarm",
      "deletion",
    ]);
  });

  test.each(["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const)(
    "is signed in to with %s over TLS, and refuses a wrong password",
    async (mechanism) => {
      const settings = {
        brokers: [`broker.example:${kafka.securePort}`],
        tls: { ca: authority.cert },
        mechanism,
        username: "uplink",
        topic: "secured",
        eventTopic: null,
      };
      await openTarget({ ...settings, password: "secret" }).send(batchOf("1", rows), neverAborted());
      const failure = await failureOf(openTarget({ ...settings, password: "wrong" }).check(neverAborted()));
      expect(failure.reaction).toBe("settings");
      expect(failure.message).toContain("refuses the credentials");
    },
  );

  test("is trusted by its authority and its name only, and not without TLS", async () => {
    const brokers = [`broker.example:${kafka.securePort}`];
    const credentials = { mechanism: "PLAIN", username: "uplink", password: "secret" } as const;
    for (const settings of [
      { brokers, tls: {} },
      { brokers: [`other.example:${kafka.securePort}`], tls: { ca: authority.cert } },
      { brokers, tls: null },
    ]) {
      const failure = await failureOf(openTarget({ ...credentials, ...settings }).check(neverAborted()));
      expect([settings.brokers, failure.reaction]).toEqual([settings.brokers, "settings"]);
    }
  });

  test("that does not answer is left as soon as the signal is aborted", async () => {
    const sockets = new Set<unknown>();
    const server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open: (socket) => void sockets.add(socket),
        close: (socket) => void sockets.delete(socket),
        data() {},
      },
    });
    const target = openTarget({ brokers: [`broker.example:${server.port}`] });
    const controller = new AbortController();
    const checking = target.check(controller.signal);
    await until(() => sockets.size === 1);
    controller.abort(new Error("the uplink is stopped"));
    await expect(checking).rejects.toThrow("the uplink is stopped");
    await until(() => sockets.size === 0);
    server.stop(true);
  });

  test("is connected to only where the address is allowed, also by the names that it tells itself", async () => {
    const resolve = (host: string) =>
      host === "first.example"
        ? Promise.resolve(["127.0.0.1"])
        : Promise.reject(new RefusedAddress(host, detail("address_refusal.own_machine")));
    const target = openTarget({ brokers: [`first.example:${kafka.port}`] }, { resolve });
    const failure = await failureOf(target.send(batchOf("1", rows), neverAborted()));
    expect(failure.reaction).toBe("settings");
    expect(failure.message).toContain("127.0.0.1");
  });

  test("without the topic is a matter of the settings, unless it may be created", async () => {
    const target = openTarget({ topic: "missing", eventTopic: null, createTopics: false });
    expect(await failureOf(target.check(neverAborted()))).toEqual({
      reaction: "settings",
      message: "The target does not accept the settings: there is no topic missing.",
    });
  });

  test("that is killed in the middle of sending gets everything, in order, and a signal ends the sending", async () => {
    const target = openTarget({ topic: "killed", eventTopic: null, partitions: 1, requestBytesMax: 20_000 });
    const batches = [0, 1, 2].map((round) => {
      const ts = Array.from({ length: 5_000 }, (_, row) => round * 5_000 + row);
      return batchOf(`${round}`, rowsOf(device, ts, { n: ts }));
    });
    const [first, second, third] = batches;
    if (!first || !second || !third) throw new Error("there are three");
    await target.send(first, neverAborted());
    const sending = failureOf(target.send(second, neverAborted()));
    await Bun.sleep(0);
    await kafka.kill();
    const controller = new AbortController();
    const again = failureOf(target.send(second, controller.signal)).catch((error) => error.message);
    controller.abort(new Error("the uplink is stopped"));
    expect(await again).toBe("the uplink is stopped");
    const { reaction } = await sending;
    expect(["none", "retry"]).toContain(reaction);
    await kafka.start();
    await until(async () => (await failureOf(target.send(second, neverAborted()))).reaction === "none");
    await target.send(third, neverAborted());
    const seen: number[] = [];
    const written = new Set<number>();
    for (const { value } of await kafka.read("killed", 15_000)) {
      const { ts } = JSON.parse(value);
      if (!written.has(ts)) seen.push(ts);
      written.add(ts);
    }
    expect(seen.every((ts, index) => ts === index)).toBe(true);
    // What was read ends within the repetition if the second batch was written twice.
    expect(seen.length).toBeGreaterThanOrEqual(10_000);
  });
});
