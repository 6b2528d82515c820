import { nextUp } from "../../lib/next-double.ts";
import { FeedDecoder, feedRowsOf } from "../telemetry/feed-decoder.service.ts";
import type {
  ConfirmedRange,
  FeedDeletion,
  FeedDeviceRows,
  FeedRange,
  FeedRows,
  FeedStep,
} from "../telemetry/feeds.types.ts";
import type { DeviceCache } from "./device-cache.ts";
import type { MainCalls, UplinkJob } from "./uplink.protocol.ts";
import type { Batch, DeletionRecord, UplinkDevice, UplinkRecord } from "./uplink.types.ts";

type Call = <Name extends keyof MainCalls & string>(
  name: Name,
  args: MainCalls[Name]["args"],
) => Promise<MainCalls[Name]["result"]>;

/** Bytes of hot rows in one answer, as they are stored. */
const READ_BYTES_MAX = 64 * 1024;
/** Values of one batch of history, about. */
const BATCH_POINTS = 20_000;
/** Characters of texts in a batch of history, about: a target may refuse a request of many megabytes. */
const BATCH_CHARACTERS = 4 * 1024 * 1024;
const RANGES_MAX = 64;
/** History is read backwards in pieces of this length, which doubles for a device as long as its pieces are empty. */
const PIECE_MS = 24 * 3_600_000;

/** A batch, and what is to be confirmed once it and all batches before it have arrived. */
export interface Item {
  readonly batch: Batch;
  /** It may be sent only after all that came before it, and before all that comes after it. */
  readonly isBarrier: boolean;
  confirm(): Promise<unknown>;
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

/** Length of the texts of rows. */
function charactersOf({ columns }: FeedDeviceRows): number {
  let characters = 0;
  for (const { texts } of columns) for (const text of texts ?? []) characters += text?.length ?? 0;
  return characters;
}

/** Reads what an uplink has to send, in its order. */
export class UplinkReader {
  readonly #job: UplinkJob;
  readonly #call: Call;
  readonly #devices: DeviceCache;
  readonly #transform: (rows: FeedDeviceRows) => FeedDeviceRows | undefined;
  readonly #decoder: FeedDecoder;
  /** Steps that were decoded and not sent yet. */
  #steps: FeedStep[] = [];
  #ranges: FeedRange[] = [];
  #open: OpenRange | undefined;
  /** Number of a device → length of its next piece, where it is not `PIECE_MS`. */
  readonly #pieceMs = new Map<number, number>();
  #after = 0;
  #hasBacklog = true;
  #isAtEnd = false;
  /** Counts how often it was woken: what was written during a read may not be in its answer. */
  #wakes = 0;
  #batches = 0;
  /** Distinguishes the batches of this run from those of others. */
  readonly #run = crypto.randomUUID().slice(0, 8);
  #hasChanges = true;

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

  async #nextChanges(): Promise<Item | undefined> {
    const { uplinkId } = this.#job;
    const wakes = this.#wakes;
    const { records, cursor, isAtEnd } = await this.#call("changes", { uplinkId });
    if (isAtEnd && this.#wakes === wakes) this.#hasChanges = false;
    // Changes of which none is selected are confirmed as well: behind them there may be selected ones.
    if (records.length === 0 && isAtEnd) return undefined;
    return {
      batch: this.#batch(records),
      isBarrier: true,
      confirm: () => this.#call("confirmChanges", { uplinkId, cursor }),
    };
  }

