import { createReadStream, existsSync } from "node:fs";
import { basename, extname } from "node:path";
import { parse } from "csv-parse";
import { type CsvDelimiter, dialectOf } from "../lib/csv-dialect.ts";
import type { Text } from "../lib/texts/text.ts";
import { isTimeZone } from "../lib/time-zone.ts";
import { StartupError } from "../platform/startup-error.ts";
import { type ApiClient, connectApi, errorText } from "./api-client.ts";
import {
  type CommandOption,
  credentialsOf,
  describeOptions,
  type ParsedArguments,
  parseCommand,
  serverOptions,
} from "./arguments.ts";
import {
  alignHeader,
  type CsvLayout,
  type CsvOptions,
  type CsvReading,
  cellsOf,
  settleLayout,
  toReading,
} from "./csv-readings.ts";
import { terminalLanguage } from "./terminal-language.ts";

const BATCH_ITEMS = 1_000;
const HEAD_BYTES = 64 * 1024;
const REPORT_INTERVAL_MS = 1_000;

const options = {
  ...serverOptions,
  device: { type: "string", help: "device to import to (default: the name of the file)" },
  type: { type: "string", default: "imported", help: "type of new devices" },
  time: {
    type: "string",
    help: "name or number of the time column (default: the first column that contains times)",
  },
  "device-column": {
    type: "string",
    help: "column that names the device; each value becomes a device",
  },
  names: {
    type: "string",
    help: "column names separated by commas, for a file without a header line",
  },
  skip: { type: "string", help: "columns to leave out, separated by commas" },
  delimiter: {
    type: "string",
    help: "separator of columns: , ; or tab (default: detected in the first line)",
  },
  decimal: {
    type: "string",
    help: "decimal sign: point or comma (default: point if commas separate columns, otherwise comma)",
  },
  timezone: { type: "string", default: "UTC", help: "time zone of times without one, such as Europe/Berlin" },
  help: { type: "boolean", help: "print this help" },
} as const satisfies Record<string, CommandOption>;

interface ImportAnswer {
  readonly errors: readonly (Text & { readonly message: string })[];
}

/** Collects items by device and sends them in batches; each is acknowledged (and on the disk) before the next leaves. */
class Importer {
  readonly #api: ApiClient;
  readonly #deviceType: string;
  /** Items that wait, by device name. */
  readonly #waiting = new Map<string, CsvReading[]>();
  /** Ids by device name. */
  readonly #devices = new Map<string, string>();
  rows = 0;
  skipped = 0;
  values = 0;

  constructor(api: ApiClient, deviceType: string) {
    this.#api = api;
    this.#deviceType = deviceType;
  }

  async add(name: string, reading: CsvReading): Promise<void> {
    const items = this.#waiting.get(name) ?? [];
    this.#waiting.set(name, items);
    this.rows++;
    this.values += Object.keys(reading.values).length;
    if (items.push(reading) >= BATCH_ITEMS) await this.#send(name);
  }

  async finish(): Promise<void> {
    for (const name of this.#waiting.keys()) await this.#send(name);
  }

  async #send(name: string): Promise<void> {
    const items = this.#waiting.get(name) ?? [];
    this.#waiting.set(name, []);
    if (items.length === 0) return;
    const lines = items.map(({ ts, values }) => JSON.stringify({ ts, values })).join("\n");
    const path = `/api/devices/${await this.#deviceOf(name)}/telemetry/import`;
    const { errors } = await this.#api.postText<ImportAnswer>(path, "application/x-ndjson", lines);
    if (errors[0] !== undefined)
      throw new StartupError(`${name}: ${errorText(errors[0], terminalLanguage())}`);
  }

  async #deviceOf(name: string): Promise<string> {
    const existing = this.#devices.get(name);
    if (existing !== undefined) return existing;
    const { deviceId } = await this.#api.ensureDevice({ name, deviceType: this.#deviceType });
    this.#devices.set(name, deviceId);
    return deviceId;
  }
}

