import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import type { CsvOptions } from "../../../src/lib/csv/history-rows.ts";
import { read, shown, utf16 } from "./history-rows-fixture.ts";

const berlin = { timezone: "Europe/Berlin" };
const windows = new Uint8Array(
  [..."Datum;Zähler;Zöhler\n01.01.2024 00:00;7;8\n"].map((char) => char.charCodeAt(0)),
);

describe("files as people have them", () => {
  const cases: ReadonlyArray<
    readonly [name: string, file: string | Uint8Array, csv: CsvOptions, rows: readonly string[]]
  > = [
    [
      "date and time in two columns",
      "Datum;Zeit;Wert\n01.08.2025;00:00;1,5\n01.08.2025;00:15;2,5\n",
      {},
      ['2025-08-01T00:00:00Z {"Wert":1.5}', '2025-08-01T00:15:00Z {"Wert":2.5}'],
    ],
    [
      "rows that end with a separator",
      "time,temp,hum\n2024-01-01T00:00:00Z,21.5,40,\n",
      {},
      ['2024-01-01T00:00:00Z {"temp":21.5,"hum":40}'],
    ],
    [
      "a cell behind the header",
      "time,temp\n2024-01-01,1,2\n2024-01-02,1\n",
      {},
      ["import_error.too_many_cells", '2024-01-02T00:00:00Z {"temp":1}'],
    ],
    ["two columns with one name", "ts,t,t\n2024-01-01 00:00:00,1,2\n", {}, ["import.column_twice"]],
    [
      "two columns with one name, which are left out",
      "ts,t,t,u\n2024-01-01 00:00:00,1,2,3\n",
      { skip: ["t"] },
      ['2024-01-01T00:00:00Z {"u":3}'],
    ],
    [
      "row names of R",
      '"Date";"v";"ts"\n"66637";2007-02-01;0.326;2007-02-01 00:00:00\n',
      { decimal: "point" },
      ['2007-02-01T00:00:00Z {"Date":"2007-02-01","v":0.326}'],
    ],
    [
      "an unnamed index",
      ",time,a\n0,2024-01-01,5\n1,2024-01-02,6\n",
      {},
      ['2024-01-01T00:00:00Z {"a":5}', '2024-01-02T00:00:00Z {"a":6}'],
    ],
    [
      "a time column by content",
      "entity_id,state,last_changed\nsensor.x,18894.5,2025-08-31T22:00:00.000Z\n",
      {},
      ['2025-08-31T22:00:00Z {"entity_id":"sensor.x","state":18894.5}'],
    ],
    ["another", "Hour Start,kWh\n2024-01-01 00:00,1\n", {}, ['2024-01-01T00:00:00Z {"kWh":1}']],
    ["another", "Date/time UTC,kWh\n2024-01-01 00:00,1\n", {}, ['2024-01-01T00:00:00Z {"kWh":1}']],
    [
      "annotated CSV",
      "#datatype,dateTime:RFC3339,double\n#group,false,false\n,_time,_value\n,2024-01-01T00:00:00Z,5\n",
      {},
      ['2024-01-01T00:00:00Z {"_value":5}'],
    ],
    [
      "a serial number beside the time",
      "serial,timestamp,kWh\n1234567890,2024-01-01 00:00:00,1\n1234567890,2024-01-01 01:00:00,2\n",
      {},
      [
        '2024-01-01T00:00:00Z {"serial":1234567890,"kWh":1}',
        '2024-01-01T01:00:00Z {"serial":1234567890,"kWh":2}',
      ],
    ],
    [
      "numbers that do not rise are not a time",
      "serial,kWh\n1234567890,1\n1234567890,2\n",
      {},
      ["import.time_missing"],
    ],
    [
      "numbers that rise are",
      "a,kWh\n1704067200,1\n1704070800,2\n",
      {},
      ['2024-01-01T00:00:00Z {"kWh":1}', '2024-01-01T01:00:00Z {"kWh":2}'],
    ],
    ["a time column by name", "a,b\n5,2024-01-01\n", { time: "B" }, ['2024-01-01T00:00:00Z {"a":5}']],
    ["a time column by number", "a,b\n5,2024-01-01\n", { time: "2" }, ['2024-01-01T00:00:00Z {"a":5}']],
    ["a column that is not there", "a,b\n5,2024-01-01\n", { time: "c" }, ["import.column_missing"]],
    [
      "dates whose day and month can be exchanged",
      "Date,kWh\n11/12/2023 00:00,1\n10/12/2023 00:00,4\n",
      berlin,
      ["import_error.time: telemetry.ts_order", "import_error.time: telemetry.ts_order"],
    ],
    [
      "dates that show their order",
      "Date,kWh\n11/12/2023 00:00,1\n31/12/2023 00:00,4\n",
      berlin,
      ['2023-12-10T23:00:00Z {"kWh":1}', '2023-12-30T23:00:00Z {"kWh":4}'],
    ],
    [
      "dates whose order is given",
      "Date,kWh\n11/12/2023 3:00 PM,1\n",
      { dates: "month-first" },
      ['2023-11-12T15:00:00Z {"kWh":1}'],
    ],
    [
      "an hour that does not exist",
      "Zeit;kWh\n30.03.2025 01:30;0\n30.03.2025 02:00;1\n30.03.2025 02:30;2\n30.03.2025 03:00;3\n",
      berlin,
      [
        '2025-03-30T00:30:00Z {"kWh":0}',
        "import_error.time: telemetry.ts_skipped",
        "import_error.time: telemetry.ts_skipped",
        '2025-03-30T01:00:00Z {"kWh":3}',
      ],
    ],
    [
      "an hour that comes twice, hourly",
      "Zeit;kWh\n26.10.2025 01:00;1\n26.10.2025 02:00;2\n26.10.2025 02:00;3\n26.10.2025 03:00;4\n",
      berlin,
      [
        '2025-10-25T23:00:00Z {"kWh":1}',
        '2025-10-26T00:00:00Z {"kWh":2}',
        '2025-10-26T01:00:00Z {"kWh":3}',
        '2025-10-26T02:00:00Z {"kWh":4}',
      ],
    ],
    [
      "an hour that comes twice, newest first",
      "Zeit;kWh\n26.10.2025 03:00;5\n26.10.2025 02:30;4\n26.10.2025 02:00;3\n26.10.2025 02:30;2\n26.10.2025 02:00;1\n",
      berlin,
      [
        '2025-10-26T02:00:00Z {"kWh":5}',
        '2025-10-26T01:30:00Z {"kWh":4}',
        '2025-10-26T01:00:00Z {"kWh":3}',
        '2025-10-26T00:30:00Z {"kWh":2}',
        '2025-10-26T00:00:00Z {"kWh":1}',
      ],
    ],
    ["24:00", "time,a\n2023-07-20 24:00,7\n", berlin, ['2023-07-20T22:00:00Z {"a":7}']],
    [
      "zones of databases and shells",
      "t,a\n2023-02-10 15:41:33+01,1\n2023-02-10 15:41:33.895+00,2\n2023-07-20 22:02:38 UTC,3\n",
      {},
      ['2023-02-10T14:41:33Z {"a":1}', '2023-02-10T15:41:33.895Z {"a":2}', '2023-07-20T22:02:38Z {"a":3}'],
    ],
    [
      "dates before 2000",
      "ts,v\n1970-01-10 00:00,1\n1971-05-01 00:00,2\n",
      {},
      ['1970-01-10T00:00:00Z {"v":1}', '1971-05-01T00:00:00Z {"v":2}'],
    ],
    [
      "dates as numbers",
      "date,a\n20240101,1\n2024010100,2\n202401010010,3\n",
      {},
      Array(3).fill("import_error.time: telemetry.ts_compact"),
    ],
    [
      "epochs",
      "date,a\n1704067200,1\n1704067200000,2\n1704067200.5,3\n",
      {},
      ['2024-01-01T00:00:00Z {"a":1}', '2024-01-01T00:00:00Z {"a":2}', '2024-01-01T00:00:00.500Z {"a":3}'],
    ],
    ["nanoseconds", "time,a\n1482669077000000000,0\n", {}, ['2016-12-25T12:31:17Z {"a":0}']],
    ["Windows-1252", windows, {}, ['2024-01-01T00:00:00Z {"Zähler":7,"Zöhler":8}']],
    [
      "UTF-16, little end first",
      utf16("ts;Größe\n2024-01-01;7\n", false),
      {},
      ['2024-01-01T00:00:00Z {"Größe":7}'],
    ],
    [
      "UTF-16, big end first",
      utf16("ts;Größe\n2024-01-01;7\n", true),
      {},
      ['2024-01-01T00:00:00Z {"Größe":7}'],
    ],
    ["a mark of UTF-8", "\ufeffts;Größe\n2024-01-01;7\n", {}, ['2024-01-01T00:00:00Z {"Größe":7}']],
    ["NULs at the end", "ts;a\n2024-01-01;7\n\0\0\0", {}, ['2024-01-01T00:00:00Z {"a":7}']],
    ["a spreadsheet", new Uint8Array([0x50, 0x4b, 0x03, 0x04, 1, 2, 3]), {}, ["import.not_text"]],
    [
      "UTF-8 with a broken byte",
      Buffer.concat([Buffer.from("ts;Größe\n2024-01-01;7"), Buffer.from([0xff, 0x0a])]),
      {},
      ["import.not_utf8"],
    ],
    [
      "mixed line ends",
      "ts,a\r\n2024-01-01 00:00:00,1\n2024-01-01 00:01:00,2\n",
      {},
      ['2024-01-01T00:00:00Z {"a":1}', '2024-01-01T00:01:00Z {"a":2}'],
    ],
    [
      "line ends of old computers",
      "ts,a\r2024-01-01,1\r2024-01-02,2",
      {},
      ['2024-01-01T00:00:00Z {"a":1}', '2024-01-02T00:00:00Z {"a":2}'],
    ],
    [
      "a line for spreadsheets, blank lines and comments",
      "\n# by a logger\nsep=|\n\nts|a\n2024-01-01|1,5\n",
      {},
      ['2024-01-01T00:00:00Z {"a":1.5}'],
    ],
    [
      "missing values",
      "ts,a,b\n2024-01-01 00:00,1,on\n2024-01-01 00:01,NA,unknown\n2024-01-01 00:02,2,off\n",
      {},
      [
        '2024-01-01T00:00:00Z {"a":1,"b":"on"}',
        '2024-01-01T00:01:00Z {"b":"unknown"}',
        '2024-01-01T00:02:00Z {"a":2,"b":"off"}',
      ],
    ],
    [
      "apostrophes",
      "ts,a\n2024-01-01,1'234.5\n2024-01-02,2'000\n",
      { decimal: "point" },
      ['2024-01-01T00:00:00Z {"a":1234.5}', '2024-01-02T00:00:00Z {"a":2000}'],
    ],
    [
      "the header again",
      "ts,a\n2024-01-01,1\nts,a\n2024-01-02,2\n",
      {},
      ['2024-01-01T00:00:00Z {"a":1}', '2024-01-02T00:00:00Z {"a":2}'],
    ],
    [
      "no header",
      "2024-01-01,1\n2024-01-02,2\n",
      { names: ["when", "a"] },
      ['2024-01-01T00:00:00Z {"a":1}', '2024-01-02T00:00:00Z {"a":2}'],
    ],
    ["an empty file", "", {}, ["import.empty"]],
    ["a header alone", "ts,a\n", {}, []],
  ];

  test.each(cases.map((each, index) => [`${each[0]} (${index})`, ...each.slice(1)] as const))(
    "%s",
    async (_, file, csv, rows) => {
      const [content, options] = [file as string, csv as CsvOptions];
      expect(await shown(content, options)).toEqual(rows as string[]);
      expect(await shown(content, options, 3)).toEqual(rows as string[]);
    },
  );

  test.each(["windows-1252.csv", "line-ends.csv"])("the file %s", async (name) => {
    const file = readFileSync(new URL(`history-files/${name}`, import.meta.url));
    expect(await shown(file)).toMatchSnapshot();
  });
});

