import { expect, test } from "bun:test";
import fc from "fast-check";
import { ByteWriter } from "../../../../src/lib/data/byte-writer.ts";
import { TextWriter } from "../../../../src/lib/data/text-writer.ts";
import { decodeBody } from "../../../../src/lib/json/body.ts";
import type { JsonValue } from "../../../../src/lib/json/json.ts";
import { readPayload } from "../../../../src/lib/sparkplug/sparkplug-payload.ts";
import {
  DataType,
  type Metric,
  writeMetric,
  writeSequence,
  writeTimestamp,
} from "../../../../src/lib/sparkplug/sparkplug-writer.ts";
import type { RowsRecord } from "../../../../src/modules/uplinks/target.types.ts";
import { FieldNames } from "../../../../src/modules/uplinks/targets/field-names.ts";
import { LineWriter } from "../../../../src/modules/uplinks/targets/influxdb/line-protocol.ts";
import { CborRows } from "../../../../src/modules/uplinks/targets/mqtt/cbor-rows.ts";
import { packRows } from "../../../../src/modules/uplinks/targets/row-packing.ts";
import {
  compilePayload,
  ROW_TEMPLATE,
  TemplateRows,
} from "../../../../src/modules/uplinks/targets/template-rows.ts";
import { deviceOf, rowsOf } from "../../../support/uplink-batches.ts";

type Row = readonly [ts: number, values: Record<string, JsonValue>];

const text = fc.string({ unit: "binary" });
const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  text,
  fc.array(fc.oneof(fc.integer(), text), { maxLength: 3 }),
);
/** The decoder of CBOR renames `__proto__`. */
const key = fc.string({ minLength: 1, unit: "binary" }).filter((name) => name !== "__proto__");
const keys = fc.uniqueArray(key, { maxLength: 6 });

/** Rows with gaps. */
const record = fc
  .tuple(keys, fc.array(fc.integer({ min: 0, max: 4e12 }), { maxLength: 12 }))
  .chain(([names, ts]) =>
    fc
      .tuple(
        ...names.map((name) =>
          fc
            .array(fc.option(value, { nil: undefined }), { minLength: ts.length, maxLength: ts.length })
            .map((values) => [name, values] as const),
        ),
      )
      .map((columns) => rowsOf(deviceOf(), ts, Object.fromEntries(columns))),
  );

/** What a record holds, value by value, without its division into rows. */
function valuesOf(source: RowsRecord): unknown[] {
  const values: unknown[] = [];
  for (const [row, ts] of source.ts.entries())
    for (const { key, tags, numbers, texts } of source.columns) {
      const tag = tags[row] ?? 0;
      if (tag === 0) continue;
      const json =
        tag === 1
          ? numbers[row]
          : tag <= 3
            ? tag === 3
            : tag === 4
              ? texts?.[row]
              : JSON.parse(texts?.[row] ?? "");
      values.push([ts, key, json]);
    }
  return values;
}

const flat = (rows: readonly Row[]): unknown[] =>
  rows.flatMap(([ts, values]) => Object.entries(values).map(([key, item]) => [ts, key, item]));

const sorted = (values: readonly unknown[]) => values.map((item) => JSON.stringify(item)).sort();

const withoutRepeats = (times: readonly number[]) => times.filter((ts, index) => ts !== times[index - 1]);

interface WireRow {
  readonly ts: number;
  readonly values: Record<string, JsonValue>;
}

const limits = fc.record({
  bytesMax: fc.integer({ min: 100, max: 2_000 }),
  rowsMax: fc.integer({ min: 2, max: 20 }),
});

