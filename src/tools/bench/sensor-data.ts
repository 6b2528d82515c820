import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { alignHeader, type CsvOptions, plainCells, settleLayout, toReading } from "../../cli/csv-readings.ts";
import { createFactory } from "../../lib/factory-model.ts";
import type { Reading } from "../../modules/telemetry/telemetry.types.ts";

/** Readings by device, in the order in which they were taken. */
export type DataSet = Map<string, Reading[]>;

const climateNames =
  "id,ts,relative,node,temperature,humidity,light1,light2,occupants,activity,door,window".split(",");

interface Source {
  readonly name: string;
  readonly folder: string;
  readonly options: CsvOptions;
}

/** The folders that a data directory may hold. */
const sources: readonly Source[] = [
  {
    name: "room climate",
    folder: "roomclimate",
    options: {
      names: climateNames,
      time: "ts",
      device: "node",
      skip: ["id", "relative", "occupants", "activity", "door", "window"],
    },
  },
  { name: "occupancy", folder: "occupancy", options: {} },
  { name: "NAB", folder: "nab", options: {} },
];

function readRows(file: string, options: CsvOptions, data: DataSet, device: string): void {
  const rows = parse(readFileSync(file), {
    bom: true,
    trim: true,
    skip_empty_lines: true,
    relax_column_count: true,
  }) as string[][];
  const header = options.names ?? rows.shift() ?? [];
  const first = rows[0];
  if (first === undefined) return;
  const layout = settleLayout(alignHeader(header, first), first, options);
  for (const row of rows) {
    const reading = toReading(row, layout, plainCells);
    if (reading === undefined) continue;
    const name = layout.deviceColumn === undefined ? device : `${device} ${row[layout.deviceColumn]}`;
    const readings = data.get(name) ?? [];
    data.set(name, readings);
    readings.push(reading);
  }
}

/** The data sets of a data directory that are there. */
export function readDataSets(directory: string): Array<{ name: string; data: DataSet }> {
  return sources
    .filter(({ folder }) => existsSync(join(directory, folder)))
    .map(({ name, folder, options }) => {
      const data: DataSet = new Map();
      for (const file of readdirSync(join(directory, folder)).sort())
        if (/\.(csv|txt)$/.test(file) && !file.startsWith("LICENSE"))
          readRows(join(directory, folder, file), options, data, file);
      return { name, data };
    });
}

/** A week of the simulated factory at 10 s. */
export function factoryWeek(machines: number): DataSet {
  const start = Date.parse("2026-01-05T00:00:00Z");
  return new Map(
    createFactory(machines).map((machine) => [
      machine.name,
      Array.from({ length: 7 * 8640 }, (_, index) => {
        const ts = start + index * 10_000;
        return { ts, values: machine.sample(ts) };
      }),
    ]),
  );
}
