import { existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { DomainError, detail } from "../../lib/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import { workerUrl } from "../../platform/assets.ts";
import type { BackupPlace, BackupResult } from "./backup.types.ts";
import type { BackupJob } from "./backup-job.ts";
import { DATABASES } from "./backup-run.ts";

export interface BackupRequest {
  readonly place: BackupPlace;
  readonly job: Omit<BackupJob, "now" | "onProgress" | "descriptors">;
  /** Open files of the databases by path. */
  readonly descriptors: readonly (readonly [string, number])[];
}

export type BackupReply =
  | { readonly type: "progress"; readonly share: number }
  | { readonly type: "done"; readonly result: BackupResult }
  | { readonly type: "failed"; readonly error: Text };

/**
 * Runs backups on a thread of their own, one at a time. The databases' files are opened once by the main thread and stay open: to close one
 * would drop the locks that SQLite holds on it in this process (https://www.sqlite.org/howtocorrupt.html, 2.2).
 */
export class BackupThread {
  readonly #descriptors = new Map<string, number>();
  #worker: Worker | undefined;
  #cancel: () => void = () => undefined;

  /** @throws DomainError what the backup failed with, `unavailable` when `stop` ended it. */
  run(
    request: Omit<BackupRequest, "descriptors">,
    onProgress: (share: number) => void,
  ): Promise<BackupResult> {
    this.#open(request.job.dataPath);
    const worker = new Worker(workerUrl("src/modules/backups/backup.worker.ts"));
    this.#worker = worker;
    const { promise, resolve, reject } = Promise.withResolvers<BackupResult>();
    this.#cancel = () => reject(new DomainError("unavailable", detail("backup.interrupted")));
    worker.onerror = ({ message }) =>
      reject(new DomainError("unavailable", detail("backup.failed", { reason: message })));
    worker.onmessage = ({ data }: MessageEvent<BackupReply>) => {
      if (data.type === "progress") onProgress(data.share);
      else if (data.type === "done") resolve(data.result);
      else reject(new DomainError("unavailable", data.error));
    };
    worker.postMessage({ ...request, descriptors: [...this.#descriptors] } satisfies BackupRequest);
    return promise.finally(() => this.#end());
  }

  /** Ends a backup that runs. What it has written so far does not count. */
  stop(): void {
    this.#cancel();
    this.#end();
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #open(dataPath: string): void {
    for (const name of DATABASES) {
      const path = join(dataPath, name);
      if (!this.#descriptors.has(path) && existsSync(path)) this.#descriptors.set(path, openSync(path, "r"));
    }
  }
}
