import { DomainError, detail, type ErrorKind } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import { workerUrl } from "../process/assets.ts";
import { endOnRequest, endThread } from "./end-thread.ts";

export type ThreadReply<Result> =
  | { readonly type: "progress"; readonly share: number }
  | { readonly type: "done"; readonly result: Result }
  | { readonly type: "failed"; readonly kind: ErrorKind; readonly error: Text };

/** Error codes of a thread. */
export interface ThreadErrors {
  /** Code after `stop`. */
  readonly interrupted: "backup.interrupted" | "backup.restore_interrupted" | "codec_index.interrupted";
  /** Code after an error of the system. */
  readonly failed: "backup.failed" | "backup.restore_failed" | "codec_index.failed";
}

/** Runs work away from the main thread, one job at a time. */
export class WorkThread<Request, Result> {
  readonly #file: string;
  readonly #errors: ThreadErrors;
  #worker: Worker | undefined;
  #cancel: () => void = () => undefined;

  /** @param file path of the worker from the root of the project */
  constructor(file: string, errors: ThreadErrors) {
    this.#file = file;
    this.#errors = errors;
  }

  /** @throws DomainError of the work; `unavailable` after `stop` */
  run(request: Request, onProgress: (share: number) => void, transfer: MessagePort[] = []): Promise<Result> {
    const { interrupted, failed } = this.#errors;
    const worker = new Worker(workerUrl(this.#file));
    this.#worker = worker;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#cancel = () => reject(new DomainError("unavailable", detail(interrupted)));
    worker.onerror = ({ message }) =>
      reject(new DomainError("unavailable", detail(failed, { reason: message })));
    worker.onmessage = ({ data }: MessageEvent<ThreadReply<Result>>) => {
      if (data.type === "progress") onProgress(data.share);
      else if (data.type === "done") resolve(data.result);
      else reject(new DomainError(data.kind, data.error));
    };
    worker.postMessage(request, transfer);
    return promise.finally(() => this.#end());
  }

  /** Ends work in progress. */
  stop(): void {
    this.#cancel();
    this.#end();
  }

  #end(): void {
    endThread(this.#worker);
    this.#worker = undefined;
  }
}

declare const self: Worker;

const PROGRESS_INTERVAL_MS = 250;

/** Answers the requests of a `WorkThread`. For workers. */
export function serveThread<Request, Result>(
  failed: ThreadErrors["failed"],
  work: (request: Request, onProgress: (done: number, total: number) => void) => Promise<Result>,
): void {
  endOnRequest();
  self.onmessage = async ({ data: request }: MessageEvent<Request>) => {
    const reply = (message: ThreadReply<Result>) => self.postMessage(message);
    let reportedAt = 0;
    try {
      const result = await work(request, (done, total) => {
        if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS) return;
        reportedAt = performance.now();
        reply({ type: "progress", share: total === 0 ? 1 : done / total });
      });
      reply({ type: "done", result });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      reply({
        type: "failed",
        kind: error instanceof DomainError ? error.kind : "unavailable",
        error:
          error instanceof DomainError
            ? { code: error.code, params: error.params }
            : detail(failed, { reason }),
      });
    }
  };
}
