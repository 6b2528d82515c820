// Makes one backup outside the main thread.

import { ensureOutside } from "../../platform/files/outside-folder.ts";
import { serveThread } from "../../platform/load/work-thread.ts";
import { runBackup } from "./backup-job.ts";
import type { BackupRequest } from "./backup-thread.ts";
import type { BackupResult } from "./snapshot.types.ts";
import { openTarget } from "./snapshot-repository.ts";

serveThread<BackupRequest, BackupResult>("backup.failed", async (request, onProgress) => {
  const { place, isLocal = false, job, descriptors } = request;
  if (place.kind === "folder" && !isLocal) ensureOutside(place.path, job.dataPath);
  return runBackup(openTarget(place), {
    ...job,
    now: () => Date.now(),
    descriptors: new Map(descriptors),
    onProgress,
  });
});
