import { expect, test } from "bun:test";
import fc from "fast-check";
import { MessageShapes } from "../../../src/modules/ingest/ingest-message.ts";
import type { ShapeMemory } from "../../../src/modules/ingest/message-shapes.types.ts";
import { toReadings } from "../../../src/modules/ingest/readings.ts";
import type { Reading } from "../../../src/modules/telemetry/telemetry.types.ts";

const NOW = 1_700_000_000_000;

/** The reading of the long way; undefined where it refuses the message or finds another number of readings. */
function readingOf(text: string): Reading | undefined {
  try {
    const readings = toReadings(JSON.parse(text), NOW);
    return readings.length === 1 ? readings[0] : undefined;
  } catch {
    return undefined;
  }
}

/** A body in the middle of other bytes, which would go on with a number. */
const bodyOf = (text: string) => {
  const buffer = Buffer.from(`12${text}34`);
  return { buffer, start: 2, end: buffer.length - 2 };
};

/** Has a device send a message, and then another one. Returns how that is read by its shape. */
function readAfter(first: string, second: string): Reading | undefined {
  const shapes = new MessageShapes();
  const device: { shapes?: ShapeMemory } = {};
  if (readingOf(first) !== undefined) shapes.missed(device, Buffer.from(first));
  return shapes.read(device, bodyOf(second), NOW);
}

/** Compares with the order of the keys, and tells -0 from 0. */
const pairsOf = ({ ts, values }: Reading) => [ts, ...Object.entries(values).flat()];

test("reads the numbers of a message that has the shape of an earlier one", () => {
  const first = '{"ts":1699999999999,"values":{"temperature":21.5,"on":1}}';
  expect(readAfter(first, '{"ts":1700000000000,"values":{"temperature":-0.25,"on":-0}}')).toEqual({
    ts: NOW,
    values: { temperature: -0.25, on: -0 },
  });
  expect(readAfter(first, '{"ts":1700000000,"values":{"temperature":0,"on":123456789012345}}')).toEqual({
    ts: NOW,
    values: { temperature: 0, on: 123456789012345 },
  });
  const [spaced, other] = [
    ' { "ts": 1600000001, "values": {"a": 1} }\n',
    ' { "ts": 1600000002, "values": {"a": 2} }\n',
  ];
  expect(readAfter(spaced, other)).toEqual({ ts: 1_600_000_002_000, values: { a: 2 } });
  expect(readAfter('{"a":1,"b":2}', '{"a":10.0,"b":0.1}')).toEqual({ ts: NOW, values: { a: 10, b: 0.1 } });
});

test.each([
  ["another key", '{"a":1}', '{"b":1}'],
  ["a key more", '{"a":1}', '{"a":1,"b":1}'],
  ["a key less", '{"a":1,"b":1}', '{"a":1}'],
  ["other white space", '{"a":1}', '{"a": 1}'],
  ["something behind it", '{"a":1}', '{"a":1} '],
  ["its end missing", '{"a":1}', '{"a":1'],
  ["an exponent", '{"a":1}', '{"a":1e3}'],
  ["a leading zero", '{"a":1}', '{"a":01}'],
  ["a plus sign", '{"a":1}', '{"a":+1}'],
  ["no digit before the point", '{"a":1}', '{"a":.5}'],
  ["no digit behind the point", '{"a":1}', '{"a":1.}'],
  ["a sign alone", '{"a":1}', '{"a":-}'],
  ["more digits than are exact", '{"a":1}', '{"a":0.1234567890123456}'],
  ["a text", '{"a":1}', '{"a":"1"}'],
])("leaves a message with %s to the long way", (_, first, second) => {
  expect(readAfter(first, first)).toBeDefined();
  expect(readAfter(first, second)).toBeUndefined();
});