  async #nextLive(hasOutstanding: boolean): Promise<Item | "later" | undefined> {
    if (this.#steps.length === 0) {
      if (this.#isAtEnd) return undefined;
      const wakes = this.#wakes;
      const read = await this.#read();
      if (read.deletions.length > 0) return hasOutstanding ? "later" : this.#keptDeletion(read);
      this.#after = read.end;
      this.#isAtEnd = read.isAtEnd && this.#wakes === wakes;
      const steps = [...this.#decoder.decode(read)];
      // An idle gateway confirms nothing: the position has not moved.
      if (steps.length === 1 && read.rows.length === 0) return undefined;
      this.#steps = steps;
    }
    const [step] = this.#steps;
    if (step === undefined) return undefined;
    const item = await this.#itemOf(step);
    // Only now: what follows must not be confirmed without a step that failed here.
    this.#steps.shift();
    return item;
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

  async #itemOf(step: FeedStep): Promise<Item> {
    const confirm = () => this.#call("confirm", { id: this.#job.uplinkId, position: step.position });
    if (step.kind === "deletion")
      return { batch: this.#batch(await this.#deletionsOf(step)), isBarrier: true, confirm };
    return { batch: this.#batch(await this.#recordsOf(step.devices)), isBarrier: false, confirm };
  }

  async #keptDeletion({ deletions }: FeedRows): Promise<Item | undefined> {
    const [deletion] = deletions;
    if (deletion === undefined) return undefined;
    return {
      batch: this.#batch(await this.#deletionsOf(deletion)),
      isBarrier: true,
      confirm: () => this.#call("confirm", { id: this.#job.uplinkId, deletions: [deletion.id] }),
    };
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

  async #nextHistory(hasOutstanding: boolean): Promise<Item | "later" | undefined> {
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
    this.#ranges = [...ranges];
    this.#hasBacklog = rangeCount > 0;
  }

  async #batchOfHistory(): Promise<Item> {
    const rows: FeedDeviceRows[] = [];
    const confirmed: ConfirmedRange[] = [];
    let points = 0;
    let characters = 0;
    while (points < BATCH_POINTS && characters < BATCH_CHARACTERS) {
      this.#open ??= this.#openNext();
      if (this.#open === undefined) break;
      const chunk = await this.#nextChunk(this.#open, confirmed);
      if (chunk === undefined) continue;
      rows.push(chunk);
      points += chunk.ts.length * chunk.columns.length;
      characters += charactersOf(chunk);
    }
    return {
      batch: this.#batch(await this.#recordsOf(rows)),
      isBarrier: false,
      confirm: () => this.#call("confirm", { id: this.#job.uplinkId, ranges: confirmed }),
    };
  }

  #openNext(): OpenRange | undefined {
    const range = this.#ranges.shift();
    if (range === undefined) return undefined;
    const pieceMs = this.#pieceMs.get(range.device) ?? PIECE_MS;
    const since = this.#job.order === "NEWEST_FIRST" ? Math.max(range.from, range.to - pieceMs) : range.from;
    return { range, from: since, since };
  }

  /** Reads the next rows of a range, and notes what may be confirmed with them. */
  async #nextChunk(open: OpenRange, confirmed: ConfirmedRange[]): Promise<FeedDeviceRows | undefined> {
    const { range } = open;
    const { deviceId } = range;
    const device = (await this.#devices.get([deviceId])).get(deviceId);
    const chunk =
      device === undefined ? null : await this.#call("rows", { deviceId, from: open.from, to: range.to });
    const isForwards = open.since === range.from;
    const isLast = chunk === null || chunk.to >= range.to;
    if (isForwards) confirmed.push({ ...range, until: isLast ? range.to : chunk.to });
    else if (isLast) confirmed.push({ ...range, since: open.since });
    if (chunk !== null || isForwards) this.#pieceMs.delete(range.device);
    else this.#pieceMs.set(range.device, 2 * (this.#pieceMs.get(range.device) ?? PIECE_MS));
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

  #batch(records: readonly UplinkRecord[]): Batch {
    let points = 0;
    for (const record of records)
      if (record.kind === "rows")
        for (const { tags } of record.columns) for (const tag of tags) if (tag !== 0) points++;
    return { id: `${this.#job.uplinkId}-${this.#run}-${this.#batches++}`, records, points };
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
