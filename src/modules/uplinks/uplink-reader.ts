import { nextUp } from "../../lib/data/next-up.ts";
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
import type { MainCalls, SentRecord, UplinkJob } from "./uplink.protocol.ts";

type Call = <Name extends keyof MainCalls & string>(
  name: Name,
  args: MainCalls[Name]["args"],
) => Promise<MainCalls[Name]["result"]>;

/** Max. stored bytes of hot rows per response. */
const READ_BYTES_MAX = 64 * 1024;
const RANGES_MAX = 64;

function toRecord(sent: SentRecord): UplinkRecord {
  if (sent.kind !== "attributes") return sent;
  const { text, ...record } = sent;
  return { ...record, values: JSON.parse(text) }; // made of what the attributes module wrote
}

/** Length of the pieces in which history is read backwards; doubled for a device while its pieces are empty. */
const PIECE_MS = 24 * 3_600_000;

/** Batch, and the position to confirm once it and all earlier batches have arrived. */
export interface Item {
  readonly batch: Batch;
  /** True if the batch may only be sent after all earlier and before all later batches. */
  readonly isBarrier: boolean;
  /** Approximate bytes in memory until the target has the batch. */
  readonly bytes: number;
  confirm(): Promise<unknown>;
  /** Moves the reader back before this batch, which is then read again. */
  repeat(): void;
  /** Moves the reader past this batch. */
  pass(): void;
}

/** Range of the backlog being read. */
interface OpenRange {
  /** Range in the store, according to the confirmations so far. */
  range: FeedRange;
  /** Start of the next chunk. */
  from: number;
  /** Start of the current piece; `range.from` if history is read forwards. */
  readonly since: number;
}

/** Progress of a reader. */
interface ReaderPosition {
  /** Position of the last returned step of hot rows. */
  readonly after: number;
  readonly ranges: readonly OpenRange[];
  readonly open: OpenRange | undefined;
}

type ReadItem = Omit<Item, "repeat" | "pass">;

/** Reads the data that an uplink has to send, in its order. */
export class UplinkReader {
  readonly #job: UplinkJob;
  readonly #call: Call;
  readonly #devices: DeviceCache;
  readonly #transform: (rows: FeedDeviceRows) => FeedDeviceRows | undefined;
  readonly #decoder: FeedDecoder;
  /** Read but not yet decoded steps of hot rows. */
  #steps: Iterator<FeedStep> | undefined;
  /** Positions of returned but unconfirmed steps, in order, so that a repeated step ends at the same position. */
  readonly #positions = new Set<number>();
  /** Next ranges of the backlog; a range that is read again starts at the same position. */
  #ranges: OpenRange[] = [];
  #open: OpenRange | undefined;
  /** Device number → length of its next piece, if different from `PIECE_MS`. */
  readonly #pieceMs = new Map<number, number>();
  /** Last read hot row. */
  #after = 0;
  /** Position of the last returned step of hot rows, to continue from after a retry. */
  #given = 0;
  #hasBacklog = true;
  #isAtEnd = false;
  /** Number of `wake` calls; a response may lack data written during its read. */
  #wakes = 0;
  /** Distinguishes the batches of this run from those of others. */
  readonly #run = crypto.randomUUID().slice(0, 8);
  #hasChanges = true;
  /** Start of the batch being read. */
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

  /** Notifies the reader of new writes. */
  wake(): void {
    this.#wakes++;
    this.#isAtEnd = false;
    this.#hasChanges = true;
  }

  /**
   * Returns the next batch; undefined if there is none. `hasOutstanding`: there are unconfirmed batches; returns "later" if the next one can only be
   * read after them.
   */
  async next(hasOutstanding: boolean): Promise<Item | "later" | undefined> {
    this.#before = this.#place();
    const item = await this.#nextItem(hasOutstanding);
    if (typeof item !== "object") return item;
    const before = this.#before;
    const behind = this.#place();
    return { ...item, repeat: () => this.#goTo(before), pass: () => this.#goTo(behind) };
  }

  #place(): ReaderPosition {
    return { after: this.#given, ranges: [...this.#ranges], open: this.#open };
  }

  #goTo({ after, ranges, open }: ReaderPosition): void {
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
    // Pages without selected changes are confirmed, too, because selected changes may follow.
    if (records.length === 0 && isAtEnd) return undefined;
    return this.#item(records.map(toRecord), {
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

  /** Returns the end of the next steps: after all read rows, or at the end of an earlier returned batch. */
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

  /** Returns the deletion; none for a device that is not selected. */
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

  /** Reads the next rows of a range, and records the position to confirm with them. Without room, the device is not selected. */
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

  /** Creates an item. `bounds`: part of the feed that the records cover; the same part with the same content has the same id. */
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

/** Returns a deleted device, for which only the id is known. */
const nameless = (deviceId: string): UplinkDevice => ({
  deviceId,
  name: deviceId,
  type: "",
  site: "",
  tags: {},
});