async function importFile(
  file: string,
  importer: Importer,
  settings: CsvOptions & { name: string; dialect: Parameters<typeof dialectOf>[1] },
): Promise<void> {
  const dialect = dialectOf(await headOf(file), settings.dialect);
  const cells = cellsOf(dialect);
  const rows = createReadStream(file).pipe(
    parse({
      delimiter: dialect.delimiter,
      bom: true,
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
    }),
  );
  let header: readonly string[] | undefined = settings.names;
  let layout: CsvLayout | undefined;
  let reportedAt = performance.now();
  let rowNumber = 0;
  const readingOf = (row: string[], columns: CsvLayout) => {
    rowNumber++;
    try {
      return toReading(row, columns, cells);
    } catch (error) {
      if (!(error instanceof StartupError)) throw error;
      throw new StartupError(`${basename(file)}, row ${rowNumber}: ${error.message}`);
    }
  };
  const take = async (row: string[], columns: CsvLayout) => {
    const reading = readingOf(row, columns);
    if (reading === undefined) importer.skipped++;
    else
      await importer.add(
        columns.deviceColumn === undefined ? settings.name : `${settings.name} ${row[columns.deviceColumn]}`,
        reading,
      );
    if (performance.now() - reportedAt < REPORT_INTERVAL_MS) return;
    reportedAt = performance.now();
    console.log(`${basename(file)}: ${importer.rows} rows, ${importer.values} values`);
  };
  for await (const row of rows as AsyncIterable<string[]>) {
    if (header === undefined) {
      header = row;
      continue;
    }
    layout ??= settleLayout(alignHeader(header, row), row, settings);
    for (const ready of cells.columns.add(row)) await take(ready, layout);
  }
  if (layout !== undefined) for (const ready of cells.columns.rest()) await take(ready, layout);
  await importer.finish();
}

const headOf = (file: string): Promise<string> => Bun.file(file).slice(0, HEAD_BYTES).text();

/** @throws StartupError for an option that says something else than its help. */
function dialectFrom({ delimiter, decimal, timezone }: ParsedArguments["values"]) {
  const separators = new Map<string, CsvDelimiter>(
    [",", ";", "\t"].map((character) => [character, character as CsvDelimiter]),
  ); // all of them
  const separator = delimiter === "tab" || delimiter === "\\t" ? "\t" : delimiter;
  if (separator !== undefined && !separators.has(separator))
    throw new StartupError("--delimiter must be , or ; or tab.");
  if (decimal !== undefined && decimal !== "point" && decimal !== "comma")
    throw new StartupError("--decimal must be point or comma.");
  if (!isTimeZone(timezone))
    throw new StartupError("--timezone must be the name of a time zone, such as Europe/Berlin.");
  return { delimiter: separators.get(separator ?? ""), decimal, timezone } as const;
}

const listOf = (text: string | undefined) => text?.split(",").map((name) => name.trim());

/** `lineside import FILE …`: replays CSV files of sensor data with their own time stamps; repeating it changes nothing. */
export async function importCommand(args: readonly string[]): Promise<number> {
  const { values, flags, positionals } = parseCommand(args, options);
  if (flags.has("help") || positionals.length === 0) {
    console.log(describeOptions("lineside import FILE … [options]", options));
    return flags.has("help") ? 0 : 2;
  }
  const missing = positionals.find((file) => !existsSync(file));
  if (missing !== undefined) throw new StartupError(`There is no file ${missing}.`);
  const importer = new Importer(await connectApi(credentialsOf(values)), values.type ?? options.type.default);
  const startedAt = performance.now();
  for (const file of positionals)
    await importFile(file, importer, {
      name: values.device ?? basename(file, extname(file)),
      dialect: dialectFrom(values),
      names: listOf(values.names),
      time: values.time,
      device: values["device-column"],
      skip: listOf(values.skip),
    });
  const seconds = (performance.now() - startedAt) / 1000;
  const skipped =
    importer.skipped === 0 ? "" : `, ${importer.skipped} rows without a time or a value left out`;
  console.log(`${importer.rows} rows, ${importer.values} values in ${seconds.toFixed(1)} s${skipped}`);
  return 0;
}
