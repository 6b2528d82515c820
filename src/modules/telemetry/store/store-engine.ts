import { messageOf } from "../../../lib/core/error-message.ts";
import type { FamilyKey } from "./blocks/block-directory.ts";
import { BlockStore } from "./blocks/block-store.ts";
import { Feeds } from "./feed/feeds.ts";
import { checkGroup, type Definitions, pointsOf, sealGroup } from "./hot/group-format.ts";
import { HotGeneration, type StagedGroup } from "./hot/hot-generation.ts";
import { FORM_DELETION } from "./hot/hot-log.ts";
import type { LogRecord } from "./hot/hot-log-file.ts";
import { packGroup, unpackGroup } from "./hot/hot-packing.ts";
import { LogSyncer } from "./hot/log-syncer.ts";
import { type DeviceState, Registry, type SeriesState } from "./registry.ts";
import type { WorkerOptions } from "./store.protocol.ts";
import { TelemetryFile } from "./telemetry-file.ts";
import type { Deletion } from "./upkeep/deletion.types.ts";
import { OpenDeletions } from "./upkeep/open-deletions.ts";

/** Number of small blocks in a family that triggers a merge. */
const SMALL_BLOCKS_MIN = 8;

/** Counts small blocks per family. */
class MergeQueue {
  /** `device/family` → seals since the last merge. */
  readonly #seals = new Map<string, { of: FamilyKey; count: number }>();

  note(of: FamilyKey): void {
    const id = `${of.device}/${of.family}`;
    const entry = this.#seals.get(id) ?? { of, count: 0 };
    entry.count++;
    this.#seals.set(id, entry);
  }

  /** Returns the families that are due, and forgets them. */
  take(): FamilyKey[] {
    const due: FamilyKey[] = [];
    for (const [id, { of, count }] of this.#seals) {
      if (count < SMALL_BLOCKS_MIN) continue;
      due.push(of);
      this.#seals.delete(id);
    }
    return due;
  }
}

/**
 * A checkpoint costs two fsyncs during which nothing is acknowledged. It waits for a pause between commits unless the log has grown to this multiple
 * of its limit: at 50 MB/s and 20 ms per fsync, this stalls 4 ms in 100.
 */
const BUSY_WAL_TIMES = 4;

/** Remaining work after a group is on disk. */
export interface CommittedGroup {
  readonly id: number;
  readonly staged: StagedGroup;
}

/** Hot points, in multiples of `hotPointsMax`, beyond which commits wait for the sealing. */
export const BACKLOG_MAX = 4;

/** State of the worker: the file, the dictionaries and the hot content. */
export class StoreEngine {
  readonly file: TelemetryFile;
  readonly syncer: LogSyncer;
  readonly blocks: BlockStore;
  readonly registry = new Registry();
  readonly merges = new MergeQueue();
  /** At startup, deletions that a crash may have interrupted. */
  readonly deletions = new OpenDeletions();
  /** Readers that forward stored values. */
  readonly feeds: Feeds;
  readonly damagedHotRows: string[] = [];
  /** Upper bound of all device numbers with a trace in the file, including deleted devices; exclusive. */
  nextDevice = 0;
  hot: HotGeneration;
  /** Generation being sealed, older than `hot`. */
  frozen: HotGeneration | null = null;

  constructor(readonly options: WorkerOptions) {
    this.file = new TelemetryFile(options.file, options);
    this.syncer = new LogSyncer(this.file.log);
    this.blocks = new BlockStore(this.file);
    this.hot = new HotGeneration(this.registry);
    this.feeds = new Feeds(this.file, this.registry, this.deletions);
  }

  /** Loads the dictionaries and the hot rows into memory. */
  recover(): Definitions {
    this.#restoreDefinitions();
    const definitions = this.file.readDefinitions();
    this.#register(definitions);
    this.feeds.load();
    for (const { device: no, key, family, sealed } of this.file.seriesRows()) {
      const device = this.registry.devices.get(no);
      if (device === undefined) continue;
      const series = this.registry.restoreSeries(device, key, family);
      series.sealed = sealed;
      series.ts = sealed.ts;
      series.persisted = true;
    }
    for (const row of this.file.log.all()) this.#replay(row);
    return definitions;
  }

