import { describe, expect, test } from "bun:test";
import { readPayload } from "../../../../src/lib/sparkplug/sparkplug-payload.ts";
import type { Adapter } from "../../../../src/modules/integrations/integrations.types.ts";
import { adapter, expectNeverToBreak, inbound, outcomeOf, RECEIVED_AT, refusal } from "./adapter-support.ts";
import {
  bool,
  bytes,
  dataSet,
  double,
  float,
  int,
  long,
  type Metric,
  payload,
  template,
  text,
} from "./sparkplug-writer.ts";

const ts = RECEIVED_AT - 1_000;
const atTime = (kind: string, device = "") => `spBv1.0/works/${kind}/line-1${device && `/${device}`}`;
const send = (to: Adapter, topic: string, body: Uint8Array, receivedAt = RECEIVED_AT) =>
  to.normalize(inbound(body, { topic, receivedAt }));
const bdSeq = (value: number): Metric => ({ name: "bdSeq", type: 8, value: long(BigInt(value)) });
const control: Metric = { name: "Node Control/Rebirth", type: 11, value: bool(false) };
const temperature: Metric = { name: "temperature", alias: 1, type: 9, value: float(21.3), timestamp: ts };

/** An edge node that has been born, and its device press too. */
function born(): Adapter {
  const newAdapter = adapter("sparkplug");
  send(newAdapter, atTime("NBIRTH"), payload([bdSeq(3), control, temperature], { seq: 0, timestamp: ts }));
  send(
    newAdapter,
    atTime("DBIRTH", "press"),
    payload([{ name: "count", alias: 7, type: 4, value: long(-5n) }], { seq: 1, timestamp: ts }),
  );
  return newAdapter;
}

test("a birth is taken under the names that it gives, and says that it is there", () => {
  const { messages, replies } = send(
    adapter("sparkplug"),
    atTime("NBIRTH"),
    payload([bdSeq(3), control, temperature], { seq: 0, timestamp: ts }),
  );
  const device = { externalId: "works/line-1", name: "line-1" };
  expect(messages.map((message) => ({ ...message, telemetry: { ...message.telemetry } }))).toEqual([
    { kind: "uplink", device, ts, telemetry: { online: true } },
    { kind: "uplink", device, ts, telemetry: { temperature: 21.3 } },
  ]);
  expect(replies).toBeUndefined();
});

test("later messages have aliases only, each device its own", () => {
  const newAdapter = born();
  const node = send(
    newAdapter,
    atTime("NDATA"),
    payload([{ alias: 1, value: float(22.5), timestamp: ts }], { seq: 2 }),
  );
  expect({ ...node.messages[0]?.telemetry }).toEqual({ temperature: 22.5 });
  const device = send(
    newAdapter,
    atTime("DDATA", "press"),
    payload([{ alias: 7, value: long(-6n) }], { seq: 3, timestamp: ts }),
  );
  expect(device.messages[0]).toMatchObject({
    device: { externalId: "works/line-1/press", name: "line-1/press" },
    ts,
  });
  expect({ ...device.messages[0]?.telemetry }).toEqual({ count: -6 });
  expect(device.replies).toBeUndefined();
});

test("readings of different times are messages of their own", () => {
  const metrics = [
    { alias: 1, value: float(1), timestamp: ts - 5_000 },
    { alias: 1, value: float(2), timestamp: ts },
  ];
  const { messages } = send(born(), atTime("NDATA"), payload(metrics, { seq: 2 }));
  expect(messages.map((message) => message.ts)).toEqual([ts - 5_000, ts]);
});

test("a controller with thousands of tags fits into messages, and a clock that is wrong costs no value", () => {
  const metrics = Array.from({ length: 1_200 }, (_, n): Metric => {
    const timestamp = n === 0 ? ts + 9e8 : n === 1 ? 1 : ts;
    return { name: `tag ${n}`, type: 3, value: int(n), timestamp };
  });
  const tooLong: Metric = { name: "x".repeat(300), type: 3, value: int(1) };
  const { messages } = send(
    adapter("sparkplug"),
    atTime("NBIRTH"),
    payload([...metrics, tooLong], { seq: 0, timestamp: ts }),
  );
  const counts = messages.map(({ telemetry }) => Object.keys(telemetry).length);
  expect(Math.max(...counts)).toBeLessThanOrEqual(512);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1_201);
  expect(messages.every((message) => message.ts === ts)).toBe(true);
});

