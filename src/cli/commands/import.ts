import { existsSync, statSync } from "node:fs";
import { basename, extname } from "node:path";
import { DomainError } from "../../lib/core/domain-error.ts";
import { isDelimiter } from "../../lib/csv/csv-dialect.ts";
import { historyFormatOf } from "../../lib/csv/history-format.ts";
import { historyLines } from "../../lib/csv/history-lines.ts";
import {
  type CsvOptions,
  csvHistory,
  type HistoryNotes,
  type HistoryRow,
  noNotes,
} from "../../lib/csv/history-rows.ts";
import type { Text } from "../../lib/texts/text.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { isTimeZone } from "../../lib/time/time-zone.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import { type ApiClient, connectApi, errorText } from "../api-client.ts";
import {
  type CommandOption,
  credentialsOf,
  describeOptions,
  type ParsedArguments,
  parseCommand,
  serverOptions,
} from "../arguments.ts";
import { terminalLanguage } from "../terminal-language.ts";

const BATCH_ITEMS = 1_000;
/** Max. refused rows printed per file. */
const ERRORS_SHOWN_MAX = 20;
const REPORT_INTERVAL_MS = 1_000;
const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];

/** Options for CSV. NDJSON has none. */
const csvOptions = {
  time: {
    type: "string",
    help: "name or number of the time column (default: recognized by names and content)",
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
    help: "column separator: , ; | or tab (default: detected from the header)",
  },
  decimal: {
    type: "string",
    help: "decimal sign: point or comma (default: point if commas separate columns, otherwise comma)",
  },
  dates: {
    type: "string",
    help: "order in dates such as 03/04/2026: day-first or month-first (default: the dates decide)",
  },
  timezone: { type: "string", help: "time zone of times without one, such as Europe/Berlin (default: UTC)" },
} as const satisfies Record<string, CommandOption>;

const options = {
  ...serverOptions,
  device: { type: "string", help: "device to import to (default: the name of the file)" },
  type: { type: "string", default: "imported", help: "type of new devices" },
  ...csvOptions,
  help: { type: "boolean", help: "print this help" },
} as const satisfies Record<string, CommandOption>;

interface ImportResponse {
  /** Number of rows, including refused ones. */
  readonly rows: number;
  readonly points: number;
  readonly failed: number;
  readonly errors: readonly (Text & { readonly row: number; readonly message: string })[];
}

type TakenRow = Exclude<HistoryRow, { readonly error: Text }>;

const sentence = (text: Text): string => errorText(text, terminalLanguage());

/** Collects rows by device and sends them in batches. Each batch is acknowledged (and on disk) before the next one is sent. */
class Importer {
  readonly #api: ApiClient;
  readonly #deviceType: string;
  /** Waiting rows by device name. */
  readonly #waiting = new Map<string, TakenRow[]>();
  /** Ids by device name. */
  readonly #devices = new Map<string, string>();
  #file = "";
  /** Sent rows of the file. */
  #fileRows = 0;
  #shown = 0;
  rows = 0;
  failed = 0;
  values = 0;

  constructor(api: ApiClient, deviceType: string) {
    this.#api = api;
    this.#deviceType = deviceType;
  }

  begin(file: string): void {
    this.#file = basename(file);
    this.#shown = 0;
    this.#fileRows = 0;
  }

  async add(name: string, row: TakenRow): Promise<void> {
    const waiting = this.#waiting.get(name) ?? [];
    this.#waiting.set(name, waiting);
    this.rows++;
    if (row.points === 0) return;
    this.values += row.points;
    if (waiting.push(row) >= BATCH_ITEMS) await this.#send(name);
  }