  /** Restores definitions that a power cut has removed from the file, except those of devices deleted since. */
  #restoreDefinitions(): void {
    const all: Definitions[] = [];
    const dropped = new Set<number>();
    for (const { form, data, definitions, isSound } of this.file.log.all()) {
      if (!isSound) continue;
      if (definitions.length > 0) all.push(decodeJson(definitions));
      if (form !== FORM_DELETION) continue;
      const { device, drop }: Deletion = decodeJson(data);
      if (drop) dropped.add(device);
    }
    for (const { devices, keys, patterns } of all)
      this.file.insertDefinitions({ devices: devices.filter(({ no }) => !dropped.has(no)), keys, patterns });
  }

  get walIsTooLarge(): boolean {
    return this.file.walBytes >= this.options.walBytesMax * BUSY_WAL_TIMES;
  }

  /** True if sealing cannot keep up, so commits wait for it. */
  get isBehind(): boolean {
    return (this.frozen?.points ?? 0) + this.hot.points >= this.options.hotPointsMax * BACKLOG_MAX;
  }

  /** All generations, oldest first. */
  get generations(): HotGeneration[] {
    return this.frozen === null ? [this.hot] : [this.frozen, this.hot];
  }

  /** Appends a group to the log. Once `syncer` has written it to disk, `index` makes it readable. If it throws, the group is removed. */
  append(group: Uint8Array, definitions: Definitions | null, packsDensely = false): CommittedGroup {
    sealGroup(group);
    const staged = this.hot.stage(group);
    try {
      const { form, data } = packGroup(
        group,
        packsDensely,
        (pattern) =>
          this.registry.patterns[pattern] ?? definitions?.patterns.find(({ no }) => no === pattern)?.columns,
      );
      if (definitions !== null) this.file.insertDefinitions(definitions);
      const id = this.file.log.append({ form, data, definitions, values: pointsOf(group) });
      if (definitions !== null) this.#register(definitions);
      return { id, staged };
    } catch (error) {
      this.hot.unstage(staged);
      throw error;
    }
  }

  /** Makes a committed group readable. */
  index({ id, staged }: CommittedGroup): void {
    if (this.hot.groups === 0) this.hot.openedAtMs = performance.now();
    this.hot.index(staged, id);
  }

  #replayDeletion(deletion: Deletion, id: number): void {
    this.nextDevice = Math.max(this.nextDevice, deletion.device + 1);
    this.hot.cover(id);
    const device = this.registry.devices.get(deletion.device);
    if (device === undefined) return;
    this.#bury(deletion, id);
    for (const series of device.series.values()) if (series.hot !== null) this.#findNewest(device, series);
    this.deletions.add(id, deletion);
  }

  /** Freezes the hot content for sealing; new readings start a new generation. */
  freeze(): HotGeneration {
    this.syncer.flush(); // what is not indexed yet belongs to this generation
    const generation = this.hot;
    this.file.log.beginFile();
    this.frozen = generation;
    this.hot = new HotGeneration(this.registry);
    return generation;
  }

  /** Discards the frozen generation, which is now in blocks. */
  thaw(generation: HotGeneration): void {
    for (const { device } of generation.devices.values()) {
      for (const series of device.series.values()) if (series.hot === generation) this.#settleNewest(series);
    }
    if (this.frozen === generation) this.frozen = null;
  }

  #settleNewest(series: SeriesState): void {
    series.hot = null;
    series.ts = series.sealed?.ts ?? Number.NEGATIVE_INFINITY;
  }

  /** Writes a deletion into the hot tier and hides the affected points there. Returns the row's id and the number of hidden points. */
  recordDeletion(deletion: Deletion): { readonly id: number; readonly hidden: number } {
    const data = new TextEncoder().encode(JSON.stringify(deletion));
    const id = this.file.log.append({ form: FORM_DELETION, data, values: 1 });
    this.syncer.flush();
    return { id, hidden: this.#bury(deletion, id) };
  }

  hotHasBefore(device: DeviceState, ts: number): boolean {
    return this.generations.some((generation) => (generation.devices.get(device.no)?.minTs ?? ts) < ts);
  }

  /** Updates the newest value of a series; a series without values is forgotten. */
  refreshNewest(device: DeviceState, series: SeriesState): void {
    this.#findNewest(device, series);
    if (series.ts === Number.NEGATIVE_INFINITY) this.registry.dropSeries(device, series);
  }

  #findNewest(device: DeviceState, series: SeriesState): void {
    this.#settleNewest(series);
    for (const generation of this.generations) {
      const address = generation.devices.get(device.no)?.newest(generation, series) ?? null;
      if (address === null || generation.tsAt(address) < series.ts) continue;
      series.ts = generation.tsAt(address);
      series.hot = generation;
      series.address = address;
    }
  }

  /** Removes a device as the last step of its deletion, after its blocks. */
  dropDevice(device: DeviceState): void {
    this.file.transactLazily(() => this.file.deleteDevice(device.no));
    for (const generation of this.generations) generation.devices.delete(device.no);
    this.registry.removeDevice(device);
  }

  #bury(deletion: Deletion, id: number): number {
    const keys = deletion.keys === null ? null : new Set(deletion.keys);
    const tombstone = { keys, from: deletion.from, to: deletion.to };
    let hidden = 0;
    for (const generation of this.generations) hidden += generation.bury(deletion.device, tombstone);
    this.hot.cover(id);
    return hidden;
  }

  #register(definitions: Definitions): void {
    for (const device of definitions.devices) {
      this.registry.addDevice(device);
      this.nextDevice = Math.max(this.nextDevice, device.no + 1);
    }
    for (const key of definitions.keys) this.registry.addKey(key);
    for (const pattern of definitions.patterns) this.registry.addPattern(pattern);
  }

  #replay(row: LogRecord): void {
    if (!row.isSound) {
      // Named in the statistics, and left where it is until the rest of its generation is sealed.
      this.damagedHotRows.push(`hot row ${row.id}: its checksum does not match`);
      return;
    }
    if (row.form === FORM_DELETION) {
      this.#replayDeletion(decodeJson(row.data), row.id);
      return;
    }
    let staged: StagedGroup | undefined;
    try {
      const group = unpackGroup(row.form, row.data);
      staged = this.hot.stage(group);
      // The staged copy is what is read from now on, so that copy is checked.
      checkGroup(this.hot.stagedBytes(staged, group.byteLength));
      this.hot.index(staged, row.id);
    } catch (error) {
      if (staged !== undefined) this.hot.unstage(staged);
      this.damagedHotRows.push(`hot row ${row.id}: ${messageOf(error)}`);
    }
  }
}

const decodeJson = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));
