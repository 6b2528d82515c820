import { nextUp } from "../../lib/data/next-double.ts";
import { FeedDecoder, feedRowsOf } from "../telemetry/feed-decoder.service.ts";
import type {
  ChunkMax,
  ConfirmedRange,
  FeedDeletion,
  FeedDeviceRows,
  FeedRange,
  FeedRows,
  FeedStep,
} from "../telemetry/feeds.types.ts";
import { BATCH_POINTS, bytesOf, bytesOfRows, roomIn } from "./batch-weight.ts";
import type { DeviceCache } from "./device-cache.ts";
import { digestOf } from "./record-digest.ts";
import type { Batch, DeletionRecord, UplinkDevice, UplinkRecord } from "./target.types.ts";
import type { MainCalls, UplinkJob } from "./uplink.protocol.ts";

type Call = <Name extends keyof MainCalls & string>(
  name: Name,
  args: MainCalls[Name]["args"],
) => Promise<MainCalls[Name]["result"]>;

/** Bytes of hot rows in one answer, as they are stored. */
const READ_BYTES_MAX = 64 * 1024;
const RANGES_MAX = 64;
/** History is read backwards in pieces of this length, which doubles for a device as long as its pieces are empty. */
const PIECE_MS = 24 * 3_600_000;

/** A batch, and what is to be confirmed once it and all batches before it have arrived. */
export interface Item {
  readonly batch: Batch;
  /** It may be sent only after all that came before it, and before all that comes after it. */
  readonly isBarrier: boolean;
  /** Bytes in memory until the target has it, about. */
  readonly bytes: number;
  confirm(): Promise<unknown>;
  /** Makes the reader go back to before this batch, which it then reads again. */
  repeat(): void;
  /** Makes the reader go on behind this batch. */
  pass(): void;
}

/** A range of the backlog that is being read. */
interface OpenRange {
  /** As the store knows it after the confirmations that were made so far. */
  range: FeedRange;
  /** Where the next chunk begins. */
  from: number;
  /** Beginning of the piece that is read; `range.from` where history is read forwards. */
  readonly since: number;
}

/** How far a reader has come. */
interface Place {
  /** Position of the last step of hot rows that was given. */
  readonly after: number;
  readonly ranges: readonly OpenRange[];
  readonly open: OpenRange | undefined;
}

type ReadItem = Omit<Item, "repeat" | "pass">;

/** Reads what an uplink has to send, in its order. */
export class UplinkReader {
  readonly #job: UplinkJob;
  readonly #call: Call;
  readonly #devices: DeviceCache;
  readonly #transform: (rows: FeedDeviceRows) => FeedDeviceRows | undefined;
  readonly #decoder: FeedDecoder;
  /** Steps of the hot rows that were read and are not decoded yet. */
  #steps: Iterator<FeedStep> | undefined;
  /** Positions of steps that were given and not confirmed, in order: a step that is read again ends where it did. */
  readonly #positions = new Set<number>();
  /** Ranges of the backlog that come next: what is read again begins where it did. */
  #ranges: OpenRange[] = [];
  #open: OpenRange | undefined;
  /** Number of a device → length of its next piece, where it is not `PIECE_MS`. */
  readonly #pieceMs = new Map<number, number>();
  /** Last hot row that was read. */
  #after = 0;
  /** Position of the last step of hot rows that was given. */
  #given = 0;
  #hasBacklog = true;
  #isAtEnd = false;
  /** Counts how often it was woken: what was written during a read may not be in its answer. */
  #wakes = 0;
  /** Distinguishes the batches of this run from those of others. */
  readonly #run = crypto.randomUUID().slice(0, 8);
  #hasChanges = true;
  /** Where the batch that is being read begins. */
  #before = this.#place();

  constructor(
    job: UplinkJob,
    deps: {
      readonly call: Call;
      readonly devices: DeviceCache;
      /** Selects keys and runs the steps; undefined if nothing is left. */
      readonly transform: (rows: FeedDeviceRows) => FeedDeviceRows | undefined;
    },
  ) {
    this.#job = job;
    this.#call = deps.call;
    this.#devices = deps.devices;
    this.#transform = deps.transform;
    this.#decoder = new FeedDecoder(job.tenantId, (deviceId) => this.#devices.mayBeWanted(deviceId));
  }

  /** Something was written: there may be more to read. */
  wake(): void {
    this.#wakes++;
    this.#isAtEnd = false;
    this.#hasChanges = true;
  }

  /**
   * Returns the next batch; undefined if there is none. `hasOutstanding` says that batches were not confirmed yet: what can only be read after that
   * is "later".
   */
  async next(hasOutstanding: boolean): Promise<Item | "later" | undefined> {
    this.#before = this.#place();
    const item = await this.#nextItem(hasOutstanding);
    if (typeof item !== "object") return item;
    const before = this.#before;
    const behind = this.#place();
    return { ...item, repeat: () => this.#goTo(before), pass: () => this.#goTo(behind) };
  }

  #place(): Place {
    return { after: this.#given, ranges: [...this.#ranges], open: this.#open };
  }

  #goTo({ after, ranges, open }: Place): void {
    this.wake();
    this.#steps = undefined;
    this.#after = after;
    this.#given = after;
    this.#ranges = [...ranges];
    this.#open = open;
    this.#hasBacklog = true;
  }

