import { existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { DATABASE_FILES } from "../../platform/files/inventory.ts";
import { WorkThread } from "../../platform/load/work-thread.ts";
import type { BackupJob } from "./backup-job.ts";
import type { BackupPlace, BackupResult } from "./snapshot.types.ts";

export interface BackupRequest {
  readonly place: BackupPlace;
  /** True for a place in the data directory, which only an update uses. */
  readonly isLocal?: boolean;
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

  /** @throws DomainError the backup's error; `unavailable` if `stop` ended it */
  run(
    request: Omit<BackupRequest, "descriptors">,
    onProgress: (share: number) => void,
  ): Promise<BackupResult> {
    this.#open(request.job.dataPath);
    return this.#thread.run({ ...request, descriptors: [...this.#descriptors] }, onProgress);
  }

  /** Ends a running backup. Its partial snapshot does not count. */
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
