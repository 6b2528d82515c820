import { DomainError, detail, invalid, toText } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { invariant } from "../../lib/core/invariant.ts";
import { csvCell } from "../../lib/csv/csv-cell.ts";
import type { HistoryFormat } from "../../lib/csv/history-format.ts";
import { TextWriter } from "../../lib/data/text-writer.ts";
import { exactJson } from "../../lib/json/exact-json.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { columnName } from "../../lib/keys/key-format.ts";
import type { KeyMetadataMap } from "../../lib/keys/key-metadata.ts";
import type { Text } from "../../lib/texts/text.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { CLOCK_SET_FROM_MS, fileRules, readFileTime, TimeFault } from "../../lib/time/timestamp.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { DomainEvents } from "../events.types.ts";
import type { ScanChunk, ScanColumn, TelemetryStore } from "../telemetry/store/store.types.ts";
import type { TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { Principal } from "../users/users.types.ts";
import { type ImportProgress, type ImportResult, type ImportSource, runImport } from "./history-import.ts";
import type { IngestService } from "./ingest.service.ts";
import type { IngestDevice } from "./ingest.types.ts";
import { toReadings } from "./readings.ts";

/*
 * Exports history from the store as text, in chunks. NDJSON preserves each value's type and bits. CSV is for spreadsheets, in which a string that
 * looks like a number becomes a number.
 */

/** Cells per piece of text, about 5 ms: limits the memory of a slow reader, and lets other work run in between. */
const PIECE_CELLS = 20_000;
/** Bytes of a piece after which no further row is started, because a row of long strings can be large. */
const PIECE_BYTES = 256 * 1024;

/** Range of rows, from the first (inclusive) to the last (exclusive). */
interface Rows {
  readonly from: number;
  readonly to: number;
}

const utf8 = new TextEncoder();
const COMMA = 0x2c;
const CSV_LINE_END = utf8.encode("\r\n");
const NDJSON_TS = utf8.encode('{"ts":');
const NDJSON_VALUES = utf8.encode(',"values":{');
const NDJSON_END = utf8.encode("}}\n");

/** Writes rows of one chunk until the piece is full. Returns the first remaining row. */
type WriteRows = (writer: TextWriter, rows: Rows) => number;

const isFull = (writer: TextWriter): boolean => writer.length >= PIECE_BYTES;

function writeCell(writer: TextWriter, value: TelemetryValue | undefined): void {
  if (value === undefined) return;
  if (typeof value === "number") writer.number(value);
  else if (typeof value === "boolean") writer.text(String(value));
  else writer.text(csvCell(typeof value === "string" ? value : exactJson(value)));
}

function csvRowsWriter(chunk: ScanChunk, keys: readonly string[]): WriteRows {
  const byKey = new Map(chunk.columns.map((column) => [column.key, column]));
  const columns = keys.map((key) => byKey.get(key));
  return (writer, { from, to }) => {
    let row = from;
    for (; row < to && !isFull(writer); row++) {
      writer.text(new Date(chunk.ts[row] ?? 0).toISOString());
      for (const column of columns) {
        writer.byte(COMMA);
        writeCell(writer, column?.at(row));
      }
      writer.raw(CSV_LINE_END);
    }
    return row;
  };
}

/** Writes the values of a row as the members of an object. */
function writeMembers(
  writer: TextWriter,
  members: ReadonlyArray<{ readonly name: Uint8Array; readonly column: ScanColumn }>,
  row: number,
): void {
  let isFirst = true;
  for (const { name, column } of members) {
    const value = column.at(row);
    if (value === undefined) continue;
    if (!isFirst) writer.byte(COMMA);
    isFirst = false;
    writer.raw(name);
    if (typeof value === "number" && Number.isFinite(value)) writer.number(value);
    else writer.text(exactJson(value)); // JSON has neither NaN nor infinities
  }
}

/** Writes a time. Times before 2000 are written as dates, because as numbers they would not be parsed as times. */
function writeTime(writer: TextWriter, ts: number): void {
  if (ts >= CLOCK_SET_FROM_MS) writer.number(ts);
  else writer.text(JSON.stringify(iso(ts)));
}

function ndjsonRowsWriter({ ts, columns }: ScanChunk): WriteRows {
  const members = columns.map((column) => ({
    name: utf8.encode(`${JSON.stringify(column.key)}:`),
    column,
  }));
  return (writer, { from, to }) => {
    let row = from;
    for (; row < to && !isFull(writer); row++) {
      writer.raw(NDJSON_TS);
      writeTime(writer, ts[row] ?? 0);
      writer.raw(NDJSON_VALUES);
      writeMembers(writer, members, row);
      writer.raw(NDJSON_END);
    }
    return row;
  };
}

/** Renders the chunks of a scan as UTF-8 text in `format`. `keys` are the columns of CSV in order, and `units` the units in their headings. */
export async function* renderHistory(
  chunks: AsyncIterable<ScanChunk>,
  options: { format: HistoryFormat; keys: readonly string[]; units?: KeyMetadataMap | undefined },
): AsyncGenerator<Uint8Array> {
  const { format, keys, units } = options;
  const headOf = (key: string): string => columnName(key, units?.get(key)?.unit);
  if (format === "csv") yield utf8.encode(`${["ts", ...keys.map(headOf)].map(csvCell).join(",")}\r\n`);
  const writer = new TextWriter();
  for await (const chunk of chunks) {
    const cellsPerRow = Math.max(1, format === "csv" ? keys.length : chunk.columns.length);
    const pieceRows = Math.max(1, Math.floor(PIECE_CELLS / cellsPerRow));
    const write = format === "csv" ? csvRowsWriter(chunk, keys) : ndjsonRowsWriter(chunk);
    for (let from = 0; from < chunk.ts.length; ) {
      await workShare.next();
      from = write(writer, { from, to: Math.min(from + pieceRows, chunk.ts.length) });
      const piece = writer.bytes().slice();
      writer.truncate(); // a slow reader does not hold the buffer as well
      yield piece;
    }
  }
}

export interface ExportRequest {
  readonly format: HistoryFormat;
  /** Keys to export; all if empty. */
  readonly keys: readonly string[];
  /** True to append units to the column names of CSV. */
  readonly hasUnits: boolean;
  /** Epoch ms, inclusive. */
  readonly from: number;
  readonly to: number;
  /** Aborted when the reader has disconnected. */
  readonly signal: AbortSignal;
}

/** Creates the import and export of device telemetry as files. */
export function createHistoryService(deps: {
  devices: Pick<DevicesService, "ensureVisible">;
  directory: DeviceDirectory;
  ingest: Pick<IngestService, "history">;
  store: Pick<TelemetryStore, "scan" | "keys">;
  keysOf: (device: IngestDevice) => KeyMetadataMap;
  clock: Clock;
  events: Pick<EventBus<DomainEvents>, "emit">;
}) {
  const unitsOf = (deviceId: DeviceId): KeyMetadataMap | undefined => {
    const device = deps.directory.find(deviceId);
    return device && deps.keysOf(device);
  };
  return {
    /** Returns text in pieces of limited size, read from the store on demand. @throws DomainError `not_found` and `invalid` immediately */
    async export(
      principal: Principal,
      deviceId: string,
      { format, keys, hasUnits, from, to, signal }: ExportRequest,
    ): Promise<AsyncGenerator<Uint8Array>> {
      const id = deps.devices.ensureVisible(principal, deviceId);
      if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 0 || from > to)
        throw invalid("telemetry.range_invalid");
      const existing = await deps.store.keys({ deviceIds: [id] }, signal);
      const named = new Set(keys);
      const wanted = keys.length === 0 ? existing : existing.filter((key) => named.has(key));
      const chunks =
        wanted.length === 0
          ? none()
          : deps.store.scan({ deviceIds: [id], keys: [...keys], from, to }, signal);
      const stillVisible = whileAllowed(chunks, () => deps.devices.ensureVisible(principal, id));
      const units = hasUnits ? unitsOf(id) : undefined;
      return renderHistory(stillVisible, { format, keys: wanted, units });
    },
    /** Yields after each batch on disk, and returns the result. */
    import(
      principal: Principal,
      deviceId: string,
      source: ImportSource,
    ): AsyncGenerator<ImportProgress, ImportResult> {
      const device = deps.directory.find(deps.devices.ensureVisible(principal, deviceId));
      invariant(device !== undefined, "a visible device is in the directory");
      const now = deps.clock.now();
      const rules = fileRules({ now });
      const options = {
        timeOf(time: unknown): number {
          const ts = readFileTime(time, rules);
          if (ts instanceof TimeFault) throw new DomainError("invalid", ts.reason);
          return ts;
        },
      };
      return reportingFailures(
        deps.events,
        device,
        runImport(
          { ...source, body: metered(source.body, device, deps.clock) },
          {
            now,
            decode(body) {
              if (!isJsonObject(body) || body.ts === undefined) throw invalid("import.ts_missing");
              return toReadings(body, now, options);
            },
            store: (readings) => deps.ingest.history(device, readings),
          },
        ),
      );
    },
  };
}

