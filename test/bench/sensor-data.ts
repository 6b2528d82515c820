import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type CsvOptions, csvHistory, noNotes } from "../../src/lib/csv/history-rows.ts";
import { createFactory } from "../../src/lib/devices/factory-model.ts";
import type { Reading } from "../../src/modules/telemetry/telemetry.types.ts";

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

async function readRows(file: string, csv: CsvOptions, data: DataSet, device: string): Promise<void> {
  const context = { now: Date.now(), canHoldNumbers: () => true, notes: noNotes() };
  for await (const group of csvHistory(Bun.file(file).stream(), csv, context))
    for (const row of group) {
      if ("error" in row || row.points === 0) continue;
      const name = row.device === undefined ? device : `${device} ${row.device}`;
      const readings = data.get(name) ?? [];
      data.set(name, readings);
      readings.push({ ts: row.ts, values: row.values });
    }
}

/** The data sets of a data directory that are there. */
export async function readDataSets(directory: string): Promise<Array<{ name: string; data: DataSet }>> {
  const sets: Array<{ name: string; data: DataSet }> = [];
  for (const { name, folder, options } of sources) {
    if (!existsSync(join(directory, folder))) continue;
    const data: DataSet = new Map();
    for (const file of readdirSync(join(directory, folder)).sort())
      if (/\.(csv|txt)$/.test(file) && !file.startsWith("LICENSE"))
        await readRows(join(directory, folder, file), options, data, file);
    sets.push({ name, data });
  }
  return sets;
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