  async #nextItem(hasOutstanding: boolean): Promise<ReadItem | "later" | undefined> {
    if (this.#hasChanges) {
      if (hasOutstanding) return "later";
      const item = await this.#nextChanges();
      if (item !== undefined) return item;
    }
    if (!this.#job.sendsTelemetry) return undefined;
    const isHistoryFirst = this.#job.order === "OLDEST_FIRST";
    if (isHistoryFirst && (this.#open !== undefined || this.#hasBacklog)) {
      const item = await this.#nextHistory(hasOutstanding);
      if (item !== undefined) return item;
    }
    return (await this.#nextLive(hasOutstanding)) ?? (await this.#nextHistory(hasOutstanding));
  }

  async #nextChanges(): Promise<ReadItem | undefined> {
    const { uplinkId } = this.#job;
    const wakes = this.#wakes;
    const { records, cursor, isAtEnd } = await this.#call("changes", { uplinkId });
    if (isAtEnd && this.#wakes === wakes) this.#hasChanges = false;
    // Changes of which none is selected are confirmed as well: behind them there may be selected ones.
    if (records.length === 0 && isAtEnd) return undefined;
    return this.#item(records, {
      bounds: JSON.stringify(cursor),
      isBarrier: true,
      confirm: () => this.#call("confirmChanges", { uplinkId, cursor }),
    });
  }

  async #nextLive(hasOutstanding: boolean): Promise<ReadItem | "later" | undefined> {
    if (this.#steps === undefined) {
      if (this.#isAtEnd) return undefined;
      const wakes = this.#wakes;
      const read = await this.#read();
      if (read.deletions.length > 0) return hasOutstanding ? "later" : this.#keptDeletion(read);
      const end = this.#endOf(read);
      const rows = read.rows.filter(({ id }) => id <= end);
      this.#after = end;
      this.#isAtEnd = read.isAtEnd && end === read.end && this.#wakes === wakes;
      // An idle gateway confirms nothing: the position has not moved.
      if (rows.length === 0 && end === read.end) return undefined;
      this.#steps = this.#decoder.decode({ rows, end });
    }
    const { value: step } = this.#steps.next();
    if (step !== undefined) return this.#itemOf(step);
    this.#steps = undefined;
    return this.#nextLive(hasOutstanding);
  }

  /** Returns the end of the next steps: behind all rows that were read, or where a batch ended that was given before. */
  #endOf({ end }: FeedRows): number {
    for (const position of this.#positions) if (position > this.#after && position < end) return position;
    return end;
  }

