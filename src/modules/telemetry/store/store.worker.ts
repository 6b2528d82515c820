/// <reference lib="webworker" />

import { DomainError, detail, unavailable } from "../../../lib/core/domain-error.ts";
import { messageOf } from "../../../lib/core/error-message.ts";
import type { Stamp } from "../../../platform/database/database-stamp.ts";
import { storageFaultOf } from "../../../platform/files/storage-fault.ts";
import { writeFaultOf } from "../../../platform/files/write-fault.ts";
import { endOnRequest } from "../../../platform/load/end-thread.ts";
import { seriesOf } from "./blocks/series-families.ts";
import { CommitTimes } from "./commit-times.ts";
import { SyncFailed } from "./hot/log-syncer.ts";
import { latestTask } from "./query/latest-values.ts";
import { queryTask, queryTextTask } from "./query/query-task.ts";
import { movableBuffersOf, scanTask } from "./query/scan-task.ts";
import { isLarge, OWN_WORK, tenantOf } from "./request-tenant.ts";
import type {
  CallName,
  CallRequest,
  CommitFailure,
  CommitRequest,
  StoreCalls,
  StoreReply,
  StoreRequest,
  WireError,
} from "./store.protocol.ts";
import { StoreEngine } from "./store-engine.ts";
import { storedBytes, storeStats } from "./store-stats.ts";
import { checkTask } from "./upkeep/check-task.ts";
import type { Deletion } from "./upkeep/deletion.types.ts";
import { deletionOf, deletionTask, dropOf, retentionTask } from "./upkeep/deletion-tasks.ts";
import { keysTask } from "./upkeep/keys-task.ts";
import { SliceScheduler, type Steps } from "./upkeep/slice-scheduler.ts";
import { startProblem } from "./upkeep/start-problem.ts";
import { Upkeep } from "./upkeep/upkeep.ts";

type Post = (reply: StoreReply, transfer?: ArrayBuffer[]) => void;

/** Serves the main thread's requests. Commits are handled on arrival, all others in slices. */
class WorkerService {
  readonly #post: Post;
  readonly #scheduler = new SliceScheduler();
  readonly #times = new CommitTimes();
  /** Ids of canceled calls. */
  readonly #cancelled = new Set<number>();
  /** Device number → keys that have lost their last point since the last report. */
  readonly #droppedKeys = new Map<number, number[]>();
  /** True if damage was reported and not yet read. */
  #hasToldDamage = false;
  #engine: StoreEngine | null = null;
  #upkeep: Upkeep | null = null;
  /** Set after a failure that no retry may hide. */
  #broken: string | null = null;
  #file = "";

  constructor(post: Post) {
    this.#post = post;
  }

  handle(request: StoreRequest): void {
    switch (request.type) {
      case "start":
        this.#start(request);
        break;
      case "commit":
        this.#commit(request);
        break;
      case "call":
        this.#call(request);
        break;
      case "cancel":
        this.#cancelled.add(request.id);
        return;
      case "stop":
        this.#stop();
        break;
    }
  }

