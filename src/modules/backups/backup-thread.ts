import { existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { DATABASE_FILES } from "../../platform/files/inventory.ts";
import { WorkThread } from "../../platform/load/work-thread.ts";
import type { BackupJob } from "./backup-job.ts";
import type { BackupPlace, BackupResult } from "./snapshot.types.ts";

export interface BackupRequest {
  readonly place: BackupPlace;
  readonly job: Omit<BackupJob, "now" | "onProgress" | "descriptors">;
  /** Open files of the databases by path. */
  readonly descriptors: readonly (readonly [string, number])[];
}

/**
 * Runs backups on a thread of their own, one at a time. The databases' files are opened once by the main thread and stay open: to close one
 * would drop the locks that SQLite holds on it in this process (https://www.sqlite.org/howtocorrupt.html, 2.2).
 */
export class BackupThread {
  readonly #descriptors = new Map<string, number>();
  readonly #thread = new WorkThread<BackupRequest, BackupResult>("src/modules/backups/backup.worker.ts", {
    interrupted: "backup.interrupted",
    failed: "backup.failed",
  });

  /** @throws DomainError what the backup failed with, `unavailable` when `stop` ended it. */
  run(
    request: Omit<BackupRequest, "descriptors">,
    onProgress: (share: number) => void,
  ): Promise<BackupResult> {
    this.#open(request.job.dataPath);
    return this.#thread.run({ ...request, descriptors: [...this.#descriptors] }, onProgress);
  }

  /** Ends a backup that runs. What it has written so far does not count. */
  stop(): void {
    this.#thread.stop();
  }

  #open(dataPath: string): void {
    for (const name of DATABASE_FILES) {
      const path = join(dataPath, name);
      if (!this.#descriptors.has(path) && existsSync(path)) this.#descriptors.set(path, openSync(path, "r"));
    }
  }
}