  /** Sends lines of NDJSON unchanged. */
  async addLines(name: string, lines: readonly string[]): Promise<void> {
    const path = `/api/devices/${await this.#deviceOf(name)}/telemetry/import`;
    const response = await this.#api.postText<ImportResponse>(path, "application/x-ndjson", lines.join("\n"));
    for (const { row, code, params } of response.errors) this.refuse(this.#fileRows + row, { code, params });
    // A response lists only the first refused rows; the others are counted.
    this.failed += response.failed - response.errors.length;
    this.#fileRows += response.rows;
    this.rows += response.rows - response.failed;
    this.values += response.points;
  }

  /** Counts a refused row, and prints the first ones. */
  refuse(row: number, error: Text): void {
    this.failed++;
    if (this.#shown++ < ERRORS_SHOWN_MAX) console.error(`${this.#file}, row ${row}: ${sentence(error)}`);
  }

  async finish(): Promise<void> {
    for (const name of this.#waiting.keys()) await this.#send(name);
  }

  async #send(name: string): Promise<void> {
    const rows = this.#waiting.get(name) ?? [];
    this.#waiting.set(name, []);
    if (rows.length === 0) return;
    // Passed as dates, because numbers before 2000 are not accepted as times.
    const lines = rows.map(({ ts, values }) => JSON.stringify({ ts: iso(ts), values }));
    const path = `/api/devices/${await this.#deviceOf(name)}/telemetry/import`;
    const { errors } = await this.#api.postText<ImportResponse>(
      path,
      "application/x-ndjson",
      lines.join("\n"),
    );
    for (const error of errors) {
      const refused = rows[error.row - 1];
      if (refused === undefined) continue;
      this.rows--;
      this.values -= refused.points;
      this.refuse(refused.row, error);
    }
  }

  async #deviceOf(name: string): Promise<string> {
    const existing = this.#devices.get(name);
    if (existing !== undefined) return existing;
    const { deviceId } = await this.#api.ensureDevice({ name, deviceType: this.#deviceType });
    this.#devices.set(name, deviceId);
    return deviceId;
  }
}

/** Prints the omitted parts of imported rows. */
function printNotes(file: string, { sameTime, missing, unnamedColumns, timeColumns }: HistoryNotes): void {
  const name = basename(file);
  console.log(`${name}: time from ${timeColumns.join(" and ")}`);
  if (sameTime > 0)
    console.log(`${name}: rows with the time of an earlier row (the later value counts): ${sameTime}`);
  if (missing > 0) console.log(`${name}: left out cells without a value (such as NA): ${missing}`);
  if (unnamedColumns.length > 0)
    console.log(`${name}: columns without a name were left out: ${unnamedColumns.join(", ")}`);
}

/** Prints the progress of the import, once a second. */
function createReporter(file: string, importer: Importer): () => void {
  let reportedAt = performance.now();
  return () => {
    if (performance.now() - reportedAt < REPORT_INTERVAL_MS) return;
    reportedAt = performance.now();
    console.log(`${basename(file)}: ${importer.rows} rows, ${importer.values} values`);
  };
}

async function importFile(
  file: string,
  importer: Importer,
  { name, csv }: { readonly name: string; readonly csv: CsvOptions },
): Promise<void> {
  if (historyFormatOf(file) === "ndjson") return importNdjson(file, importer, name);
  const notes = noNotes();
  importer.begin(file);
  const report = createReporter(file, importer);
  const context = { now: Date.now(), canHoldNumbers: () => true, notes };
  for await (const group of csvHistory(Bun.file(file).stream(), csv, context))
    for (const row of group) {
      if ("error" in row) importer.refuse(row.row, row.error);
      else await importer.add(row.device === undefined ? name : `${name} ${row.device}`, row);
      report();
    }
  await importer.finish();
  printNotes(file, notes);
  if (await endsWithinLine(file))
    console.log(
      `${basename(file)}: the last line has no line break. If the file was cut, import it again: the last value may be wrong.`,
    );
}

/** Returns whether a file does not end with a line break; false for a pipe, which is read once. */
async function endsWithinLine(file: string): Promise<boolean> {
  const { size } = statSync(file);
  if (size < 2) return false;
  const end = await Bun.file(file)
    .slice(size - 2)
    .bytes(); // two for a line break in UTF-16
  return !end.includes(LINE_FEED) && !end.includes(CARRIAGE_RETURN);
}