describe("a rebirth is asked for", () => {
  const data = (seq: number) => payload([{ alias: 1, value: float(22), timestamp: ts }], { seq });

  test("where an alias is not known, as after a start of ours", () => {
    const { messages, ignored, replies } = send(adapter("sparkplug"), atTime("NDATA"), data(9));
    expect(messages).toEqual([]);
    expect(ignored?.code).toBe("ignored.unknown_aliases");
    expect(replies).toHaveLength(1);
    const [reply] = replies!;
    expect([reply!.topic, reply!.qos]).toEqual(["spBv1.0/works/NCMD/line-1", 0]);
    expect(readPayload(reply!.payload as Uint8Array)).toEqual({
      timestamp: RECEIVED_AT,
      metrics: [{ name: "Node Control/Rebirth", timestamp: RECEIVED_AT, dataType: 11, value: true }],
    });
  });
  test("where messages are missing, whose readings are taken all the same", () => {
    const newAdapter = born();
    expect(send(newAdapter, atTime("NDATA"), data(2)).replies).toBeUndefined();
    const { messages, replies } = send(newAdapter, atTime("NDATA"), data(5));
    expect(messages).toHaveLength(1);
    expect(replies).toHaveLength(1);
  });
  test("for a device that was not born since its edge node was", () => {
    const newAdapter = born();
    send(newAdapter, atTime("NBIRTH"), payload([bdSeq(4), temperature], { seq: 0 }));
    expect(
      send(newAdapter, atTime("DDATA", "press"), payload([{ alias: 7, value: long(1n) }], { seq: 1 }))
        .replies,
    ).toHaveLength(1);
  });
  test("not more than once a minute, until it is born", () => {
    const newAdapter = adapter("sparkplug");
    const counts = [0, 30_000, 61_000].map(
      (later) => send(newAdapter, atTime("NDATA"), data(9), RECEIVED_AT + later).replies?.length ?? 0,
    );
    expect(counts).toEqual([1, 0, 1]);
  });
  test("not when the sequence begins again", () => {
    const newAdapter = born();
    let asked = 0;
    for (let seq = 2; seq < 600; seq++)
      asked += send(newAdapter, atTime("NDATA"), data(seq % 256)).replies?.length ?? 0;
    expect(asked).toBe(0);
  });
});

describe("a death", () => {
  test("of an edge node is that of its devices too", () => {
    const { messages } = send(born(), atTime("NDEATH"), payload([bdSeq(3)]));
    expect(messages.map(({ device, telemetry }) => [device.externalId, telemetry.online])).toEqual([
      ["works/line-1", false],
      ["works/line-1/press", false],
    ]);
  });
  test("of an earlier connection is ignored", () => {
    expect(outcomeOf(send(born(), atTime("NDEATH"), payload([bdSeq(2)])))).toEqual([0, "ignored"]);
  });
  test("of a device leaves the others", () => {
    const { messages, replies } = send(
      born(),
      atTime("DDEATH", "press"),
      payload([], { seq: 2, timestamp: ts }),
    );
    expect(messages.map(({ device, telemetry }) => [device.externalId, telemetry.online])).toEqual([
      ["works/line-1/press", false],
    ]);
    expect(replies).toBeUndefined();
  });
});

describe("values", () => {
  const read = (metric: Metric): unknown => {
    const { messages } = send(
      adapter("sparkplug"),
      atTime("NBIRTH"),
      payload([{ name: "v", ...metric }], { seq: 0 }),
    );
    return messages.find(({ telemetry }) => "v" in telemetry)?.telemetry.v;
  };
  const packed = (...values: number[]) => bytes(new Uint8Array(values));

  test("of every type are what they were", () => {
    const rows: [Metric, unknown][] = [
      [{ type: 1, value: int(-5) }, -5],
      [{ type: 1, value: int(0xfb) }, -5],
      [{ type: 2, value: int(-300) }, -300],
      [{ type: 3, value: int(-70_000) }, -70_000],
      [{ type: 4, value: long(-9_007_199_254_740_991n) }, -9_007_199_254_740_991],
      [{ type: 5, value: int(255) }, 255],
      [{ type: 6, value: int(65_535) }, 65_535],
      [{ type: 7, value: int(4_294_967_295) }, 4_294_967_295],
      [{ type: 8, value: long(2n ** 53n) }, 2 ** 53],
      [{ type: 9, value: float(21.3) }, 21.3],
      [{ type: 9, value: float(16_777_217) }, 16_777_216],
      [{ type: 10, value: double(Math.PI) }, Math.PI],
      [{ type: 11, value: bool(false) }, false],
      [{ type: 12, value: text("on") }, "on"],
      [{ type: 13, value: long(BigInt(ts)) }, ts],
      [{ type: 14, value: text("é") }, "é"],
      [{ type: 15, value: text("0c1e4c52") }, "0c1e4c52"],
      [{ type: 17, value: packed(1, 2, 3) }, "AQID"],
      [{ type: 22, value: packed(0xff, 1) }, [-1, 1]],
      [{ type: 27, value: packed(1, 0, 0xff, 0xff) }, [1, 65_535]],
      [{ type: 25, value: packed(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff) }, [-1]],
      [{ type: 30, value: packed(0x66, 0x66, 0xaa, 0x41) }, [21.3]],
      [{ type: 32, value: packed(3, 0, 0, 0, 0b10100000) }, [true, false, true]],
      [{ type: 33, value: bytes(Buffer.from("a\0bc\0")) }, ["a", "bc"]],
    ];
    for (const [metric, expected] of rows)
      expect([metric.type, read(metric)]).toEqual([metric.type, expected]);
  });
  test("that are tables become lists of rows", () => {
    const table = dataSet(["a", "b"], [1, 12], [[int(0xff, 1), text("x", 6)], [int(2, 1)]]);
    expect(read({ type: 16, value: table })).toEqual([
      { a: -1, b: "x" },
      { a: 2, b: null },
    ]);
  });
  test("that are templates become objects; a definition has none", () => {
    const inner = [
      { name: "rpm", type: 3, value: int(-1) },
      { name: "empty", type: 3, isNull: true },
    ];
    expect(read({ type: 19, value: template(inner) })).toEqual({ rpm: -1 });
    expect(read({ type: 19, value: template(inner, true) })).toBeUndefined();
  });
  test("that are null, not kept, not finite, too long or cut off are none", () => {
    for (const metric of [
      { type: 9, isNull: true },
      { type: 9, isTransient: true, value: float(1) },
      { type: 9, value: float(Number.NaN) },
      { type: 10, value: double(Number.POSITIVE_INFINITY) },
      { type: 17, value: bytes(new Uint8Array(5_000)) },
      { type: 24, value: packed(1, 2, 3) },
      { type: 32, value: packed(255, 255, 255, 255) },
    ])
      expect([metric.type, read(metric)]).toEqual([metric.type, undefined]);
  });
  test("named as properties are attributes", () => {
    const metrics = [{ name: "Properties/Hardware Make", type: 12, value: text("Moxa") }];
    const { messages } = send(adapter("sparkplug"), atTime("NBIRTH"), payload(metrics, { seq: 0 }));
    expect({ ...messages.at(-1)?.attributes }).toEqual({ "Hardware Make": "Moxa" });
  });
  test("named __proto__ are only called so", () => {
    const { messages } = send(
      adapter("sparkplug"),
      atTime("NBIRTH"),
      payload([{ name: "__proto__", type: 12, value: text("x") }], { seq: 0 }),
    );
    expect(Object.keys(messages.at(-1)!.telemetry)).toEqual(["__proto__"]);
  });
});