test.each([
  ["a text", '{"a":"x"}'],
  ["a nested object", '{"a":{"b":1}}'],
  ["a timestamp beside its values", '{"a":1,"ts":1}'],
  ["an envelope without a timestamp", '{"values":{"a":1}}'],
  ["an envelope in another order", '{"values":{"a":1},"ts":1}'],
  ["an envelope with more in it", '{"ts":1,"values":{"a":1},"b":1}'],
  ["a key twice", '{"a":1,"a":2}'],
  ["keys that are numbers", '{"2":1,"1":2}'],
  ["the key of a prototype", '{"a":1,"__proto__":2}'],
  ["an escaped key", '{"\\u0061":1}'],
  ["a key beyond ASCII", '{"größe":1}'],
  ["an array", '[{"a":1}]'],
])("learns no shape from a message with %s", (_, text) => {
  expect(readAfter(text, text)).toBeUndefined();
});

test.each(["90000000000000", "4711", "0"])(
  "leaves the timestamp %s, which is not accepted, to the long way",
  (ts) => {
    const first = '{"ts":1600000000,"values":{"a":1}}';
    expect(readAfter(first, `{"ts":${ts},"values":{"a":1}}`)).toBeUndefined();
  },
);

test("finds the new shape of a device that sends something else from now on", () => {
  const shapes = new MessageShapes();
  const device: { shapes?: ShapeMemory } = {};
  shapes.missed(device, Buffer.from('{"a":1}'));
  const changed = Buffer.from('{"b":2}');
  for (let count = 0; count < 20; count++) {
    expect(shapes.read(device, bodyOf('{"b":2}'), NOW)).toBeOneOf([undefined, { ts: NOW, values: { b: 2 } }]);
    shapes.missed(device, changed);
  }
  expect(shapes.read(device, bodyOf('{"b":2}'), NOW)).toEqual({ ts: NOW, values: { b: 2 } });
});

test("lets devices of a kind share a shape", () => {
  const shapes = new MessageShapes();
  const devices: Array<{ shapes?: ShapeMemory }> = [{}, {}];
  for (const device of devices) shapes.missed(device, Buffer.from('{"a":1}'));
  expect(devices[0]?.shapes?.shape).toBe(devices[1]?.shapes?.shape as NonNullable<ShapeMemory["shape"]>);
});

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.integer().map(String),
  fc.stringMatching(/^-?(?:0|[1-9]\d{0,9})(?:\.\d{1,8})?$/),
  fc.stringMatching(/^[-+.\deE]{1,8}$/),
);
const key = fc.oneof(
  fc.constantFrom("a", "b", "ts", "values", "payload", "telemetry", "__proto__", "1", "constructor", ""),
  fc.string({ maxLength: 6 }),
);

test("reads every message exactly as the long way does, or not at all", () => {
  const bodies = fc
    .array(fc.tuple(key, number, number), { minLength: 1, maxLength: 5 })
    .chain((pairs) =>
      fc.tuple(fc.constant(pairs), fc.option(fc.tuple(number, number)), fc.boolean(), fc.nat(120)),
    );
  fc.assert(
    fc.property(bodies, ([pairs, ts, isEnvelope, cut]) => {
      const textOf = (index: 1 | 2) => {
        const values = `{${pairs.map((pair) => `${JSON.stringify(pair[0])}:${pair[index]}`).join()}}`;
        if (ts === null) return values;
        const time = ts[index - 1];
        return isEnvelope ? `{"ts":${time},"values":${values}}` : `{"ts":${time},${values.slice(1)}`;
      };
      for (const text of [textOf(1), textOf(2), textOf(2).slice(0, cut), `${textOf(2)}}`]) {
        let reading: Reading | undefined;
        try {
          reading = readAfter(textOf(1), text);
        } catch {
          expect(readingOf(text)).toBeUndefined();
        }
        if (reading === undefined) continue;
        const expected = readingOf(text);
        expect(expected).toBeDefined();
        expect(pairsOf(reading)).toStrictEqual(pairsOf(expected as Reading));
      }
    }),
    { numRuns: 2_000 },
  );
});
