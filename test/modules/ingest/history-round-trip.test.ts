import { expect, test } from "bun:test";
import fc from "fast-check";
import type { DeviceId } from "../../../src/lib/core/ids.ts";
import { parseJson } from "../../../src/lib/json/sent-json.ts";
import { renderHistory } from "../../../src/modules/ingest/history.service.ts";
import type { ScanChunk } from "../../../src/modules/telemetry/store/store.types.ts";
import type { TelemetryValue } from "../../../src/modules/telemetry/telemetry.types.ts";
import { read } from "../../lib/csv/history-rows-fixture.ts";

/** What an export holds comes back by an import of it. In CSV that is so for columns of one type, because a text such as `5` is a number there. */

const deviceId = "d" as DeviceId; // any text is an id here
const T0 = Date.UTC(2026, 0, 1);

interface Row {
  readonly ts: number;
  readonly values: Readonly<Record<string, TelemetryValue>>;
}

async function exported(
  format: "csv" | "ndjson",
  { keys, rows }: { keys: readonly string[]; rows: readonly Row[] },
): Promise<Buffer> {
  const chunk: ScanChunk = {
    deviceId,
    ts: Float64Array.from(rows, ({ ts }) => ts),
    columns: keys.map((key) => ({ key, at: (row: number) => rows[row]?.values[key] })),
    position: { deviceId, ts: rows.at(-1)?.ts ?? T0 },
  };
  async function* chunks(): AsyncGenerator<ScanChunk> {
    yield chunk;
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of renderHistory(chunks(), { format, keys })) pieces.push(piece.slice());
  return Buffer.concat(pieces);
}

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(0, -0, 1e21, 5e-324, 1.234, -1.5e308, 2 ** 53),
);
/** Begins as no number does; blanks at the ends of a cell are not kept. */
const text = fc
  .tuple(fc.constantFrom("x", "=", "'", "@", '"', "ä,", "a\r\nb", "[", "{"), fc.string({ maxLength: 8 }))
  .map(([start, rest]) => `${start}${rest.replaceAll("\0", "")}x`);
const column = fc.oneof(fc.constant(number), fc.constant(fc.boolean()), fc.constant(text)) as fc.Arbitrary<
  fc.Arbitrary<TelemetryValue>
>;
const key = fc
  .tuple(fc.constantFrom("t", "Größe", 'a,"b"', "a;b", "=sum", "#", "time 2"), fc.nat(9))
  .map(([name, no]) => `${name} ${no}`);

const anything = fc.oneof(
  number,
  fc.boolean(),
  text,
  fc.constantFrom("5", "NA", "true", "", "9007199254740993"),
  fc.jsonValue().filter((value) => value !== null),
) as fc.Arbitrary<TelemetryValue>;

const historyOf = (column: fc.Arbitrary<fc.Arbitrary<TelemetryValue>>) =>
  fc
    .uniqueArray(fc.tuple(key, column), { minLength: 1, maxLength: 4, selector: ([name]) => name })
    .chain((columns) => {
      const values = fc.record(Object.fromEntries(columns), { requiredKeys: [] });
      const row = fc.tuple(fc.integer({ min: 1, max: 100_000 }), values);
      return fc.array(row, { minLength: 1, maxLength: 20 }).map((all) => {
        const rows = all
          .filter(([, values]) => Object.keys(values).length > 0)
          .map(
            ([ms, values], index): Row => ({
              ts: T0 + index * 100_000 + ms,
              values: values as Row["values"],
            }),
          );
        return { keys: columns.map(([name]) => name), rows };
      });
    });

test("an export as CSV comes back as it was", async () => {
  await fc.assert(
    fc.asyncProperty(historyOf(column), async ({ keys, rows }) => {
      const file = await exported("csv", { keys, rows });
      const back = await read(file);
      const seen = back.rows.map((row) =>
        "error" in row ? row.error : { ts: row.ts, values: { ...row.values } },
      );
      expect([file.toString(), seen]).toEqual([
        file.toString(),
        rows.map(({ ts, values }) => ({ ts, values: { ...values } })) as never,
      ]);
    }),
    { numRuns: 1_000 },
  );
});

test("and as NDJSON, whatever its values are", async () => {
  await fc.assert(
    fc.asyncProperty(historyOf(fc.constant(anything)), async ({ keys, rows }) => {
      const file = (await exported("ndjson", { keys, rows })).toString();
      const back = file
        .split("\n")
        .slice(0, -1)
        .map((line) => parseJson(line));
      expect(back).toEqual(rows.map(({ ts, values }) => ({ ts, values: { ...values } })) as never);
    }),
    { numRuns: 1_000 },
  );
});