export type HistoryService = ReturnType<typeof createHistoryService>;

/** Wraps a body so that it counts towards the bytes per second of the tenant's plan, like messages. It is read no faster than the plan allows. */
function metered(
  body: ReadableStream<Uint8Array>,
  { meters }: IngestDevice,
  clock: Pick<Clock, "monotonic" | "schedule">,
): ReadableStream<Uint8Array> {
  if (meters === undefined) return body;
  const { bytes } = meters;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        const waitMs = () => bytes.waitMs(clock.monotonic(), chunk.length);
        for (let ms = waitMs(); ms > 0; ms = waitMs())
          await new Promise<void>((resolve) => void clock.schedule(ms, resolve));
        bytes.spend(clock.monotonic(), chunk.length);
        controller.enqueue(chunk);
      },
    }),
  );
}

/** Reports an import that failed or skipped rows, because its author may not be the user in charge of the device. */
async function* reportingFailures(
  events: Pick<EventBus<DomainEvents>, "emit">,
  { tenantId, deviceId }: IngestDevice,
  progress: AsyncGenerator<ImportProgress, ImportResult>,
): AsyncGenerator<ImportProgress, ImportResult> {
  const subject = { kind: "device", id: deviceId } as const;
  const report = (text: Text) =>
    events.emit("fault.occurred", { ...text, source: "import", tenantId, subject });
  try {
    const result = yield* progress;
    const [first] = result.errors;
    if (first !== undefined)
      report(detail("fault.import_failed", { failed: result.failed, row: first.row, reason: toText(first) }));
    return result;
  } catch (error) {
    if (error instanceof DomainError) report(toText(error));
    throw error;
  }
}

/** Checks access again before each chunk: reading years takes a while, and the user may lose access meanwhile. */
async function* whileAllowed<Chunk>(chunks: AsyncIterable<Chunk>, check: () => void): AsyncGenerator<Chunk> {
  for await (const chunk of chunks) {
    check();
    yield chunk;
  }
}

async function* none(): AsyncGenerator<never> {}
