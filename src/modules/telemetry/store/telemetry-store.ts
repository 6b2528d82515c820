import { type DomainError, detail, toText, unavailable } from "../../../lib/core/domain-error.ts";
import type { DeviceId, TenantId } from "../../../lib/core/ids.ts";
import { nextUp } from "../../../lib/data/next-up.ts";
import { packedTextReader } from "../../../lib/data/packed-texts.ts";
import { decodeValue, TAG_ABSENT, TAG_STRING } from "../../../lib/data/value-kind.ts";
import type { Text } from "../../../lib/texts/text.ts";
import { FUTURE_MS_MAX } from "../../../lib/time/timestamp.ts";
import type { Logger } from "../../../platform/core/log.ts";
import type { Stamp } from "../../../platform/database/database-stamp.ts";
import { cannotOpen } from "../../../platform/files/inventory-check.ts";
import { endThread } from "../../../platform/load/end-thread.ts";
import { workShare } from "../../../platform/load/fair-share.ts";
import { workerUrl } from "../../../platform/process/assets.ts";
import { createPeriodic } from "../../../platform/time/periodic.ts";
import type {
  DeviceSeries,
  LatestJson,
  LatestSnapshot,
  RangeQuery,
  Reading,
  StoreDevice,
  TelemetryValue,
} from "../telemetry.types.ts";
import { DeviceHandle, DeviceHandles, deviceGone } from "./device-handles.ts";
import type { FeedConfirmation, TelemetryFeeds } from "./feed/feed.types.ts";
import { GroupCommitter } from "./group-committer.ts";
import { jsonCharacters, latestParts, PIECE_CHARACTERS, snapshotsOf } from "./query/latest-values.ts";
import { SeriesResponse } from "./query/series-response.ts";
import type { WireChunk, WireColumn } from "./query/wire-chunk.types.ts";
import type { StoreCalls, StoreReply, StoreRequest, WorkerOptions } from "./store.protocol.ts";
import type {
  CheckReport,
  ScanChunk,
  ScanColumn,
  ScanQuery,
  StoreLimits,
  StoreStats,
  TelemetryStore,
} from "./store.types.ts";
import { storeDefaults, type TelemetryStoreOptions, workerOptionsOf } from "./store-options.ts";
import { fitReadings } from "./upkeep/key-limits.ts";
import { WorkerCalls } from "./worker-calls.ts";

type Pull = (args: StoreCalls["scan"]["args"]) => Promise<WireChunk | null>;

class Column implements ScanColumn {
  readonly key: string;
  readonly #wire: WireColumn;
  readonly #textAt: ((row: number) => string) | undefined;

  constructor(wire: WireColumn) {
    this.key = wire.key;
    this.#wire = wire;
    this.#textAt = wire.texts === null ? undefined : packedTextReader(wire.texts);
  }