/** Max. lines and characters per request. A single longer line is sent alone. */
const REQUEST_LINES_MAX = 1_000;
const REQUEST_CHARACTERS_MAX = 1_000_000;

async function importNdjson(file: string, importer: Importer, name: string): Promise<void> {
  importer.begin(file);
  const report = createReporter(file, importer);
  let lines: string[] = [];
  let characters = 0;
  const flush = async () => {
    if (lines.some((line) => line.trim() !== "")) await importer.addLines(name, lines);
    [lines, characters] = [[], 0];
    report();
  };
  for await (const group of historyLines(Bun.file(file).stream()))
    for (const line of group.lines) {
      lines.push(line);
      characters += line.length;
      if (lines.length >= REQUEST_LINES_MAX || characters >= REQUEST_CHARACTERS_MAX) await flush();
    }
  await flush();
}

/** @throws StartupError with the name of the file if it cannot be read */
async function readable(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new StartupError(`${basename(file)}: ${sentence(error)}`);
  }
}

/** @throws StartupError for an invalid value of an option */
function csvOptionsOf(values: ParsedArguments["values"]): CsvOptions {
  const { delimiter, decimal, timezone, dates } = values;
  const separator = delimiter === "tab" || delimiter === "\\t" ? "\t" : delimiter;
  if (separator !== undefined && !isDelimiter(separator))
    throw new StartupError("--delimiter must be , or ; or | or tab.");
  if (decimal !== undefined && decimal !== "point" && decimal !== "comma")
    throw new StartupError("--decimal must be point or comma.");
  if (dates !== undefined && dates !== "day-first" && dates !== "month-first")
    throw new StartupError("--dates must be day-first or month-first.");
  if (timezone !== undefined && !isTimeZone(timezone))
    throw new StartupError("--timezone must be the name of a time zone, such as Europe/Berlin.");
  return {
    delimiter: separator,
    decimal,
    timezone,
    dates,
    names: listOf(values.names),
    time: values.time,
    device: values["device-column"],
    skip: listOf(values.skip),
  };
}

/** @throws StartupError with the options for CSV if a file is NDJSON */
function refuseForNdjson(values: ParsedArguments["values"], files: readonly string[]): void {
  const file = files.find((each) => historyFormatOf(each) === "ndjson");
  const named = Object.keys(csvOptions).filter((name) => values[name] !== undefined);
  if (file === undefined || named.length === 0) return;
  const names = named.map((name) => `--${name}`).join(", ");
  throw new StartupError(`Options for CSV only: ${names}. Import ${basename(file)} without them.`);
}

const listOf = (text: string | undefined) => text?.split(",").map((name) => name.trim());

const USAGE = `lineside import FILE … [options]

Import CSV and NDJSON files of sensor data with their own timestamps. Each file becomes a device unless --device or --device-column
names one. Importing a file again changes nothing, so a failed import can be repeated.`;

/** `lineside import FILE …`: imports CSV and NDJSON files of sensor data with their own timestamps. Repeating an import changes nothing. */
export async function importCommand(args: readonly string[]): Promise<number> {
  const { values, flags, positionals } = parseCommand(args, options);
  if (flags.has("help") || positionals.length === 0) {
    console.log(describeOptions(USAGE, options));
    return flags.has("help") ? 0 : 2;
  }
  const missing = positionals.find((file) => !existsSync(file));
  if (missing !== undefined) throw new StartupError(`There is no file ${missing}. Check the path.`);
  refuseForNdjson(values, positionals);
  const csv = csvOptionsOf(values);
  const importer = new Importer(await connectApi(credentialsOf(values)), values.type ?? options.type.default);
  const startedAt = performance.now();
  for (const file of positionals)
    await readable(file, () =>
      importFile(file, importer, { name: values.device ?? basename(file, extname(file)), csv }),
    );
  const seconds = (performance.now() - startedAt) / 1000;
  const failed = importer.failed === 0 ? "" : `; refused rows: ${importer.failed}`;
  console.log(`${importer.rows} rows, ${importer.values} values in ${seconds.toFixed(1)} s${failed}`);
  return importer.failed === 0 ? 0 : 1;
}
