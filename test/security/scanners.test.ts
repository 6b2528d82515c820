import { expect, test } from "bun:test";
import { delimiterOf } from "../../src/lib/csv/csv-dialect.ts";
import { compileExpression } from "../../src/lib/expressions/expression.ts";
import { decodeBody } from "../../src/lib/json/body.ts";
import { checkCbor } from "../../src/lib/json/cbor-check.ts";
import { depthOf } from "../../src/lib/json/json-depth.ts";
import { PacketCursor } from "../../src/lib/mqtt/packet-cursor.ts";
import { allowedIn, Properties } from "../../src/lib/mqtt/properties.ts";
import {
  filterMatches,
  filtersOverlap,
  isValidFilter,
  withoutShare,
} from "../../src/lib/mqtt/topic-filters.ts";
import { parseRange } from "../../src/lib/network/ip-range.ts";
import { readPayload } from "../../src/lib/sparkplug/sparkplug-payload.ts";
import { isInertSvg } from "../../src/lib/strings/inert-svg.ts";
import { preferredLanguage } from "../../src/lib/strings/preferred-language.ts";
import { parseIsoTime } from "../../src/lib/time/iso-time.ts";
import { fillBody, unknownPlaceholders } from "../../src/modules/notifications/message-template.ts";
import { growsFasterThanInput } from "../support/time-growth.ts";

/** What reads text and bytes from outside by hand takes time in proportion to their length, whatever they are made of. */

const KIB = 1024;
const pumped = (pump: string, size: number, head = "", tail = "") =>
  head + pump.repeat(Math.max(1, Math.floor(size / pump.length))) + tail;
const bytesOf = (text: string) => new TextEncoder().encode(text);
/** What is refused has been read, too. */
const calmly =
  <T>(read: (input: T) => unknown, input: T) =>
  () => {
    try {
      return read(input);
    } catch {
      return undefined;
    }
  };

const texts = (
  name: string,
  sizeMax: number,
  read: (text: string) => unknown,
  inputs: readonly (readonly [pump: string, head?: string, tail?: string])[],
) =>
  inputs.map(
    ([pump, head = "", tail = ""]) =>
      [
        `${name} of ${JSON.stringify(head + pump)}…`,
        sizeMax,
        (size: number) => calmly(read, pumped(pump, size, head, tail)),
      ] as const,
  );

const binary = (
  name: string,
  sizeMax: number,
  read: (bytes: Uint8Array) => unknown,
  inputs: readonly (readonly number[])[],
) =>
  inputs.map(
    (pump) =>
      [
        `${name} of ${Buffer.from(pump).toString("hex")}…`,
        sizeMax,
        (size: number) =>
          calmly(read, new Uint8Array(Buffer.alloc(size, Uint8Array.from(pump) as Uint8Array))),
      ] as const,
  );

const OPEN = "<svg xmlns='http://www.w3.org/2000/svg'>";

