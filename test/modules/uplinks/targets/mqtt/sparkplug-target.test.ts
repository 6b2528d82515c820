import { afterEach, describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import type { MqttClient } from "mqtt";
import { rebirthRequest } from "../../../../../src/lib/sparkplug/sparkplug-command.ts";
import type { RawMetric, RawPayload } from "../../../../../src/lib/sparkplug/sparkplug-payload.ts";
import { readPayload } from "../../../../../src/lib/sparkplug/sparkplug-payload.ts";
import { sparkplug } from "../../../../../src/modules/integrations/adapters/sparkplug/sparkplug.ts";
import type { Target } from "../../../../../src/modules/uplinks/target.types.ts";
import {
  type MqttTargetSettings,
  mqttSettings,
} from "../../../../../src/modules/uplinks/targets/mqtt/mqtt.schemas.ts";
import { createMqttTarget } from "../../../../../src/modules/uplinks/targets/mqtt/mqtt.target.ts";
import { createMosquitto, hasMosquitto } from "../../../../support/mosquitto.ts";
import { until } from "../../../../support/until.ts";
import {
  batchOf,
  contextOf,
  deviceOf,
  eventsOf,
  neverAborted,
  rowsOf,
} from "../../../../support/uplink-batches.ts";

const NOW = 1_700_000_000_000;
const closing: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Received {
  /** Such as `DDATA/plant/Pump 1`. */
  readonly name: string;
  readonly topic: string;
  readonly bytes: Uint8Array;
  readonly payload: RawPayload;
}

/** A host application that only listens. */
async function setUp(settings: Partial<MqttTargetSettings> = {}) {
  const broker = await createMosquitto();
  closing.push(() => broker.stop());
  const host: MqttClient = await broker.client();
  const received: Received[] = [];
  host.on("message", (topic, bytes) => {
    const [, , type, ...rest] = topic.split("/");
    received.push({ name: [type, ...rest].join("/"), topic, bytes, payload: readPayload(bytes) });
  });
  await host.subscribeAsync("spBv1.0/#", { qos: 1 });
  const open = (): Target => {
    const all = Value.Default(mqttSettings, {
      type: "MQTT",
      url: `mqtt://broker.example:${broker.port}`,
      format: "SPARKPLUG_B",
      groupId: "g",
      edgeNodeId: "plant",
      ...settings,
    }) as MqttTargetSettings; // as the schema says
    const target = createMqttTarget(all, contextOf({ now: () => NOW }));
    closing.push(() => target.close());
    return target;
  };
  return { host, received, open };
}

const metricsOf = ({ payload }: Received) =>
  payload.metrics.map(({ name, value, dataType, isNull }: RawMetric) => [
    name,
    isNull ? null : value,
    dataType,
  ]);
const device = deviceOf();

describe.skipIf(!hasMosquitto)("a Sparkplug B host", () => {
  test("hears of births before data, in one sequence, and of new metrics by another birth", async () => {
    const { received, open } = await setUp();
    const target = open();
    const first = rowsOf(device, [NOW - 120_000, NOW], { n: [1.5, undefined], s: [undefined, "a"] });
    const second = rowsOf(device, [NOW + 1], { n: ["text"], flag: [true], json: [{ a: [1] }] });
    await target.send(batchOf("1", first, second, ...eventsOf(device, NOW + 2)), neverAborted());
    await target.send(batchOf("2", { kind: "device", device, change: "deleted", ts: NOW }), neverAborted());
    await until(() => received.at(-1)?.name === "DDEATH/plant/Pump 1");
    expect(received.map(({ name }) => name)).toEqual([
      "NBIRTH/plant",
      ...["DBIRTH", "DDATA", "DBIRTH", "DDATA", "DBIRTH", "DDATA", "DBIRTH", "DDATA", "DDEATH"].map(
        (type) => `${type}/plant/Pump 1`,
      ),
    ]);
    expect(received.map(({ payload }) => payload.seq)).toEqual(received.map((_, index) => index));
    const [, birth, data, secondBirth, secondData, , attributes, , alarm] = received;
    if (!birth || !data || !secondBirth || !secondData || !attributes || !alarm) throw new Error("too few");
    expect(metricsOf(birth)).toEqual([
      ["n", null, 10],
      ["s", null, 12],
    ]);
    expect(metricsOf(data)).toEqual([
      ["n", 1.5, undefined],
      ["s", "a", undefined],
    ]);
    expect(data.payload.metrics.map(({ timestamp }) => timestamp)).toEqual([NOW - 120_000, NOW]);
    // is_historical is field 5 of a metric: 0x28 0x01.
    expect(Buffer.from(data.bytes).includes(Buffer.from([0x28, 1]))).toBe(true);
    expect(metricsOf(secondBirth).map(([name]) => name)).toEqual(["n", "s", "flag", "json"]);
    expect(metricsOf(secondData)).toEqual([
      ["n", "text", 12],
      ["flag", true, undefined],
      ["json", '{"a":[1]}', undefined],
    ]);
    expect(metricsOf(attributes)).toEqual([
      ["Properties/floor", 2, undefined],
      ["Properties/label", "left", undefined],
    ]);
    expect(metricsOf(alarm)).toEqual([["Alarms/overheated", "MAJOR", undefined]]);
  });

  test("gets births again when it asks for them, and a death when the connection breaks", async () => {
    const { host, received, open } = await setUp();
    const target = open();
    await target.send(batchOf("1", rowsOf(device, [NOW], { n: [7] })), neverAborted());
    await until(() => received.length === 3);
    await host.publishAsync("spBv1.0/g/NCMD/plant", Buffer.from(rebirthRequest(NOW)), { qos: 1 });
    await until(() => received.filter(({ name }) => !name.startsWith("NCMD")).length === 5);
    const births = received.filter(({ name }) => !name.startsWith("NCMD")).slice(3);
    expect(births.map(({ name, payload }) => [name, payload.seq])).toEqual([
      ["NBIRTH/plant", 0],
      ["DBIRTH/plant/Pump 1", 1],
    ]);
    expect(births[1] && metricsOf(births[1])).toEqual([["n", 7, 10]]);
    const bdSeqOf = (type: string) =>
      received.filter(({ name }) => name === `${type}/plant`).map(({ payload }) => payload.metrics[0]?.value);
    const controller = new AbortController();
    const endless = rowsOf(
      device,
      Array.from({ length: 50_000 }, (_, row) => NOW + row),
      {
        n: Array.from({ length: 50_000 }, (_, row) => row),
      },
    );
    // With its first message, so that it cannot be through before.
    host.once("message", () => controller.abort(new Error("the uplink is stopped")));
    const sending = target.send(batchOf("2", endless), controller.signal);
    await expect(sending).rejects.toThrow("the uplink is stopped");
    await until(() => received.some(({ name }) => name === "NDEATH/plant"));
    expect(bdSeqOf("NDEATH")).toEqual(bdSeqOf("NBIRTH").slice(0, 1));
    await target.send(batchOf("3", rowsOf(device, [NOW], { n: [8] })), neverAborted());
    expect(new Set(bdSeqOf("NBIRTH")).size).toBe(2);
  });

  test("that is another Lineside understands everything", async () => {
    const { received, open } = await setUp({ messageBytesMax: 1_024 });
    const values = Array.from({ length: 300 }, (_, row) => row / 7);
    const ts = values.map((_, row) => NOW + row);
    await open().send(batchOf("1", rowsOf(device, ts, { n: values, s: values.map(String) })), neverAborted());
    const adapter = sparkplug.create({} as never); // it has no settings
    await until(() => received.at(-1)?.payload.metrics.at(-1)?.timestamp === ts.at(-1));
    const found: [number | undefined, unknown][] = [];
    for (const { topic, bytes } of received) {
      expect(bytes.length).toBeLessThanOrEqual(1_024);
      const { messages, replies } = await adapter.normalize({
        topic,
        bytes,
        encoding: "AUTO",
        receivedAt: NOW,
      } as never); // all that the adapter reads
      expect(replies).toBeUndefined();
      for (const message of messages)
        if (message.kind === "uplink" && message.telemetry && !("online" in message.telemetry))
          found.push([message.ts, message.telemetry]);
    }
    const byTime = new Map<number | undefined, object>();
    for (const [time, telemetry] of found)
      byTime.set(time, { ...byTime.get(time), ...(telemetry as object) });
    expect([...byTime]).toEqual(ts.map((time, row) => [time, { n: values[row], s: String(values[row]) }]));
  });
});