test("hosts, commands and topics of others are ignored", () => {
  for (const topic of [
    "spBv1.0/STATE/host",
    "spBv1.0/works/NBIRTH/",
    "spBv1.0/works/NBIRTH/ ",
    "spBv1.0/ /NBIRTH/line-1",
    "STATE/host",
    atTime("NCMD"),
    atTime("DCMD", "press"),
    atTime("NDATA", "press"),
    atTime("DDATA"),
    "spAv1.0/a/NDATA/b",
    "x",
  ])
    expect(outcomeOf(send(adapter("sparkplug"), topic, new Uint8Array()))).toEqual([0, "ignored"]);
});

test("what is no payload, or compressed, is refused", () => {
  expect(refusal(() => send(born(), atTime("NDATA"), new Uint8Array([0xff, 0xff, 0xff])))).toStartWith(
    "integration.body_",
  );
  expect(refusal(() => send(born(), atTime("NDATA"), payload([], { uuid: "SPBV1.0_COMPRESSED" })))).toBe(
    "integration.body_compressed",
  );
  const deep = Array.from({ length: 30 }).reduce<Metric>(
    (inner) => ({ name: "t", type: 19, value: template([inner]) }),
    {},
  );
  expect(refusal(() => send(born(), atTime("NDATA"), payload([deep], { seq: 2 })))).toStartWith(
    "integration.body_",
  );
});

test("a payload of too many parts is refused, however deep they are", () => {
  const many = <Part>(part: Part): Part[] => Array.from({ length: 20_001 }, () => part);
  const values: Metric[] = [
    { name: "t", type: 16, value: dataSet([], [], many([])) },
    { name: "t", type: 16, value: dataSet(many(""), [], []) },
    { name: "t", type: 16, value: dataSet(["a"], [3], [many(int(1, 1))]) },
    { name: "t", type: 19, value: template(many({})) },
  ];
  for (const value of values)
    expect(refusal(() => send(born(), atTime("NDATA"), payload([value], { seq: 2 })))).toBe(
      "body.too_many_items",
    );
  const unknown = new Uint8Array(400_002).fill(0).map((_, index) => (index % 2 === 0 ? 0x50 : 0));
  expect(refusal(() => send(born(), atTime("NDATA"), unknown))).toBe("body.too_many_items");
});

test("nothing that anybody sends breaks it", () => {
  const whole = payload(
    [bdSeq(1), temperature, { name: "t", type: 16, value: dataSet(["a"], [1], [[int(1, 1)]]) }],
    { seq: 0, timestamp: ts },
  );
  const kinds = ["NBIRTH", "NDATA", "NDEATH"].map((kind) => ({ topic: atTime(kind) }));
  const ofDevices = ["DBIRTH", "DDATA", "DDEATH"].map((kind) => ({ topic: atTime(kind, "press") }));
  expectNeverToBreak(born, [], [...kinds, ...ofDevices]);
  // Every payload with one byte changed.
  for (let index = 0; index < whole.length; index++)
    for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
      const bytes = whole.slice();
      bytes[index] = value;
      for (const { topic } of kinds)
        try {
          send(born(), topic, bytes);
        } catch (error) {
          expect(error).toMatchObject({ kind: "invalid" });
        }
    }
});