for (const format of ["JSON", "CBOR"] as const)
  test(`${format} messages hold every value once, within their limits`, () => {
    const template = compilePayload(ROW_TEMPLATE);
    fc.assert(
      fc.property(record, limits, (source, { bytesMax, rowsMax }) => {
        const writer = new TextWriter();
        const rows =
          format === "CBOR"
            ? new CborRows(writer, source, true)
            : new TemplateRows(writer, source, { template, head: "[", tail: "]", nonFinite: "null" });
        const messages = [...packRows(writer, rows, { bytesMax, rowsMax })];
        const decoded = messages.map((bytes) => decodeBody(bytes, format) as WireRow[]);
        for (const [index, items] of decoded.entries()) {
          expect(items.length).toBeGreaterThan(0);
          expect(items.length).toBeLessThanOrEqual(rowsMax);
          const isSingle = items.length === 1 && Object.keys(items[0]?.values ?? {}).length === 1;
          if (!isSingle) expect(messages[index]?.length).toBeLessThanOrEqual(bytesMax);
        }
        const found = decoded.flat().map(({ ts, values }): Row => [ts, values]);
        expect(sorted(flat(found))).toEqual(sorted(valuesOf(source)));
        const isWritten = (row: number) => source.columns.some(({ tags }) => tags[row] !== 0);
        const times = [...source.ts].filter((_, row) => isWritten(row));
        expect(withoutRepeats(found.map(([ts]) => ts))).toEqual(withoutRepeats(times));
      }),
    );
  });

test("a number keeps its bits in CBOR, also where JSON has null", () => {
  const numbers = [
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -0,
    5e-324,
    2 ** 53,
    -(2 ** 32) - 1,
    255,
    256,
    65_536,
  ];
  const source = rowsOf(
    deviceOf(),
    numbers.map((_, index) => index + 1e12),
    { n: numbers },
  );
  const writer = new TextWriter();
  const [cbor] = packRows(writer, new CborRows(writer, source, true), { bytesMax: 10_000, rowsMax: 100 });
  const rows = decodeBody(cbor ?? new Uint8Array(), "CBOR") as WireRow[]; // as just encoded
  expect(rows.map(({ values }) => values.n)).toEqual(numbers);
  const json = new TemplateRows(writer, source, {
    template: compilePayload("{values}"),
    head: "[",
    tail: "]",
    nonFinite: "null",
  });
  const [bytes] = packRows(writer, json, { bytesMax: 10_000, rowsMax: 100 });
  const decoded = JSON.parse(new TextDecoder().decode(bytes)) as { n: number }[];
  expect(decoded.map(({ n }) => n)).toEqual([null, null, ...numbers.slice(2)] as number[]);
});

test("a metric of Sparkplug B reads back as it was written", () => {
  const metric = fc.record({
    name: fc.string({ minLength: 1, unit: "grapheme" }),
    ts: fc.integer({ min: 0, max: 4e12 }),
    isHistorical: fc.boolean(),
    value: fc.oneof(fc.double(), fc.boolean(), fc.string({ unit: "grapheme" }), fc.constant(null)),
  });
  fc.assert(
    fc.property(fc.array(metric), fc.integer({ min: 0, max: 255 }), (metrics, seq) => {
      const writer = new ByteWriter();
      writeTimestamp(writer, 1_700_000_000_000);
      for (const { name, ...rest } of metrics) {
        const written: Metric = { ...rest, name: new TextEncoder().encode(name), dataType: DataType.double };
        writeMetric(writer, written);
      }
      writeSequence(writer, seq);
      const payload = readPayload(writer.bytes().slice());
      expect(payload.seq).toBe(seq);
      expect(
        payload.metrics.map(({ name, timestamp, value: read, isNull }) => [
          name,
          timestamp,
          isNull ? null : read,
        ]),
      ).toEqual(metrics.map(({ name, ts, value: written }) => [name, ts, written]));
    }),
  );
});

test("a line does not begin as a comment, whatever the type of the device", () => {
  const options = { measurement: "{type}", deviceTags: ["device"], texts: true } as const;
  const writer = new LineWriter({ ...options, names: new FieldNames(true) });
  writer.rows(rowsOf(deviceOf({ type: "#1 pump" }), [1], { n: [1] }));
  expect(new TextDecoder().decode(writer.take())).toStartWith("-#1\\ pump,device=");
});
