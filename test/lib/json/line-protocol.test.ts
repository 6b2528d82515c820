import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { exactJson } from "../../../src/lib/json/exact-json.ts";
import {
  type Line,
  type LineFailure,
  type LinePrecision,
  LineReader,
} from "../../../src/lib/json/line-protocol.ts";
import { FieldNames } from "../../../src/modules/uplinks/targets/field-names.ts";
import { LineWriter } from "../../../src/modules/uplinks/targets/influxdb/line-protocol.ts";
import { deviceOf, rowsOf } from "../../support/uplink-batches.ts";

function readAll(text: string, precision: LinePrecision = "ms"): Array<Line | LineFailure> {
  const reader = new LineReader(text, precision);
  const lines: Array<Line | LineFailure> = [];
  for (let line = reader.next(); line !== undefined; line = reader.next()) lines.push(line);
  return lines;
}
const fieldsOf = (values: string) => {
  const [line] = readAll(`m ${values}`);
  return line && ("reason" in line ? line.reason.code : { ...line.fields });
};
const reasonOf = (text: string) => {
  const [line] = readAll(text);
  return line && "reason" in line ? line.reason.code : "read";
};

describe("values", () => {
  test.each([
    ["a=1,b=-1.5e3,c=.5,d=1.,e=+2", { a: 1, b: -1500, c: 0.5, d: 1, e: 2 }],
    ["a=-9223372036854775808i,b=18446744073709551615u", { a: -(2 ** 63), b: "18446744073709551615" }],
    [
      "a=9007199254740993i,b=9007199254740992i,c=-9007199254740993i",
      { a: "9007199254740993", b: 2 ** 53, c: "-9007199254740993" },
    ],
    ["a=+0000000000000000007i", { a: 7 }],
    ["a=t,b=T,c=true,d=True,e=TRUE", { a: true, b: true, c: true, d: true, e: true }],
    ["a=f,b=F,c=false,d=False,e=FALSE", { a: false, b: false, c: false, d: false, e: false }],
    [String.raw`a="x \"y\" \\ \n",b=""`, { a: String.raw`x "y" \ \n`, b: "" }],
    ['a="1, 2=3\n4",b=1', { a: "1, 2=3\n4", b: 1 }],
    [String.raw`a\ b\,c\=d=1`, { "a b,c=d": 1 }],
    ["a=9223372036854775808i", "line.number_range"],
    ["a=1e999", "line.number_range"],
    ["a=NaN", "line.value_invalid"],
    ["a=tRUE", "line.value_invalid"],
    ["a=-1u", "line.value_invalid"],
    ["a='x'", "line.value_invalid"],
    ["a=", "line.value_invalid"],
    ["a", "line.field_invalid"],
    ["=1", "line.field_invalid"],
    ["a=1,", "line.fields_missing"],
    ['a="x', "line.quote_open"],
    ['a="x"y', "line.timestamp_invalid"],
  ])("%s", (text, expected) => {
    expect(fieldsOf(text)).toEqual(expected as never);
  });
});

test("reads measurement, tags and timestamps, and skips comments and empty lines", () => {
  const text = String.raw`
# comment="

cpu\ all,host=a\ b,path=C:\x\\,=bad x=1 5
cpu\ all,host=a\ b,path=C:\x x=1 5 ${""}
m x=1`;
  const [bad, line, last] = readAll(`${text}\r\n`);
  expect(bad).toMatchObject({ number: 4, reason: { code: "line.tag_invalid" } });
  expect(line).toMatchObject({
    number: 5,
    measurement: "cpu all",
    tags: [
      ["host", "a b"],
      ["path", String.raw`C:\x`],
    ],
    ts: 5,
  });
  expect(last).toMatchObject({ number: 6, measurement: "m", tags: [], ts: undefined });
});

test.each([
  ["1700000000123456789", "ns", 1700000000123],
  ["999999", "ns", 0],
  ["1700000000123456", "us", 1700000000123],
  ["1700000000123", "ms", 1700000000123],
  ["1700000000", "s", 1700000000000],
  ["28333333", "m", 1699999980000],
  ["472222", "h", 1699999200000],
] as const)("a timestamp %s in %s", (text, precision, ts) => {
  expect(readAll(`m a=1 ${text}`, precision)).toMatchObject([{ ts }]);
});

