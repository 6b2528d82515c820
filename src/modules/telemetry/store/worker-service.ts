import { DomainError } from "../../../lib/domain-error.ts";
import { CommitTimes } from "./commit-times.ts";
import { latestSnapshots } from "./latest-values.ts";
import { queryTask } from "./query-task.ts";
import { SliceScheduler } from "./slice-scheduler.ts";
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
import { storeStats } from "./store-stats.ts";

type Post = (reply: StoreReply, transfer?: ArrayBuffer[]) => void;

/** Serves the client's requests inside the worker thread. Commits are handled on arrival, all else in slices. */
export class WorkerService {
  readonly #post: Post;
  readonly #scheduler = new SliceScheduler();
  readonly #times = new CommitTimes();
  /** Ids of calls whose caller has gone. */
  readonly #cancelled = new Set<number>();
  #engine: StoreEngine | null = null;
  /** Set after a failure that no retry may paper over. */
  #broken: string | null = null;

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
    try {
      this.#engine = new StoreEngine(request.options);
      this.#post({ type: "started", definitions: this.#engine.recover() });
    } catch (error) {
      this.#post({ type: "notStarted", message: messageOf(error) });
    }
  }

  #commit(request: CommitRequest): void {
    const engine = this.#running();
    const { buffer } = request;
    if (this.#broken !== null) {
      this.#post({ type: "refused", buffer, failure: "broken", reason: this.#broken }, [buffer]);
      return;
    }
    const started = performance.now();
    try {
      const committed = engine.commit(new Uint8Array(buffer, 0, request.bytes), request.definitions);
      this.#times.add(performance.now() - started);
      this.#post({ type: "committed", buffer }, [buffer]);
      engine.index(committed);
    } catch (error) {
      const failure = failureOf(error);
      if (failure === "broken") this.#broken = messageOf(error);
      this.#post({ type: "refused", buffer, failure, reason: messageOf(error) }, [buffer]);
    }
  }

  #call(request: CallRequest): void {
    const { id } = request;
    this.#answer(request).then(
      (value) => this.#settle(id, { type: "result", id, value }),
      (error) => this.#settle(id, { type: "failed", id, error: wireError(error) }),
    );
  }

  #settle(id: number, reply: StoreReply): void {
    if (!this.#cancelled.delete(id)) this.#post(reply);
  }

  async #answer(request: CallRequest): Promise<StoreCalls[CallName]["result"]> {
    const engine = this.#running();
    switch (request.name) {
      case "latest":
        return latestSnapshots(engine.registry, request.args.deviceIds, request.args.keys);
      case "query":
        return this.#scheduler.query(queryTask(engine, request.args), () => this.#forget(request.id));
      case "keys":
        return keyNames(engine, request.args);
      case "stats":
        return storeStats(engine, this.#times);
      default:
        throw new DomainError("unsupported", "telemetry.unsupported", "Not available yet.");
    }
  }

  /** Whether a call was cancelled; its task ends without an answer. */
  #forget(id: number): boolean {
    return this.#cancelled.delete(id);
  }

  #stop(): void {
    this.#scheduler.stop();
    const engine = this.#engine;
    this.#engine = null;
    if (engine !== null) {
      try {
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
      engine.file.close();
    }
    this.#post({ type: "stopped" });
  }

  #running(): StoreEngine {
    if (this.#engine === null)
      throw new DomainError("unavailable", "telemetry.stopped", "The telemetry store is not running.");
    return this.#engine;
  }
}

function keyNames(engine: StoreEngine, of: StoreCalls["keys"]["args"]): string[] {
  const devices =
    "tenantId" in of
      ? [...engine.registry.devices.values()].filter(({ tenantId }) => tenantId === of.tenantId)
      : of.deviceIds.flatMap((deviceId) => engine.registry.byId.get(deviceId) ?? []);
  const keys = new Set(devices.flatMap((device) => [...device.series.keys()]));
  return [...keys].map((key) => engine.registry.keyNames[key] ?? "").sort();
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Only a full disk may heal. After a failed fsync the state of the page cache is unknown: no write may follow. */
function failureOf(error: unknown): CommitFailure {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "SQLITE_FULL" ? "full" : "broken";
}

function wireError(error: unknown): WireError {
  if (error instanceof DomainError) return { kind: error.kind, code: error.code, message: error.message };
  return { kind: "unavailable", code: "telemetry.failed", message: messageOf(error) };
}