describe("what is said of a file", () => {
  test("rows that share a time", async () => {
    const { notes } = await read(
      "ts,a\n2024-01-01T00:00:00Z,1\n2024-01-01T00:00:00Z,2\n2024-01-02,3\n2024-01-01,4\n",
    );
    expect(notes).toMatchObject({ sameTime: 2, timeColumns: ["ts"], lastTs: Date.parse("2024-01-01") });
  });

  test("cells without a value, columns without a name, and the columns of the time", async () => {
    const { notes } = await read(
      ",Datum,Zeit,a\n0,01.01.2024,00:00,1\n1,01.01.2024,01:00,n/a\n2,01.01.2024,02:00,?\n",
    );
    expect(notes).toMatchObject({ missing: 2, unnamedColumns: [1], timeColumns: ["Datum", "Zeit"] });
  });

  test("no row at the time of another is overlooked, whatever their order", async () => {
    const hours = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(hours, async (times) => {
        const lines = times.map((hour) => `${new Date(Date.UTC(2024, 0, 1, hour)).toISOString()},1`);
        const { notes } = await read(`ts,a\n${lines.join("\n")}\n`);
        expect(notes.sameTime).toBe(times.length - new Set(times).size);
      }),
      { numRuns: 1_000 },
    );
  });
});
