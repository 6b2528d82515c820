import { detail } from "../../../../lib/core/domain-error.ts";
import { messageOf } from "../../../../lib/core/error-message.ts";
import { DAY_MS, HOUR_MS } from "../../../../lib/core/units.ts";
import { iso } from "../../../../lib/time/iso-time.ts";
import { TargetError } from "../../target.errors.ts";
import type { Batch, RowsRecord, Target, TargetContext, UplinkRecord } from "../../target.types.ts";
import { eventLine } from "../ndjson-encoder.ts";
import type { ObjectStore } from "./object-store.ts";
import type { ParquetSettings } from "./parquet.schemas.ts";
import { S3Store } from "./s3-store.ts";
import { fileNameOf, isPart, recordTime, StagedPartition } from "./staged-partition.ts";
import type { Staged, StagedEvent, StagedRows } from "./staged-rows.ts";
import { ThreadedFolder } from "./threaded-folder.ts";

type PartitionLength = "HOUR" | "DAY";
const lengthMs: Readonly<Record<PartitionLength, number>> = { HOUR: HOUR_MS, DAY: DAY_MS };

/** Returns a value as a path segment, escaped like in Hive. */
const escapeValue = (text: string): string => encodeURIComponent(text).replaceAll("*", "%2A") || "_";

/** Returns a path such as `site=Plant%20A/date=2026-03-02/hour=03`, in UTC. */
function folderOf(site: string, startMs: number, length: PartitionLength): string {
  const time = iso(startMs);
  const day = `site=${escapeValue(site)}/date=${time.slice(0, 10)}`;
  return length === "DAY" ? day : `${day}/hour=${time.slice(11, 13)}`;
}

/** Returns the end of a partition (epoch ms), according to its name. */
function endOf(partition: string): number {
  const [, day, hour] = /date=([\d-]+)(?:\/hour=(\d\d))?$/.exec(partition) ?? [];
  if (day === undefined) return 0;
  return Date.parse(`${day}T${hour ?? "00"}:00:00Z`) + (hour === undefined ? DAY_MS : HOUR_MS);
}

/** Returns the record with only the rows of a partition. */
function rowsWithin({ device, ts, columns }: RowsRecord, startMs: number, endMs: number): StagedRows {
  const indexes: number[] = [];
  for (let row = 0; row < ts.length; row++) {
    const time = ts[row] ?? 0;
    if (time >= startMs && time < endMs) indexes.push(row);
  }
  if (indexes.length === ts.length) return { device, ts, columns };
  return {
    device,
    ts: Float64Array.from(indexes, (row) => ts[row] ?? 0),
    columns: columns.map(({ key, tags, numbers, texts }) => ({
      key,
      tags: Uint8Array.from(indexes, (row) => tags[row] ?? 0),
      numbers: Float64Array.from(indexes, (row) => numbers[row] ?? 0),
      texts: texts === null ? null : indexes.map((row) => texts[row]),
    })),
  };
}

function eventOf(record: Exclude<UplinkRecord, RowsRecord>): StagedEvent {
  const { deviceId, name, type } = record.device;
  return {
    ts: record.kind === "deletion" ? record.to : record.ts,
    kind: record.kind,
    device: deviceId,
    name,
    type,
    data: JSON.stringify(eventLine(record)),
  };
}

/** Latest time in a file name with a four-digit year. */
const TIME_MAX_MS = Date.UTC(9999, 11, 31);

