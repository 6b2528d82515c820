import { DomainError } from "../../lib/domain-error.ts";
import { runBackup } from "./backup-job.ts";
import type { BackupReply, BackupRequest } from "./backup-thread.ts";
import { openTarget } from "./repository.ts";

declare const self: Worker;

const PROGRESS_INTERVAL_MS = 250;

/** Makes one backup away from the main thread. */
self.onmessage = async ({ data: request }: MessageEvent<BackupRequest>) => {
  const reply = (message: BackupReply) => self.postMessage(message);
  let reportedAt = 0;
  try {
    const result = await runBackup(openTarget(request.place), {
      ...request.job,
      now: () => Date.now(),
      descriptors: new Map(request.descriptors),
      onProgress(done, total) {
        if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS) return;
        reportedAt = performance.now();
        reply({ type: "progress", share: total === 0 ? 1 : done / total });
      },
    });
    reply({ type: "done", result });
  } catch (error) {
    const text =
      error instanceof DomainError
        ? { code: error.code, params: error.params }
        : {
            code: "backup.failed",
            params: { reason: error instanceof Error ? error.message : String(error) },
          };
    reply({ type: "failed", error: text });
  }
};
