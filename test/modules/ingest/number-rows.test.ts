import { expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { DomainError } from "../../../src/lib/core/domain-error.ts";
import { NumberRows } from "../../../src/lib/csv/csv-numbers.ts";
import { fileRules, readFileTime, TimeFault } from "../../../src/lib/time/timestamp.ts";
import { type ImportTarget, runImport } from "../../../src/modules/ingest/history-import.ts";
import { toReadings } from "../../../src/modules/ingest/readings.ts";
import type { Reading } from "../../../src/modules/telemetry/telemetry.types.ts";

const NOW = Date.parse("2026-06-01T00:00:00Z");
/** Rows that are held back until they show how the numbers are written. */
const SAMPLE_ROWS = 1_000;

const numbers = fc.oneof(
  { weight: 2, arbitrary: fc.integer().map(String) },
  { weight: 20, arbitrary: fc.integer({ min: -99_999 }).map((number) => (number / 100).toFixed(2)) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String) },
  { weight: 1, arbitrary: fc.tuple(fc.nat(), fc.nat()).map(([whole, decimals]) => `${whole}.${decimals}`) },
);
const oddNumbers = [
  ...["-0", "-0.0", "00.10", "+3", ".5", "5.", "1e5", "--1", "-", "1.234", "1.2.3", "1,5", "1.234,5", "0x1"],
  ...["999999999999999", "9999999999999999", "0.1234567890123456", "0.000000000000001", "123456789.123456"],
];
const others = ["", "", "true", "idle", "12.5abc", "12,3abc", " 7", "7 ", "\u00a07", "é", "'=1", '"7"', '"'];
const cell = fc.oneof(
  { weight: 40, arbitrary: numbers },
  { weight: 4, arbitrary: fc.constantFrom(...oddNumbers) },
  { weight: 1, arbitrary: fc.constantFrom(...others) },
);
const commaCell = cell.map((text) => text.replace(".", ","));
const time = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: NOW - 1e9, max: NOW }).map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...[
        "1780000000",
        "1780000000.5",
        "0",
        "007",
        "-5",
        "1e12",
        "99999999999999",
        "1234567890123456",
        "1234567890123",
      ],
      ...[
        "2026-01-05T10:00:00Z",
        "2026-01-05T10:00:00.123+01:00",
        "2026-01-05 10:00",
        "05.01.2026 10:00",
        "2026-01-05",
      ],
      ...["", "never", " 1780000000000", "1780000000000 ", "2026-02-31", "é", "1780000000,5"],
    ),
  },
);
const row = (cells: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 20, arbitrary: fc.tuple(time, cells, cells) },
    { weight: 1, arbitrary: fc.array(cells, { maxLength: 4 }) },
  );

interface File {
  readonly delimiter: "," | ";" | "\t";
  readonly decimal: "comma" | "point" | undefined;
  readonly ending: "\n" | "\r\n";
  /** Ends of single lines that are others. */
  readonly endings: readonly ("\n" | "\r\n" | "\n\n" | "\r")[];
  readonly rows: readonly (readonly string[])[];
  readonly sizes: readonly number[];
  readonly skipRows: number;
  /** Number of rows of numbers before the others. */
  readonly sampleRows: number;
}

const dialect = fc.constantFrom(
  { delimiter: ",", decimal: undefined, cells: cell },
  { delimiter: ",", decimal: "comma", cells: cell },
  { delimiter: ";", decimal: undefined, cells: commaCell },
  { delimiter: ";", decimal: "point", cells: cell },
  { delimiter: ";", decimal: "comma", cells: fc.oneof({ weight: 9, arbitrary: commaCell }, cell) },
  { delimiter: "\t", decimal: undefined, cells: cell },
) satisfies fc.Arbitrary<Pick<File, "delimiter" | "decimal"> & { cells: unknown }>;

const file: fc.Arbitrary<File> = dialect.chain(({ delimiter, decimal, cells }) =>
  fc.record({
    delimiter: fc.constant(delimiter),
    decimal: fc.constant(decimal),
    ending: fc.constantFrom("\n", "\r\n"),
    endings: fc.array(fc.constantFrom("\n", "\r\n", "\n\n", "\r"), { maxLength: 1 }),
    rows: fc.array(row(cells), { maxLength: 60, size: "max" }),
    sizes: fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 4 }),
    skipRows: fc.constantFrom(0, 0, 3),
    sampleRows: fc.constantFrom(0, SAMPLE_ROWS - 10, SAMPLE_ROWS, SAMPLE_ROWS),
  }),
);

function bodyOf(text: string, sampleLength: number, sizes: readonly number[]): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.subarray(0, sampleLength));
      for (let start = sampleLength, turn = 0; start < bytes.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 1;
        controller.enqueue(bytes.subarray(start, start + size));
        start += size;
      }
      controller.close();
    },
  });
}

const rules = fileRules({ now: NOW });

function timeOf(value: unknown): number {
  const ts = readFileTime(value, rules);
  if (ts instanceof TimeFault) throw new DomainError("invalid", ts.reason);
  return ts;
}

/** Imports the file. With its header in quotes csv-parse reads all of it. */
async function importFile(
  { delimiter, decimal, ending, endings, rows, sizes, skipRows, sampleRows }: File,
  header: readonly string[],
) {
  const stored: Reading[] = [];
  const target: ImportTarget = {
    decode: (body) => toReadings(body, NOW, { timeOf }),
    now: NOW,
    store: async (readings) => void stored.push(...readings),
  };
  const start = `${header.join(delimiter)}${ending}${`1600000000${delimiter}1${delimiter}1${ending}`.repeat(sampleRows)}`;
  const lines = rows.map(
    (cells, index) => `${cells.join(delimiter)}${index === 3 ? (endings[0] ?? ending) : ending}`,
  );
  const body = bodyOf(start + lines.join(""), start.length, sizes);
  const progress = runImport({ body, format: "csv", csv: { delimiter, decimal }, skipRows }, target);
  try {
    for (;;) {
      const step = await progress.next();
      if (step.done === true) return { result: step.value, stored };
    }
  } catch (error) {
    // csv-parse counts the lines from where it begins to read.
    return { error: String(error).replace(/ at line \d+/, "") };
  }
}

test("rows of numbers become the same as rows that are split into cells", async () => {
  const next = spyOn(NumberRows.prototype, "next");
  await fc.assert(
    fc.asyncProperty(file, async (content) => {
      const split = await importFile(content, ['"ts"', "a", "b"]);
      expect(await importFile(content, ["ts", "a", "b"])).toEqual(split);
    }),
    { numRuns: 300 },
  );
  expect(next.mock.results.filter(({ value }) => value === true).length).toBeGreaterThan(300);
  next.mockRestore();
});