  at(row: number): TelemetryValue | undefined {
    const { tags, numbers } = this.#wire;
    const tag = tags[row] ?? TAG_ABSENT;
    if (tag === TAG_ABSENT) return undefined;
    return decodeValue(tag, numbers[row]!, tag >= TAG_STRING ? this.#textAt?.(row) : undefined);
  }
}

/** Yields chunks device by device; each is read on demand. */
async function* scanChunks(query: ScanQuery, pull: Pull): AsyncGenerator<ScanChunk> {
  const { keys, to, after } = query;
  const start = after === undefined ? 0 : query.deviceIds.indexOf(after.deviceId);
  if (start < 0) return;
  for (const deviceId of query.deviceIds.slice(start)) {
    let from = deviceId === after?.deviceId ? Math.max(query.from, nextUp(after.ts)) : query.from;
    while (from <= to) {
      const wire = await pull({ deviceId, keys, from, to });
      if (wire === null) break;
      yield chunkOf(deviceId, wire);
      from = nextUp(wire.to);
    }
  }
}

const chunkOf = (deviceId: DeviceId, { ts, columns, to }: WireChunk): ScanChunk => ({
  deviceId,
  ts,
  columns: columns.map((column) => new Column(column)),
  position: { deviceId, ts: to },
});

/** Creates the feeds as calls to the worker. */
function createWorkerFeeds(calls: WorkerCalls): TelemetryFeeds {
  return {
    open: async (id, tenantId, start) => void (await calls.call("openFeed", { id, tenantId, start })),
    close: async (id) => void (await calls.call("closeFeed", { id })),
    closeOf: async (tenantId) => void (await calls.call("closeFeedsOf", { tenantId })),
    keepOnly: async (ids) => void (await calls.call("keepFeeds", { ids })),
    resend: async (id, from, to) => void (await calls.call("resendFeed", { id, from, to })),
    read: (id, args) => calls.call("readFeed", { id, ...args }),
    backlog: (id, args) => calls.call("feedBacklog", { id, ...args }),
    countPoints: (id) => calls.call("feedPoints", { id }),
    rows: (deviceId, range) => calls.call("scan", { deviceId, keys: [], ...range }),
    confirm: async (confirmation: FeedConfirmation) => void (await calls.call("confirmFeed", confirmation)),
  };
}

export function createTelemetryStore(options: TelemetryStoreOptions): TelemetryStore {
  return new WorkerTelemetryStore(options);
}

/** Interval at which the tenants' disk usage is counted. */
const COUNT_INTERVAL_MS = 10_000;

/** Characters of newest values that are kept together by device. */
const JSON_CHARACTERS_MAX = 1024 * 1024;

class WorkerTelemetryStore implements TelemetryStore {
  readonly #log: Logger;
  readonly #workerUrl: string | URL;
  readonly #workerOptions: WorkerOptions;
  readonly #committer: GroupCommitter;
  readonly #calls: WorkerCalls;
  readonly #devices: DeviceHandles;
  readonly append: TelemetryStore["append"];
  readonly feeds: TelemetryStore["feeds"];
  #deletions = 0;
  readonly #counting: ReturnType<typeof createPeriodic>;
  readonly #now: () => number;
  #nextDevice = 0;
  #failure: Text | undefined;
  #damageListener: () => void = () => undefined;
  #worker: Worker | null = null;
  #starting: { resolve(): void; reject(error: Error): void } | null = null;
  /** Result of `open`, until `start` takes it over. */
  #opening: Promise<void> | null = null;
  #stopping: (() => void) | null = null;