/** Splits a batch by the partitions `telemetry/…` and `events/…` of its rows and events. */
function partitionsOf({ records }: Batch, length: PartitionLength): Map<string, Staged> {
  const rows = new Map<string, StagedRows[]>();
  const events = new Map<string, StagedEvent[]>();
  const append = <Item>(map: Map<string, Item[]>, name: string, item: Item) => {
    const items = map.get(name);
    if (items === undefined) map.set(name, [item]);
    else items.push(item);
  };
  for (const record of records) {
    const { site } = record.device;
    if (record.kind !== "rows") {
      const event = eventOf(record);
      const start = Math.min(Math.max(event.ts, 0), TIME_MAX_MS);
      append(events, `events/${folderOf(site, start, "DAY")}`, { ...event, ts: start });
      continue;
    }
    const step = lengthMs[length];
    const starts = new Set<number>();
    for (const ts of record.ts) starts.add(Math.floor(ts / step) * step);
    for (const start of starts)
      append(rows, `telemetry/${folderOf(site, start, length)}`, rowsWithin(record, start, start + step));
  }
  return new Map([
    ...[...rows].map(([name, parts]): [string, Staged] => [name, { rows: parts, events: [] }]),
    ...[...events].map(([name, parts]): [string, Staged] => [name, { rows: [], events: parts }]),
  ]);
}

/** Waits before a partition is written: after its end, and after its last row. */
interface Timing {
  readonly tickMs: number;
  readonly graceMs: number;
}
const usualTiming: Timing = { tickMs: 15_000, graceMs: 60_000 };
/** Idle time in ms after which a partition's state is dropped; it is read again with its next row. */
const FORGET_MS = 600_000;
const CLOSE_TIMEOUT_MS = 5_000;
/** Max. time in ms after which a batch may be repeated. */
const RECORDS_KEPT_MS = 7 * 24 * 3_600_000;

class ParquetTarget implements Target {
  readonly inFlightMax = 1;
  readonly #settings: ParquetSettings;
  readonly #context: TargetContext;
  readonly #store: ObjectStore;
  /** Name of the staging folder; ends with "/". */
  readonly #staging: string;
  readonly #closing = new AbortController();
  readonly #timer: Timer;
  readonly #graceMs: number;
  /** Partitions by name. */
  readonly #partitions = new Map<string, StagedPartition>();
  /** Resolves when the running work has ended. */
  #working: Promise<unknown> = Promise.resolve();
  #isStarted = false;
  /** True if the timer could not write a file; the next batch then waits for it. */
  #hasFailed = false;

  constructor(settings: ParquetSettings, context: TargetContext, { tickMs, graceMs }: Timing) {
    this.#settings = settings;
    this.#context = context;
    const { place } = settings;
    this.#store =
      place.kind === "FOLDER"
        ? new ThreadedFolder(place.path, context.uplinkId)
        : new S3Store(place, { ...settings, context });
    this.#staging = `_staging/${fileNameOf(context.uplinkId)}/`;
    this.#timer = setInterval(() => this.#tick(), tickMs);
    this.#timer.unref();
    this.#graceMs = graceMs;
  }

