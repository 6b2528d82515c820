// Makes one backup away from the main thread.

import { serveThread } from "../../platform/load/work-thread.ts";
import { runBackup } from "./backup-job.ts";
import type { BackupRequest } from "./backup-thread.ts";
import type { BackupResult } from "./snapshot.types.ts";
import { openTarget } from "./snapshot-repository.ts";

serveThread<BackupRequest, BackupResult>("backup.failed", (request, onProgress) =>
  runBackup(openTarget(request.place), {
    ...request.job,
    now: () => Date.now(),
    descriptors: new Map(request.descriptors),
    onProgress,
  }),
);
