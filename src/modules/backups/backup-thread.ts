import { existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { unavailable } from "../../lib/core/domain-error.ts";
import { FolderThreads } from "../../platform/files/folder-threads.ts";
import { DATABASE_FILES } from "../../platform/files/inventory.ts";
import { endThread } from "../../platform/load/end-thread.ts";
import { WorkThread } from "../../platform/load/work-thread.ts";
import type { BackupJob } from "./backup-job.ts";
import type { BackupPlace, BackupResult } from "./snapshot.types.ts";

export interface BackupRequest {
  readonly place: BackupPlace;
  /** True for a place in the data directory, which only an update uses. */
  readonly isLocal?: boolean;
  /** Port of the thread that accesses a folder outside. */
  readonly folder?: MessagePort | undefined;
  readonly job: Omit<BackupJob, "now" | "onProgress" | "descriptors">;
  /** Open files of the databases by path. */
  readonly descriptors: readonly (readonly [string, number])[];
}

/**
 * Runs backups on their own thread, one at a time. The main thread opens the databases' files once and keeps them open: closing one would drop
 * SQLite's locks on it in this process (https://www.sqlite.org/howtocorrupt.html, 2.2).
 */
export class BackupThread {
  readonly #descriptors = new Map<string, number>();
  readonly #thread = new WorkThread<BackupRequest, BackupResult>("src/modules/backups/backup.worker.ts", {
    interrupted: "backup.interrupted",
    failed: "backup.failed",
  });
  readonly #folders = new FolderThreads("src/modules/backups/folder.worker.ts");
  #isStopped = false;

  /** @throws DomainError the backup's error; `unavailable` if `stop` ended it */
  async run(
    request: Omit<BackupRequest, "descriptors" | "folder">,
    onProgress: (share: number) => void,
  ): Promise<BackupResult> {
    const { place, isLocal, job } = request;
    this.#open(job.dataPath);
    const descriptors = [...this.#descriptors];
    if (place.kind !== "folder" || isLocal) return this.#thread.run({ ...request, descriptors }, onProgress);
    const worker = await this.#folders.start(place.path);
    try {
      if (this.#isStopped) throw unavailable("backup.interrupted");
      const { port1: folder, port2: port } = new MessageChannel();
      worker.postMessage({ path: place.path, dataPath: job.dataPath, port }, [port]);
      return await this.#thread.run({ ...request, folder, descriptors }, onProgress, [folder]);
    } finally {
      endThread(worker);
    }
  }

  /** Ends a running backup. Its partial snapshot does not count. */
  stop(): void {
    this.#isStopped = true;
    this.#thread.stop();
  }

  #open(dataPath: string): void {
    for (const name of DATABASE_FILES) {
      const path = join(dataPath, name);
      if (!this.#descriptors.has(path) && existsSync(path)) this.#descriptors.set(path, openSync(path, "r"));
    }
  }
}