  async #read(): Promise<FeedRows> {
    const read = await this.#call("read", {
      feed: this.#job.uplinkId,
      after: this.#after,
      known: this.#decoder.known,
      bytesMax: READ_BYTES_MAX,
    });
    this.#decoder.define(read.definitions);
    this.#hasBacklog ||= read.hasBacklog;
    return read;
  }

  async #itemOf(step: FeedStep): Promise<ReadItem> {
    const { position } = step;
    const records =
      step.kind === "deletion" ? await this.#deletionsOf(step) : await this.#recordsOf(step.devices);
    this.#positions.add(position);
    this.#given = position;
    return this.#item(records, {
      bounds: String(position),
      isBarrier: step.kind === "deletion",
      confirm: () => {
        // Those before it were confirmed, or their rows have become history.
        for (const passed of this.#positions) if (passed <= position) this.#positions.delete(passed);
        return this.#call("confirm", { id: this.#job.uplinkId, position });
      },
    });
  }

  async #keptDeletion({ deletions }: FeedRows): Promise<ReadItem | undefined> {
    const [deletion] = deletions;
    if (deletion === undefined) return undefined;
    return this.#item(await this.#deletionsOf(deletion), {
      bounds: `deletion ${deletion.id}`,
      isBarrier: true,
      confirm: () => this.#call("confirm", { id: this.#job.uplinkId, deletions: [deletion.id] }),
    });
  }

  /** Returns the deletion; nothing for a device that is not selected. */
  async #deletionsOf({
    deviceId,
    keys,
    from,
    to,
    drop,
  }: Omit<FeedDeletion, "id">): Promise<DeletionRecord[]> {
    const device = (await this.#devices.get([deviceId])).get(deviceId);
    const { deviceIds } = this.#job;
    // One that is gone can only be selected by its id.
    const isSelected =
      device !== undefined || (drop && (deviceIds.length === 0 || deviceIds.includes(deviceId)));
    if (!isSelected) return [];
    return [{ kind: "deletion", device: device ?? nameless(deviceId), keys, from, to }];
  }

  async #nextHistory(hasOutstanding: boolean): Promise<ReadItem | "later" | undefined> {
    if (this.#open === undefined && this.#ranges.length === 0) {
      if (!this.#hasBacklog) return undefined;
      // What is on its way is still in the backlog, and would be read a second time.
      if (hasOutstanding) return "later";
      await this.#readBacklog();
      if (this.#ranges.length === 0) return undefined;
    }
    return this.#batchOfHistory();
  }

  async #readBacklog(): Promise<void> {
    const { uplinkId: feed, order } = this.#job;
    const { ranges, rangeCount, definitions } = await this.#call("backlog", {
      feed,
      known: this.#decoder.known,
      limit: RANGES_MAX,
      newestFirst: order === "NEWEST_FIRST",
    });
    this.#decoder.define(definitions);
    this.#ranges = ranges.map((range) => this.#opened(range));
    // The backlog may have grown when the batch is read again.
    this.#before = this.#place();
    this.#hasBacklog = rangeCount > 0;
  }

  async #batchOfHistory(): Promise<ReadItem> {
    const records: UplinkRecord[] = [];
    const confirmed: ConfirmedRange[] = [];
    let points = 0;
    let bytes = 0;
    let bounds = "";
    while (points < BATCH_POINTS) {
      this.#open ??= this.#ranges.shift();
      if (this.#open === undefined) break;
      const device = await this.#deviceOf(this.#open);
      const room = device && roomIn(bytes, device);
      if (device !== undefined && room === undefined) break;
      const { range, from } = this.#open;
      const chunk = await this.#nextChunk(this.#open, { room, confirmed });
      bounds += `${range.seq} ${from} `;
      if (chunk !== undefined && device !== undefined) {
        points += chunk.ts.length * chunk.columns.length;
        bytes += bytesOfRows(chunk, device);
        records.push(...(await this.#recordsOf([chunk])));
      }
    }
    return this.#item(records, {
      bounds,
      isBarrier: false,
      confirm: () => this.#call("confirm", { id: this.#job.uplinkId, ranges: confirmed }),
    });
  }

  async #deviceOf({ range: { deviceId } }: OpenRange): Promise<UplinkDevice | undefined> {
    return (await this.#devices.get([deviceId])).get(deviceId);
  }

  #opened(range: FeedRange): OpenRange {
    const pieceMs = this.#pieceMs.get(range.device) ?? PIECE_MS;
    const since = this.#job.order === "NEWEST_FIRST" ? Math.max(range.from, range.to - pieceMs) : range.from;
    return { range, from: since, since };
  }

  /** Reads the next rows of a range, and notes what may be confirmed with them. Without room, the device is not selected. */
  async #nextChunk(
    open: OpenRange,
    { room: max, confirmed }: { room: ChunkMax | undefined; confirmed: ConfirmedRange[] },
  ): Promise<FeedDeviceRows | undefined> {
    const { range } = open;
    const { deviceId } = range;
    const chunk =
      max === undefined ? null : await this.#call("rows", { deviceId, from: open.from, to: range.to, max });
    const isForwards = open.since === range.from;
    const isLast = chunk === null || chunk.to >= range.to;
    if (isForwards) confirmed.push({ ...range, until: isLast ? range.to : chunk.to });
    else if (isLast) confirmed.push({ ...range, since: open.since });
    if (chunk !== null || isForwards) this.#pieceMs.delete(range.device);
    else this.#pieceMs.set(range.device, 2 * (range.to - open.since));
    this.#open = undefined;
    if (!isLast) {
      const from = nextUp(chunk.to);
      this.#open = isForwards ? { range: { ...range, from }, from, since: from } : { ...open, from };
    }
    return chunk === null ? undefined : feedRowsOf(deviceId, chunk);
  }

  async #recordsOf(devices: readonly FeedDeviceRows[]): Promise<UplinkRecord[]> {
    const byDevice = await this.#devices.get(devices.map(({ deviceId }) => deviceId));
    return devices.flatMap((rows): UplinkRecord[] => {
      const device = byDevice.get(rows.deviceId);
      const kept = device && this.#transform(rows);
      if (device === undefined || kept === undefined) return [];
      return [{ kind: "rows", device, ts: kept.ts, columns: kept.columns }];
    });
  }

  /** `bounds`: which part of the feed the records are. The same part with the same content has the same id. */
  #item(
    records: readonly UplinkRecord[],
    { bounds, ...item }: { bounds: string } & Pick<Item, "isBarrier" | "confirm">,
  ): ReadItem {
    let points = 0;
    for (const record of records)
      if (record.kind === "rows")
        for (const { tags } of record.columns) for (const tag of tags) if (tag !== 0) points++;
    const digest = digestOf(records, `${this.#run} ${bounds}`);
    const batch = { id: `${this.#job.uplinkId}-${this.#run}-${digest}`, records, points };
    return { ...item, batch, bytes: bytesOf(records) };
  }
}

/** A device that is gone: only its id is known. */
const nameless = (deviceId: string): UplinkDevice => ({
  deviceId,
  name: deviceId,
  type: "",
  site: "",
  tags: {},
});