  get bytesSent(): number {
    return this.#store.bytesSent;
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#exclusively(signal, async () => {
      const name = `${this.#staging}check`;
      await this.#store.write(name, new Uint8Array(), signal);
      await this.#store.remove(name, signal);
      await this.#start(signal);
    });
  }

  async send(batch: Batch, signal: AbortSignal): Promise<void> {
    await this.#exclusively(signal, async () => {
      await this.#start(signal);
      if (this.#hasFailed) await this.#writeDue(signal);
      const { partition: length, rowsPerFile } = this.#settings;
      for (const [name, staged] of partitionsOf(batch, length)) {
        const partition = await this.#open(name, signal);
        await partition.stage(fileNameOf(batch.id), staged, signal);
        if (partition.values >= rowsPerFile) await this.#write(partition, false, signal);
      }
    });
  }

  /** Writes waiting batches as far as that is quick; the rest is written when the uplink runs again. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    const signal = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
    try {
      await this.#exclusively(signal, async () => {
        for (const partition of this.#partitions.values()) await this.#write(partition, true, signal);
      });
    } catch {
      // It is staged.
    } finally {
      this.#store.close();
    }
  }

  #tick(): void {
    const { signal } = this.#closing;
    this.#exclusively(signal, () => this.#writeDue(signal)).catch(() => {
      this.#hasFailed = true;
    });
  }

  /** Loads the state of an earlier run, and removes records that are no longer needed. */
  async #start(signal: AbortSignal): Promise<void> {
    if (this.#isStarted) return;
    const names = await this.#store.list(this.#staging, signal);
    const oldest = this.#context.now() - RECORDS_KEPT_MS;
    for (const name of names) {
      const partition = name.slice(this.#staging.length, name.lastIndexOf("/"));
      if (isPart(name)) await this.#open(partition, signal);
      else if ((recordTime(name) ?? oldest) < oldest) await this.#store.remove(name, signal);
    }
    this.#isStarted = true;
  }

  async #open(name: string, signal: AbortSignal): Promise<StagedPartition> {
    const opened = this.#partitions.get(name);
    if (opened !== undefined) return opened;
    const folder = `${this.#staging}${name}/`;
    const setAside = (file: string) => this.#context.setAside?.(file);
    const partition = await StagedPartition.open(this.#store, { name, folder, setAside }, signal);
    this.#partitions.set(name, partition);
    return partition;
  }

  async #writeDue(signal: AbortSignal): Promise<void> {
    for (const partition of this.#partitions.values()) {
      const idleMs = performance.now() - partition.lastMs;
      const isClosed = endOf(partition.name) + this.#graceMs < this.#context.now() && idleMs >= this.#graceMs;
      if (isClosed && partition.values > 0) await this.#write(partition, true, signal);
      else if (idleMs >= FORGET_MS && partition.values === 0) this.#partitions.delete(partition.name);
    }
    this.#hasFailed = false;
  }

  #write(partition: StagedPartition, isWhole: boolean, signal: AbortSignal): Promise<void> {
    const options = { valuesMax: this.#settings.rowsPerFile, isWhole, now: this.#context.now() };
    return partition.write(options, signal);
  }

  /** Runs work exclusively. */
  async #exclusively(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", abort);
    const running = this.#working.then(() => {
      signal.throwIfAborted();
      return work();
    });
    this.#working = running.catch(() => undefined);
    try {
      await Promise.race([running, aborted.promise]);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TargetError) throw error;
      throw new TargetError("retry", detail("uplink.target_failed", { reason: messageOf(error) }), error);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }
}

/**
 * Writes Parquet files to a folder or an S3-compatible server. DuckDB, Spark, pandas and others read all files below `telemetry/` as one table,
 * with Hive partitioning.
 *
 * - `telemetry/site=…/date=…/hour=…/<name>.parquet` (without `hour=` by day; in UTC by the timestamp of the value) has one row per value:
 *   `device` (id), `name`, `type`, `tags` (JSON), `key`, `ts`, and `number`, `boolean`, `text` or `json` (text); only the column of the
 *   value's type is set. Rows are ordered by device, key and time; pages are compressed by zstd. NaN and infinities are stored.
 * - `events/site=…/date=…/<name>.parquet` contains all other records: `ts`, `kind`, `device`, `name`, `type` and `data`, the line that the HTTP
 *   target sends. Deletions are included (at the end of their range) but not executed: a file never changes.
 * - A batch is durable when it is staged: one object per partition in `_staging/`, named by the batch. A file is written when its hour or day
 *   has ended and no rows arrived for a minute, when `rowsPerFile` values are waiting, or when the uplink is stopped. Late values get a
 *   separate file.
 * - The name of a file is the hash of its batches, which a record in `_staging/` lists: a batch repeated before or after the file was written
 *   is not stored twice. Of two values with the same timestamp in a file, the later one is stored; in two files, both are.
 * - A file in a folder is written under another name, synced and renamed.
 */
export const createParquetTarget = (
  settings: ParquetSettings,
  context: TargetContext,
  timing: Timing = usualTiming,
): Target => new ParquetTarget(settings, context, timing);
