import { expect, test } from "bun:test";
import { DomainError, inEnglish } from "../../src/lib/core/domain-error.ts";
import type { CsvOptions } from "../../src/lib/csv/history-rows.ts";
import { read, utf16 } from "./csv/history-rows-fixture.ts";

/** Unmodified exports from programs, services and meters, imported without options: read, or refused with the step that helps. */

const windows1252 = (text: string) => new Uint8Array([...text].map((char) => char.charCodeAt(0)));
/** An error of a row. */
const refused = (text: string) => ({ refused: text });
type Expected = readonly [time: string, values: object] | { readonly refused: string };

const kinds: ReadonlyArray<
  readonly [
    name: string,
    file: string | Uint8Array,
    expected: readonly Expected[] | string,
    options?: CsvOptions,
  ]
> = [
  [
    "the history of Home Assistant",
    "entity_id,state,last_changed\nsensor.x,18894.5,2025-08-31T22:00:00.000Z\nsensor.x,unavailable,2025-08-31T23:00:00.000Z\nsensor.x,18895.5,2025-09-01T00:00:00.000Z\n",
    [
      ["2025-08-31T22:00:00Z", { entity_id: "sensor.x", state: 18894.5 }],
      ["2025-08-31T23:00:00Z", { entity_id: "sensor.x" }],
      ["2025-09-01T00:00:00Z", { entity_id: "sensor.x", state: 18895.5 }],
    ],
  ],
  [
    "statistics of Home Assistant",
    "statistic_id,unit,start,mean,max\nsensor.t,°C,2024-01-01T00:00:00+00:00,5.1,5.3\nsensor.t,°C,2024-01-01T01:00:00+00:00,5.2,5.4\n",
    [
      ["2024-01-01T00:00:00Z", { statistic_id: "sensor.t", unit: "°C", mean: 5.1, max: 5.3 }],
      ["2024-01-01T01:00:00Z", { statistic_id: "sensor.t", unit: "°C", mean: 5.2, max: 5.4 }],
    ],
  ],
  [
    "a British supplier, with blanks behind commas",
    "Consumption (kWh), Start, End\n0.118000, 2024-01-01T00:00:00+00:00, 2024-01-01T00:30:00+00:00\n",
    [["2024-01-01T00:00:00Z", { "Consumption (kWh)": 0.118, End: "2024-01-01T00:30:00+00:00" }]],
  ],
  [
    "Grafana",
    '"Time","temp"\n2024-01-01 00:00:00,21.5\n2024-01-01 00:01:00,21.6\n',
    [
      ["2024-01-01T00:00:00Z", { temp: 21.5 }],
      ["2024-01-01T00:01:00Z", { temp: 21.6 }],
    ],
  ],
  [
    "InfluxDB 2, annotated",
    "#group,false,false,true,false,false,true\n#datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,double,string\n#default,_result,,,,,\n,result,table,_start,_time,_value,_field\n,,0,2024-01-01T00:00:00Z,2024-01-01T08:00:00Z,21.5,t\n",
    [["2024-01-01T08:00:00Z", { table: 0, _start: "2024-01-01T00:00:00Z", _value: 21.5, _field: "t" }]],
  ],
  [
    "InfluxDB 1, in nanoseconds",
    "name,tags,time,value\nm,,1482669077000000000,0\nm,,1482669078000000000,1\n",
    [
      ["2016-12-25T12:31:17Z", { name: "m", value: 0 }],
      ["2016-12-25T12:31:18Z", { name: "m", value: 1 }],
    ],
  ],
  [
    "ThingSpeak",
    "created_at,entry_id,field1,field2\n2024-01-01 00:00:00 UTC,1,21.5,\n2024-01-01 00:01:00 UTC,2,21.6,40\n",
    [
      ["2024-01-01T00:00:00Z", { entry_id: 1, field1: 21.5 }],
      ["2024-01-01T00:01:00Z", { entry_id: 2, field1: 21.6, field2: 40 }],
    ],
  ],
  [
    "a German load profile",
    "Datum;Zeit;Wert\n01.08.2025;00:00;1,5\n01.08.2025;00:15;2,5\n",
    [
      ["2025-08-01T00:00:00Z", { Wert: 1.5 }],
      ["2025-08-01T00:15:00Z", { Wert: 2.5 }],
    ],
  ],
  [
    "a load profile with intervals",
    "Datum;von;bis;Verbrauch [kWh]\n01.08.2025;23:45;24:00;1,5\n",
    [["2025-08-01T23:45:00Z", { bis: "24:00", "Verbrauch [kWh]": 1.5 }]],
  ],
  [
    "an inverter whose second line has the units",
    "Datum und Uhrzeit;Energie | Symo\n[dd.MM.yyyy HH:mm];[Wh]\n01.08.2025 00:00;1,5\n01.08.2025 00:05;2,5\n",
    [
      refused("“[dd.MM.yyyy HH:mm]” is not a time such as"),
      ["2025-08-01T00:00:00Z", { "Energie | Symo": 1.5 }],
      ["2025-08-01T00:05:00Z", { "Energie | Symo": 2.5 }],
    ],
  ],
  [
    "a plug's meter",
    "Date/time UTC,Active energy Wh,Returned energy Wh\n2024-01-01 00:00,1.5,0\n",
    [["2024-01-01T00:00:00Z", { "Active energy Wh": 1.5, "Returned energy Wh": 0 }]],
  ],
  [
    "American dates that do not show their order",
    "Date/Time,Energy Produced (Wh)\n01/02/2024 00:00,0\n01/02/2024 00:15,1\n",
    [refused("Day and month are ambiguous"), refused("Day and month are ambiguous")],
  ],
  [
    "American dates that show it",
    "Time Bucket (America/New_York),Kitchen (kWhs)\n01/02/2024 00:00:00,0.5\n01/31/2024 01:00:00,0.6\n",
    [
      ["2024-01-02T00:00:00Z", { "Kitchen (kWhs)": 0.5 }],
      ["2024-01-31T01:00:00Z", { "Kitchen (kWhs)": 0.6 }],
    ],
  ],
  [
    "a household's power, with ? for missing values",
    "Date;Time;Global_active_power;Voltage\n16/12/2006;17:24:00;4.216;234.840\n16/12/2006;17:25:00;0.418;233.6\n28/4/2007;00:21:00;?;?\n",
    [
      ["2006-12-16T17:24:00Z", { Global_active_power: 4.216, Voltage: 234.84 }],
      ["2006-12-16T17:25:00Z", { Global_active_power: 0.418, Voltage: 233.6 }],
      ["2007-04-28T00:21:00Z", {}],
    ],
  ],
  [
    "air quality in Italy, with points in the times and columns without names",
    "Date;Time;CO(GT);T;;\n10/03/2004;18.00.00;2,6;13,6;;\n31/03/2004;19.00.00;-200;13,3;;\n",
    [
      ["2004-03-10T18:00:00Z", { "CO(GT)": 2.6, T: 13.6 }],
      ["2004-03-31T19:00:00Z", { "CO(GT)": -200, T: 13.3 }],
    ],
  ],
  [
    "a weather service with dates as numbers",
    "STATIONS_ID;MESS_DATUM;TT_TU;eor\n         44;2024010100;   5.1;eor\n         44;2024010101;   5.2;eor\n",
    "No column contains times. Name the time column",
  ],
  [
    "and if its time column is named",
    "STATIONS_ID;MESS_DATUM;TT_TU;eor\n         44;2024010100;   5.1;eor\n",
    [refused("Write a date as 2026-12-31, not as a number")],
    { time: "MESS_DATUM" },
  ],
  [
    "a weather service with lines above the header",
    "latitude,longitude,elevation\n52.52,13.419,38.0\n\ntime,temperature_2m (°C)\n2024-01-01T00:00,5.1\n",
    "delete lines above the header",
  ],
  [
    "a weather station with lines above the header",
    'Name;Long;Lat\n"Home";"13.4";"52.5"\n"Timestamp";"Timezone : Europe/Berlin";"Temperature"\n1704067200;"2024/01/01 01:00:00";5.1\n',
    "delete lines above the header",
  ],
  [
    "a data logger with a title",
    '"Plot Title: cellar"\n"#","Date Time, GMT+01:00","Temp, °C"\n1,01/02/24 12:00:00 AM,21.5\n',
    "delete lines above the header",
  ],
  [
    "a meter with its serial number",
    "serial,timestamp,kWh\n1234567890,2024-01-01 00:00:00,1\n1234567890,2024-01-01 01:00:00,2\n",
    [
      ["2024-01-01T00:00:00Z", { serial: 1234567890, kWh: 1 }],
      ["2024-01-01T01:00:00Z", { serial: 1234567890, kWh: 2 }],
    ],
  ],
  [
    "PostgreSQL",
    "t,a\n2023-02-10 15:41:33+01,1\n2023-02-10 15:41:33.895+00,2\n",
    [
      ["2023-02-10T14:41:33Z", { a: 1 }],
      ["2023-02-10T15:41:33.895Z", { a: 2 }],
    ],
  ],
  ["pandas", ",time,a\n0,2024-01-01 00:00:00,5.0\n", [["2024-01-01T00:00:00Z", { a: 5 }]]],
  [
    "R",
    '"Date";"v";"ts"\n"66637";2007-02-01;0,326;2007-02-01 00:00:00\n"66638";2007-02-01;0,3;2007-02-01 00:01:00\n',
    [
      ["2007-02-01T00:00:00Z", { Date: "2007-02-01", v: 0.326 }],
      ["2007-02-01T00:01:00Z", { Date: "2007-02-01", v: 0.3 }],
    ],
  ],
  [
    "a German spreadsheet in Windows-1252",
    windows1252("Zeitstempel;Außentemperatur\r\n01.01.2024 00:00;-1,5\r\n"),
    [["2024-01-01T00:00:00Z", { Außentemperatur: -1.5 }]],
  ],
  [
    "a spreadsheet's Unicode text",
    utf16("Zeitstempel\tAußentemperatur\r\n01.01.2024 00:00\t-1,5\r\n", false),
    [["2024-01-01T00:00:00Z", { Außentemperatur: -1.5 }]],
  ],
  [
    "a spreadsheet with its own numbers for dates",
    "Zeit;Wert\n45292,5;1\n45292,6;2\n",
    [refused("If it is a spreadsheet date"), refused("If it is a spreadsheet date")],
  ],
  ["a spreadsheet itself", new Uint8Array([0x50, 0x4b, 0x03, 0x04, 1, 2]), "Export it as CSV"],
  [
    "a battery with an offset in its times",
    "Date time,Home (kW)\n2024-01-01T00:05:00-08:00,0.5\n",
    [["2024-01-01T08:05:00Z", { "Home (kW)": 0.5 }]],
  ],
  [
    "a solar portal with two columns of one name",
    "timestamp,System overview [0],System overview [0]\n,Battery voltage,Battery current\n2024-01-01 00:00:00,52.1,1.5\n",
    "Two columns are named “System overview [0]”. Rename one of them",
  ],
  [
    "a climate logger",
    "Datum/Uhrzeit;°C;%rF\n01.01.2024 00:00:00;21,5;40,1\n",
    [["2024-01-01T00:00:00Z", { "°C": 21.5, "%rF": 40.1 }]],
  ],
  [
    "a Spanish supplier, whose day ends at 24:00",
    "CUPS;Fecha;Hora;Consumo\nES0021;01/01/2024;01:00;0,5\nES0021;31/01/2024;24:00;0,6\n",
    [
      ["2024-01-01T01:00:00Z", { CUPS: "ES0021", Consumo: 0.5 }],
      ["2024-02-01T00:00:00Z", { CUPS: "ES0021", Consumo: 0.6 }],
    ],
  ],
  [
    "an hourly meter",
    "Hour Start,kWh\n2024-01-01 00:00,1\n2024-01-01 01:00,2\n",
    [
      ["2024-01-01T00:00:00Z", { kWh: 1 }],
      ["2024-01-01T01:00:00Z", { kWh: 2 }],
    ],
  ],
  [
    "a panel of a machine",
    '"VarName";"TimeString";"VarValue";"Validity"\n"T1";"01.01.2024 00:00:00";21,5;1\n"T1";"01.01.2024 00:01:00";21,6;1\n',
    [
      ["2024-01-01T00:00:00Z", { VarName: "T1", VarValue: 21.5, Validity: 1 }],
      ["2024-01-01T00:01:00Z", { VarName: "T1", VarValue: 21.6, Validity: 1 }],
    ],
  ],
  [
    "a laboratory with times since the start",
    "X_Value\tTemp\n0,000000\t21,5\n1,000000\t21,6\n",
    "No column contains times. Name the time column",
  ],
];

test.each(kinds.map(([name, ...rest]) => [name, rest] as const))(
  "%s",
  async (_, [file, expected, options]) => {
    if (typeof expected === "string") {
      const refusal = await read(file, options).catch((error: unknown) => error);
      expect(refusal instanceof DomainError ? inEnglish(refusal) : refusal).toContain(expected);
      return;
    }
    const { rows } = await read(file, options);
    const seen = rows.map((row) =>
      "error" in row
        ? refused(inEnglish(row.error))
        : [new Date(row.ts).toISOString().replace(".000Z", "Z"), { ...row.values }],
    );
    expect(seen).toEqual(
      expected.map((each) =>
        "refused" in each ? refused(expect.stringContaining(each.refused)) : each,
      ) as never,
    );
  },
);

test("are of at least 27 kinds", () => expect(kinds.length).toBeGreaterThanOrEqual(27));