  constructor(options: TelemetryStoreOptions) {
    const all = { ...storeDefaults, ...options };
    this.#log = options.log;
    this.#now = options.clock.now.bind(options.clock);
    this.#workerUrl = options.workerUrl ?? workerUrl("src/modules/telemetry/store/store.worker.ts");
    this.#workerOptions = workerOptionsOf(all);
    const post = (request: StoreRequest, transfer: ArrayBuffer[] = []) => this.#post(request, transfer);
    this.#committer = new GroupCommitter({ ...all, post });
    this.append = this.#committer.append;
    this.#calls = new WorkerCalls(post);
    this.feeds = createWorkerFeeds(this.#calls);
    this.#devices = new DeviceHandles(
      this.#committer.patterns.root,
      options.limitsOf ?? noLimits,
      options.clock,
    );
    this.#counting = createPeriodic({
      clock: options.clock,
      log: options.log,
      intervalMs: COUNT_INTERVAL_MS,
      work: () => this.#countStored(),
    });
    this.#committer.close(stopped());
  }

  get committed(): TelemetryStore["committed"] {
    return this.#committer.committed;
  }

  get deletions(): number {
    return this.#deletions;
  }

  failure(): Text | undefined {
    return this.#failure;
  }

  open(): Promise<void> {
    this.#opening = this.#open();
    return this.#opening.catch(() => undefined); // `start` throws it
  }

  async start(): Promise<void> {
    const opening = this.#opening ?? this.#open();
    this.#opening = null;
    // The disk may have been too full earlier.
    await opening.catch(() => this.#open());
  }

  #open(): Promise<void> {
    const worker = new Worker(this.#workerUrl);
    this.#worker = worker;
    worker.addEventListener("message", (event: MessageEvent<StoreReply>) => this.#receive(event.data));
    worker.addEventListener("error", (event) => this.#crashed(event.message));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#starting = { resolve, reject };
    this.#post({ type: "start", options: this.#workerOptions });
    return promise;
  }

  async stop(): Promise<void> {
    if (this.#opening !== null) await this.#opening.catch(() => undefined); // it was never started
    if (this.#worker === null) return;
    this.#counting.stop();
    this.#committer.close(stopped());
    await this.#committer.settled();
    await new Promise<void>((resolve) => {
      this.#stopping = resolve;
      this.#post({ type: "stop" });
    });
    endThread(this.#worker ?? undefined);
    this.#worker = null;
    this.#calls.failAll(stopped());
  }

  device(tenantId: TenantId, deviceId: DeviceId): StoreDevice {
    const deviceHandle = this.#devices.find(deviceId);
    if (deviceHandle !== undefined) return deviceHandle;
    // Before the start it is not known which numbers are taken.
    if (this.#worker === null || this.#starting !== null) throw stopped();
    const no = this.#nextDevice++;
    const handle = this.#devices.add(tenantId, deviceId, no);
    this.#committer.define({ no, tenantId, deviceId });
    return handle;
  }

  fit(device: StoreDevice, readings: readonly Reading[]): ReturnType<TelemetryStore["fit"]> {
    if (!(device instanceof DeviceHandle)) throw deviceGone();
    const { patterns } = this.#committer;
    return fitReadings(readings, device.keys, (key) => patterns.keyNo(key));
  }

  usageOf(tenantId: TenantId): { keys: number; storedBytes: number } {
    return this.#devices.usageOf(tenantId);
  }

  async latest(
    deviceIds: readonly DeviceId[],
    keys?: readonly string[],
    signal?: AbortSignal,
    onJson?: (characters: number) => void,
  ): Promise<LatestSnapshot[]> {
    const snapshots: LatestSnapshot[] = [];
    for await (const { ids, latest } of this.#latestOf(deviceIds, keys, signal)) {
      onJson?.(jsonCharacters(latest));
      for (const snapshot of await snapshotsOf(ids, latest)) snapshots.push(snapshot);
    }
    return snapshots;
  }

  async *latestScalars(
    deviceIds: readonly DeviceId[],
    keys?: readonly string[],
    signal?: AbortSignal,
  ): AsyncGenerator<readonly LatestSnapshot[]> {
    for await (const { ids, latest } of this.#latestOf(deviceIds, keys, signal))
      yield await snapshotsOf(ids, latest, "scalars");
  }

  async *latestTexts(
    deviceIds: readonly DeviceId[],
    keys?: readonly string[],
    signal?: AbortSignal,
  ): AsyncGenerator<string> {
    let text = "";
    let separator = "";
    let isBegun = false;
    for await (const { ids, latest } of this.#latestOf(deviceIds, keys, signal))
      for (const { deviceId, members, end } of latestParts(ids, latest)) {
        if (!isBegun) text += `${separator}{"deviceId":${JSON.stringify(deviceId)},"values":{`;
        text += members;
        if (end !== undefined) text += `},"timestamps":${end.timestamps},"ts":${end.ts}}`;
        separator = ",";
        isBegun = end === undefined;
        if (text.length < PIECE_CHARACTERS) continue;
        yield text;
        text = "";
      }
    yield text;
  }

  async latestJson(
    deviceIds: readonly DeviceId[],
    keys?: readonly string[],
  ): Promise<Map<DeviceId, LatestJson>> {
    const found = new Map<DeviceId, LatestJson>();
    let characters = 0;
    let values = "";
    for await (const { ids, latest } of this.#latestOf(deviceIds, keys))
      for (const { deviceId, members, end } of latestParts(ids, latest)) {
        if (values === "" && found.size > 0 && characters >= JSON_CHARACTERS_MAX) return found;
        values += members;
        characters += members.length + (end?.timestamps.length ?? 0);
        if (end !== undefined) {
          found.set(deviceId, { values: `{${values}}`, ...end });
          values = "";
        }
        await workShare.pause();
      }
    return found;
  }

  /** Asks for the newest values until all devices are answered. */
  async *#latestOf(deviceIds: readonly DeviceId[], keys?: readonly string[], signal?: AbortSignal) {
    const until = this.#now() + FUTURE_MS_MAX;
    const numbers = Uint32Array.from(deviceIds, (id) => this.#devices.find(id)?.no ?? NO_DEVICE);
    for (let start = 0; start < deviceIds.length; ) {
      const args = { devices: numbers.slice(start), keys: keys ?? null, until };
      const latest = await this.#calls.call("latest", args, { signal });
      yield { ids: deviceIds.slice(start, start + latest.answered), latest };
      start += latest.answered;
    }
  }

  async query(query: RangeQuery, signal?: AbortSignal): Promise<DeviceSeries[]> {
    const response = new SeriesResponse();
    const args = { ...query, now: this.#now() };
    response.add(await this.#calls.call("query", args, { signal, onPart: (part) => response.add(part) }));
    return response.devices;
  }

  async queryText(
    query: RangeQuery,
    onPiece: (piece: Uint8Array) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const args = { ...query, now: this.#now() };
    onPiece(await this.#calls.call("queryText", args, { signal, onPart: onPiece }));
  }

  scan(query: ScanQuery, signal?: AbortSignal): AsyncIterable<ScanChunk> {
    return scanChunks(query, (args) => this.#calls.call("scan", args, { signal }));
  }

  async deviceIds(): Promise<DeviceId[]> {
    // Ids that the file holds were branded when they were stored.
    return [...(await this.#calls.call("deviceIds", null))] as DeviceId[];
  }

  keys(of: Parameters<TelemetryStore["keys"]>[0], signal?: AbortSignal): Promise<string[]> {
    return this.#calls.call("keys", of, { signal });
  }

  async deleteRange(deviceId: DeviceId, keys: readonly string[], from: number, to: number): Promise<void> {
    await this.#committer.settled();
    await this.#calls.call("deleteRange", { deviceId, keys, from, to });
    this.#deletions++;
  }

  async deleteDevice(deviceId: DeviceId): Promise<void> {
    const handle = this.#devices.find(deviceId);
    if (handle === undefined) return;
    this.#devices.remove(handle);
    await this.#committer.settled();
    await this.#calls.call("deleteDevice", { no: handle.no });
    this.#deletions++;
  }

  applyRetention(
    cutoffs: ReadonlyArray<{ readonly deviceId: DeviceId; readonly before: number }>,
  ): Promise<{ pointsDeleted: number }> {
    return this.#calls.call("applyRetention", cutoffs);
  }

  async compact(): Promise<void> {
    await this.#committer.settled();
    await this.#calls.call("compact", null);
  }

  async stamp(stamp: Stamp): Promise<void> {
    await this.#calls.call("stamp", stamp);
  }

  onDamaged(listener: () => void): void {
    this.#damageListener = listener;
  }

  stats(): Promise<StoreStats> {
    return this.#calls.call("stats", null);
  }

  check(): Promise<CheckReport> {
    return this.#calls.call("check", null);
  }

  #post(request: StoreRequest, transfer: ArrayBuffer[] = []): void {
    if (this.#worker === null) throw stopped();
    this.#worker.postMessage(request, transfer);
  }

  #receive(reply: StoreReply): void {
    switch (reply.type) {
      case "refused":
        if (reply.failure === "broken") this.#failure = detail("telemetry.broken");
        this.#committer.settle(reply);
        break;
      case "broken":
        this.#failure = detail("telemetry.broken");
        break;
      case "committed":
        this.#committer.settle(reply);
        break;
      case "part":
        this.#calls.part(reply);
        break;
      case "result":
      case "failed":
        this.#calls.settle(reply);
        break;
      case "started":
        this.#started(reply);
        break;
      case "dropped":
        this.#devices.drop(reply.device, reply.keys);
        break;
      case "damaged":
        this.#damageListener();
        break;
      case "notStarted":
        this.#notStarted(cannotOpen(this.#workerOptions.file, reply.message));
        break;
      case "log":
        this.#log[reply.level](reply.message, reply.fields);
        break;
      case "stopped":
        this.#stopping?.();
        return;
    }
  }

  #started({ definitions, nextDevice, series }: Extract<StoreReply, { type: "started" }>): void {
    this.#committer.patterns.load(definitions);
    for (const { no, tenantId, deviceId } of definitions.devices) {
      // Ids that the file holds were branded when they were stored.
      this.#devices.add(tenantId as TenantId, deviceId as DeviceId, no);
    }
    this.#devices.load(series);
    this.#nextDevice = nextDevice;
    this.#committer.reopen();
    this.#starting?.resolve();
    this.#starting = null;
    this.#counting.start();
    this.#countStored();
  }

  /** Counts the tenants' disk usage; values sent meanwhile are added. */
  #countStored(): void {
    const settle = this.#devices.beginCount();
    this.#calls
      .call("usage", null)
      .then(settle, (error) => this.#log.debug("stored bytes are unknown", { error }));
  }

  #notStarted(error: Error): void {
    endThread(this.#worker ?? undefined);
    this.#worker = null;
    this.#starting?.reject(error);
    this.#starting = null;
  }

  /** Fails all calls after the worker has crashed. */
  #crashed(message: string): void {
    this.#log.error("storage worker failed", { error: message });
    const error = unavailable("telemetry.broken");
    this.#failure = toText(error);
    this.#committer.refuse(error);
    this.#calls.failAll(error);
    this.#starting?.reject(new Error(message));
    this.#stopping?.();
    endThread(this.#worker ?? undefined);
    this.#worker = null;
  }
}

const noLimits = (): StoreLimits => ({ keysPerDevice: null, keys: null, storedBytes: null });

/** Device number that is never assigned. */
const NO_DEVICE = 0xffff_ffff;

const stopped = (): DomainError => unavailable("telemetry.stopped");