test.each([
  ["m a=1 1.5", "line.timestamp_invalid"],
  ["m a=1 x", "line.timestamp_invalid"],
  ["m a=1 1 2", "line.end_expected"],
  ["m", "line.fields_missing"],
  ["m,a=1", "line.fields_missing"],
  ["m,a= x=1", "line.tag_invalid"],
  [",a=1 x=1", "line.measurement_missing"],
  [`m ${Array.from({ length: 513 }, (_, index) => `f${index}=1`).join()}`, "telemetry.too_many_keys"],
])("refuses %j", (text, code) => {
  expect(reasonOf(text)).toBe(code);
});

test("goes on behind a line that it cannot read, and behind a line break within its strings", () => {
  const lines = readAll('m a=x,b="1\n2" 1\nm a=1 2\nm,t="q a=1\nm a=1,"=x\nm a=2 3');
  expect(lines.map((line) => ("reason" in line ? line.number : [line.number, line.ts]))).toEqual([
    1,
    [3, 2],
    [4, undefined],
    5,
    [6, 3],
  ]);
});

test("takes a space that is escaped for no beginning of fields", () => {
  const lines = readAll(String.raw`m\ n="q` + "\nm a=1 2");
  expect(lines.map((line) => ("reason" in line ? line.number : line.ts))).toEqual([1, 2]);
});

test("lists the fields that a line repeats, and takes their last values", () => {
  const [line] = readAll("m a=1,b=2,a=3,a=4,c=5");
  expect(line).toMatchObject({ fields: { a: 4, b: 2, c: 5 }, repeated: ["a", "a"] });
});

test("reads any text to its end, with every line in it", () => {
  const piece = fc.constantFrom("m", ",", "=", " ", '"', "\\", "\n", "\r", "#", "a=1", "1", "t", "é", "-");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join("");
      const reader = new LineReader(text, "ns");
      let position = -1;
      for (let line = reader.next(); line !== undefined; line = reader.next()) {
        expect(reader.position).toBeGreaterThan(position);
        expect(line.number).toBe(text.slice(0, line.start).split("\n").length);
        position = reader.position;
      }
      expect(reader.position).toBe(text.length);
    }),
  );
});

test("returns equal what an uplink wrote", () => {
  const name = fc
    .string({ minLength: 1, unit: "grapheme" })
    .filter((text) => !/[\r\n]|\\$|^#|^\s/.test(text));
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
    fc.boolean(),
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: fc.constantFrom("\n", '"', "\\", ",", "=", " ", "é") }),
    fc.array(fc.integer(), { maxLength: 3 }),
  );
  const source = fc.record({
    type: name,
    tag: name,
    values: fc.dictionary(name, value, { minKeys: 1, maxKeys: 6, noNullPrototype: true }),
  });
  fc.assert(
    fc.property(fc.array(source, { minLength: 1, maxLength: 5 }), (rows) => {
      const names = new FieldNames(false);
      const writer = new LineWriter({ measurement: "{type}", deviceTags: ["name"], names, texts: true });
      for (const [ts, { type, tag, values }] of rows.entries()) {
        const columns = Object.fromEntries(Object.entries(values).map(([key, entry]) => [key, [entry]]));
        writer.rows(rowsOf(deviceOf({ type, name: tag }), [ts], columns));
      }
      const expected = rows.map(({ type, tag, values }, ts) => ({
        measurement: type,
        tags: [["name", tag]],
        fields: fieldsWritten(type, values),
        ts,
      }));
      expect(rowsIn(new TextDecoder().decode(writer.take()))).toEqual(expected as never);
    }),
  );

  function fieldsWritten(type: string, values: Record<string, unknown>) {
    const names = new FieldNames(false);
    const typeOf = (entry: unknown) =>
      typeof entry === "number" ? "num" : typeof entry === "boolean" ? "bool" : "str";
    return Object.fromEntries(
      Object.entries(values).map(([key, entry]) => [
        names.ofField(type, key, typeOf(entry)),
        typeof entry === "object" ? exactJson(entry as never) : entry,
      ]),
    );
  }

  /** The rows of a text: one whose strings have line breaks was written in two lines. */
  function rowsIn(text: string) {
    const rows: Array<Pick<Line, "measurement" | "tags" | "fields" | "ts">> = [];
    for (const line of readAll(text)) {
      if ("reason" in line) throw new Error(line.reason.code);
      const { measurement, tags, fields, ts } = line;
      const row = rows[ts ?? 0];
      if (row === undefined) rows.push({ measurement, tags, fields: { ...fields }, ts });
      else Object.assign(row.fields, fields);
    }
    return rows;
  }
});