const rows = [
  ...texts("the logo check", 100 * KIB, (text) => isInertSvg(bytesOf(text)), [
    ["<!---->"],
    ["<!-- -->\n", "<?xml version='1.0'?>", "x"],
    ["<!--", OPEN],
    ["<g>", OPEN],
    ["<g/>", OPEN, "</svg>"],
    ["<", OPEN],
    ["&#x41;", OPEN, "</svg>"],
    ["&", OPEN],
    [" x='url(#a)'", "<svg", "/>"],
    ["url(", "<svg fill='", "'/>"],
    ["url( ", "<svg><style>", "</style></svg>"],
    ["\\", "<svg><style>", "</style></svg>"],
    ["\\75 ", "<svg><style>", "</style></svg>"],
    ["<![CDATA[x]]>", "<svg><style>", "</style></svg>"],
    ["<!doctype svg ", ""],
    [" ", "<svg", ">"],
    ["<a xmlns:b='c'/>", OPEN, "</svg>"],
    ["java", "<svg a='", "script:'/>"],
  ]),
  [
    "the logo check of names and namespaces that differ",
    100 * KIB,
    (size: number) => {
      let text = OPEN;
      for (let index = 0; text.length < size; index++) text += `<a:x${index} xmlns:a='${index}'/>`;
      return calmly(isInertSvg, bytesOf(`${text}</svg>`));
    },
  ] as const,
  ...texts("JSON depth", 1024 * KIB, depthOf, [["["], ["[]"], ['"']]),
  ...texts("a JSON body", 64 * KIB, (text) => decodeBody(bytesOf(text), "JSON"), [
    ["[1,"],
    ["{}"],
    ['{"a":'],
  ]),
  ...texts("an expression", 1_000, (text) => compileExpression(text, {} as never), [
    ["("],
    ["-"],
    ["!"],
    ["1+"],
    ["a?"],
    ["'"],
    [" "],
    ["a."],
    ["min(", "", "1"],
  ]),
  ...texts("the header of a CSV", 1024 * KIB, delimiterOf, [['"'], ['""'], ['"a'], ['"a",'], [","]]),
  ...texts("a topic filter", 64 * KIB, isValidFilter, [["/"], ["+/"], ["a"]]),
  ...texts("overlapping filters", 64 * KIB, (text) => filtersOverlap(text, `${text}x`), [["+/"], ["a/"]]),
  ...texts("a topic", 64 * KIB, (text) => filterMatches(`${text}#`, text), [["+/"], ["/"]]),
  ...texts(
    "a topic of a bridge",
    64 * KIB,
    (text) => filterMatches(withoutShare(`$share/x/${text}#`), text),
    [["+/"], ["$share/"]],
  ),
  ...texts("languages", 16 * KIB, (text) => preferredLanguage(text, text), [
    [","],
    [";q=1"],
    ["de;q=0.1,"],
    [" "],
  ]),
  ...texts("a message template", 16 * KIB, (text) => [unknownPlaceholders(text), fillBody(text, "", {})], [
    ["${"],
    ["$\u007btext}"],
    ["${a"],
  ]),
  ...texts("a time", 64 * KIB, parseIsoTime, [["2026-"], ["0"], ["2026-01-01T00:00:00."]]),
  ...texts("an address range", 64 * KIB, parseRange, [["0."], ["0"], [":"], ["/"], ["1.1.1.1"]]),
  ...binary("a CBOR body", 1024 * KIB, checkCbor, [
    [0x81],
    [0x80],
    [0x9f],
    [0xbf],
    [0x7f],
    [0xc2, 0x40],
    [0x9b, 0, 0, 0, 1, 0, 0, 0, 0],
    [0xf6],
    [0xd8, 0x40],
    [0x9f, 0xff],
  ]),
  ...binary("a Sparkplug payload", 256 * KIB, readPayload, [
    [0x12, 0x02, 0x0a, 0x00],
    [0x08, 0x01],
    [0x12],
    [0xff],
  ]),
  ...binary("MQTT properties", 64 * KIB, (bytes) => readProperties(bytes), [
    [0x26, 0, 0, 0, 0],
    [0x26, 0, 1, 0x61, 0, 1, 0x61],
    [0x0b, 0x01],
  ]),
];

function readProperties(bytes: Uint8Array): unknown {
  const length = bytes.length;
  const head = [(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, (length >> 14) & 0x7f];
  return Properties.read(new PacketCursor(Uint8Array.from([...head, ...bytes])), allowedIn.publish);
}

test("the measurement tells quadratic work from linear work", () => {
  const quadratic = (size: number) => () => {
    let sum = 0;
    for (let row = 0; row < size; row++) for (let column = 0; column < size; column++) sum += row ^ column;
    return sum;
  };
  const linear = (size: number) => () => {
    let sum = 0;
    for (let row = 0; row < size; row++) sum += row;
    return sum;
  };
  expect(growsFasterThanInput(quadratic, 8_000)).toBe(true);
  expect(growsFasterThanInput(linear, 8_000_000)).toBe(false);
});

test.each(rows)("%s", (_name, sizeMax, work) => {
  expect(growsFasterThanInput(work, sizeMax)).toBe(false);
});
