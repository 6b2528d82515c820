import { expect, test } from "bun:test";
import { objectText, parseBacnetAddress, ucumOf } from "../../../src/lib/bacnet/bacnet-objects.ts";
import { type BacnetData, TAG, TagReader } from "../../../src/lib/bacnet/bacnet-pdu.ts";
import { BacnetValueError, bacnetValueOf, encodeBacnet } from "../../../src/lib/bacnet/bacnet-values.ts";

test.each([
  ["analog-input:3", { type: 0, instance: 3, property: 85 }],
  [" AV:12:Units ", { type: 2, instance: 12, property: 117 }],
  ["19,4:state-text[2]", { type: 19, instance: 4, property: 110, index: 2 }],
  ["130:5:512", { type: 130, instance: 5, property: 512 }],
  ["msv:4194302", { type: 19, instance: 4_194_302, property: 85 }],
])("%s is an address", (text, expected) => expect(parseBacnetAddress(text)).toEqual(expected));

test.each([
  "",
  "AI",
  "AI:",
  "AI:-1",
  "AI:4194303",
  "1024:1",
  "AI:1:",
  "AI:1:nothing",
  "AI:1[2]",
  "constructor:1",
])("%p is not", (text) => expect(parseBacnetAddress(text)).toBeUndefined());

test("objects are named, units have UCUM codes", () => {
  expect([objectText({ type: 13, instance: 2 }), objectText({ type: 200, instance: 2 })]).toEqual([
    "multi-state-input:2",
    "200:2",
  ]);
  expect([ucumOf(62), ucumOf(19), ucumOf(98), ucumOf(9_999)]).toEqual(["Cel", "kW.h", "%", undefined]);
});

const analog = { type: 2, instance: 1, property: 85 };
const binary = { type: 5, instance: 1, property: 85 };
const dataOf = (bytes: Buffer): BacnetData => new TagReader(bytes).data();

test.each([
  [TAG.real, 21.5, analog],
  [TAG.double, 1e300, analog],
  [TAG.unsigned, 4_294_967_295, analog],
  [TAG.signed, -5, analog],
  [TAG.text, "Käfer", analog],
  [TAG.boolean, true, analog],
  [TAG.enumerated, true, binary],
] as const)("a value of kind %d is written as it is read", (tag, value, ref) =>
  expect(bacnetValueOf(ref, [dataOf(encodeBacnet(ref, tag, value))])).toBe(value),
);

test("null releases, whatever the kind", () =>
  expect([...encodeBacnet(analog, TAG.real, null)]).toEqual([0]));

test.each([
  [TAG.real, 1e39],
  [TAG.real, "1"],
  [TAG.unsigned, -1],
  [TAG.unsigned, 1.5],
  [TAG.signed, 2 ** 31],
  [TAG.text, 1],
  [TAG.boolean, 1],
  [TAG.date, "2026-11-29"],
] as const)("a property of kind %d does not take %p", (tag, value) =>
  expect(() => encodeBacnet(analog, tag, value)).toThrow(BacnetValueError),
);

test.each([
  ["NaN", "447fc00000"],
  ["infinity", "447f800000"],
  ["an unknown character set", "7301ff41"],
  ["an unspecified date", "a4ffffffff"],
  ["nothing", "00"],
])("%s is no value", (_, bytes) =>
  expect(bacnetValueOf(analog, [dataOf(Buffer.from(bytes, "hex"))])).toBeUndefined(),
);

test("a list is no value, but dates, bits and objects are texts", () => {
  const text = (bytes: string) => bacnetValueOf(analog, [dataOf(Buffer.from(bytes, "hex"))]);
  expect(
    bacnetValueOf(analog, [
      { tag: 2, value: 1 },
      { tag: 2, value: 2 },
    ]),
  ).toBeUndefined();
  expect(text("a47e0b1d07")).toBe("2026-11-29");
  expect(text("b40e141e0c")).toBe("14:20:30.12");
  expect(text("8204a0")).toBe("1010");
  expect(text("c400000003")).toBe("analog-input:3");
  expect(text("75050400410042")).toBe("AB");
});