  #start(request: Extract<StoreRequest, { type: "start" }>): void {
    let engine: StoreEngine | undefined;
    this.#file = request.options.file;
    try {
      engine = new StoreEngine(request.options);
      const definitions = engine.recover();
      this.#engine = engine;
      engine.syncer.onFailed = (error) => this.#backgroundFailed(error);
      this.#upkeep = new Upkeep(engine, this.#scheduler, (error) => this.#backgroundFailed(error));
      engine.registry.onDropped = ({ no }, key) => this.#dropped(no, key);
      engine.blocks.onDamaged = () => this.#damaged();
      const series = seriesOf(engine.registry);
      this.#post({ type: "started", definitions, nextDevice: engine.nextDevice, series });
    } catch (error) {
      engine?.file.abandon();
      this.#post({ type: "notStarted", message: startProblem(error) });
    }
  }

  /** Collects dropped series, so that the many of one deletion are reported together. */
  #dropped(device: number, key: number): void {
    if (this.#droppedKeys.size === 0) queueMicrotask(() => this.#reportDropped());
    const keys = this.#droppedKeys.get(device) ?? [];
    keys.push(key);
    this.#droppedKeys.set(device, keys);
  }

  #damaged(): void {
    if (this.#hasToldDamage) return;
    this.#hasToldDamage = true;
    this.#post({ type: "damaged" });
  }

  #reportDropped(): void {
    for (const [device, keys] of this.#droppedKeys) this.#post({ type: "dropped", device, keys });
    this.#droppedKeys.clear();
  }

  #commit(request: CommitRequest): void {
    const engine = this.#running();
    this.#upkeep?.beforeCommit();
    const started = performance.now();
    try {
      if (this.#broken !== null) throw new Error(this.#broken);
      const group = new Uint8Array(request.buffer, 0, request.bytes);
      const committed = engine.append(group, request.definitions, request.packsDensely);
      engine.syncer.sync(committed.id, (error) => {
        if (error !== null || this.#broken !== null) {
          this.#refuse(request, error ?? new Error(this.#broken ?? ""));
          return;
        }
        this.#times.add(performance.now() - started);
        this.#post({ type: "committed", buffer: request.buffer, lanes: engine.syncer.lanes }, [
          request.buffer,
        ]);
        engine.index(committed);
        this.#upkeep?.afterCommit();
      });
    } catch (error) {
      // Responses keep the order of requests.
      engine.syncer.after(() => this.#refuse(request, error));
    }
  }

  #refuse({ buffer }: CommitRequest, error: unknown): void {
    const failure = this.#broken === null ? this.#failureOf(error) : "broken";
    if (failure === "broken") this.#broken ??= messageOf(error);
    this.#post({ type: "refused", buffer, failure, reason: this.#broken ?? messageOf(error) }, [buffer]);
  }

  #call(request: CallRequest): void {
    const { id } = request;
    this.#answer(request).then(
      (value) => this.#settle(id, { type: "result", id, value }),
      (error) => this.#settle(id, { type: "failed", id, error: this.#explain(error, request.name) }),
    );
  }

  /** Converts an error for the caller: DomainErrors are passed on, any other error is only logged. */
  #explain(error: unknown, call: CallName): WireError {
    if (error instanceof DomainError) return { kind: error.kind, code: error.code, params: error.params };
    // A failed read does not block writing.
    if (WRITING_CALLS.has(call)) this.#backgroundFailed(error);
    else this.#report(error);
    if (storageFaultOf(error) === "full") return { kind: "unavailable", ...detail("telemetry.disk_full") };
    return { kind: "unavailable", ...detail("telemetry.failed") };
  }

  #settle(id: number, reply: StoreReply): void {
    if (this.#cancelled.delete(id)) return;
    this.#post(reply, reply.type === "result" ? buffersOf(reply.value) : []);
  }

  async #answer(request: CallRequest): Promise<StoreCalls[CallName]["result"]> {
    const engine = this.#running();
    switch (request.name) {
      case "latest":
        return this.#read(request, latestTask(engine, request.args));
      case "query":
        return this.#read(
          request,
          queryTask(engine, request.args, (part) => this.#part(request.id, part)),
        );
      case "queryText":
        return this.#read(
          request,
          queryTextTask(engine, request.args, (part) => this.#part(request.id, part)),
        );
      case "scan":
        return this.#read(request, scanTask(engine, request.args));
      case "deviceIds":
        return [...engine.registry.byId.keys()];
      case "keys":
        return this.#read(request, keysTask(engine.registry, request.args));
      case "usage":
        return storedBytes(engine);
      case "stats":
        this.#hasToldDamage = false;
        return storeStats(engine, this.#times);
      case "check":
        return this.#read(request, checkTask(engine));
      case "stamp":
        return this.#stamp(request.args);
      case "compact":
        await this.#upkeep?.compact();
        return null;
      case "deleteRange":
        return this.#delete(request, deletionOf(engine, request.args));
      case "deleteDevice": {
        const device = engine.registry.devices.get(request.args.no);
        return this.#delete(request, device === undefined ? null : dropOf(device));
      }
      case "openFeed": {
        this.#ensureWritable();
        const { id, tenantId, start } = request.args;
        return this.#scheduler.background(OWN_WORK, engine.feeds.open(id, tenantId, start));
      }
      case "keepFeeds":
        engine.feeds.keepOnly(request.args.ids);
        return null;
      case "closeFeed":
        engine.feeds.close(request.args.id);
        return null;
      case "closeFeedsOf":
        engine.feeds.closeOf(request.args.tenantId);
        return null;
      case "resendFeed":
        this.#ensureWritable();
        return this.#scheduler.background(OWN_WORK, engine.feeds.resend(request.args.id, request.args));
      case "readFeed":
        return engine.feeds.read(request.args.id, request.args);
      case "feedBacklog":
        return engine.feeds.backlog(request.args.id, request.args);
      case "feedPoints":
        return this.#read(request, engine.feeds.countPoints(request.args.id));
      case "confirmFeed":
        if (this.#broken === null) engine.feeds.confirm(request.args);
        return null;
      case "applyRetention":
        this.#ensureWritable();
        return this.#scheduler.background(OWN_WORK, retentionTask(engine, request.args));
    }
  }

  #stamp(stamp: Stamp): null {
    this.#ensureWritable();
    this.#running().file.stamp(stamp);
    return null;
  }

  #part(id: number, value: Extract<StoreReply, { type: "part" }>["value"]): void {
    if (!this.#cancelled.has(id)) this.#post({ type: "part", id, value }, buffersOf(value));
  }

  /** Runs a reading call in the time of the tenant whose data it reads. */
  #read<Result>(request: CallRequest, steps: Steps<Result>): Promise<Result> {
    const tenant = tenantOf(this.#running().registry, request);
    return this.#scheduler.query(tenant, steps, () => this.#forget(request.id), isLarge(request));
  }

  /** Records the deletion immediately, so that it applies exactly to earlier arrivals; the blocks follow in slices. */
  async #delete(request: CallRequest, deletion: Deletion | null): Promise<null> {
    if (deletion === null) return null;
    this.#ensureWritable();
    const engine = this.#running();
    const { id } = engine.recordDeletion(deletion);
    engine.deletions.add(id, deletion);
    const tenant = tenantOf(engine.registry, request);
    await this.#scheduler.background(tenant, deletionTask(engine, deletion, id));
    return null;
  }

  #ensureWritable(): void {
    if (this.#broken !== null) throw unavailable("telemetry.broken");
  }

  #backgroundFailed(error: unknown): void {
    const reason = messageOf(error);
    const isOfDisk = error instanceof SyncFailed || (error instanceof Error && "code" in error);
    if (isOfDisk && this.#broken === null && this.#failureOf(error) === "broken") {
      this.#broken = reason;
      this.#post({ type: "broken" });
    }
    this.#report(error);
  }

  /** Returns the reason for a failure. After a failed fsync, the state of the page cache is unknown, so no write may follow. */
  #failureOf(error: unknown): CommitFailure {
    if (error instanceof SyncFailed) return "broken";
    const fault = writeFaultOf(error, `${this.#file}-tried`);
    return fault === "full" || fault === "busy" ? fault : "broken";
  }

  #report(error: unknown): void {
    this.#post({
      type: "log",
      level: "error",
      message: "the store failed at something",
      fields: { reason: messageOf(error) },
    });
  }

  /** Returns whether a call was canceled; its task then ends without a response. */
  #forget(id: number): boolean {
    return this.#cancelled.delete(id);
  }

  #stop(): void {
    this.#scheduler.stop();
    this.#upkeep?.stop();
    const engine = this.#engine;
    this.#engine = null;
    if (engine !== null) {
      try {
        engine.syncer.flush();
        engine.feeds.persist();
        engine.file.checkpoint("TRUNCATE");
      } catch (error) {
        // What is committed stays in the write-ahead log and is read from there at the next start.
        this.#post({
          type: "log",
          level: "warn",
          message: "checkpoint at stop failed",
          fields: { error: messageOf(error) },
        });
      }
      engine.syncer.stop();
      engine.file.close();
    }
    this.#post({ type: "stopped" });
  }

  #running(): StoreEngine {
    if (this.#engine === null) throw unavailable("telemetry.stopped");
    return this.#engine;
  }
}

/** Returns the buffers of a result that the store no longer needs, to be transferred instead of copied. */
function buffersOf(value: StoreCalls[CallName]["result"]): ArrayBuffer[] {
  if (value instanceof Uint8Array && value.buffer instanceof ArrayBuffer) return [value.buffer];
  const isChunk = typeof value === "object" && value !== null && "columns" in value;
  return isChunk ? movableBuffersOf(value) : [];
}

const WRITING_CALLS: ReadonlySet<CallName> = new Set([
  "openFeed",
  "closeFeed",
  "keepFeeds",
  "resendFeed",
  "confirmFeed",
  "deleteRange",
  "deleteDevice",
  "applyRetention",
  "compact",
  "stamp",
]);

const service = new WorkerService((reply, transfer = []) => postMessage(reply, { transfer }));
endOnRequest();
addEventListener("message", (event: MessageEvent<StoreRequest>) => service.handle(event.data));
