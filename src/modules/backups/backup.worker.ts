// Makes one backup outside the main thread.

import { serveThread } from "../../platform/load/work-thread.ts";
import { runBackup } from "./backup-job.ts";
import type { BackupRequest } from "./backup-thread.ts";
import type { BackupResult } from "./snapshot.types.ts";
import { openTarget } from "./snapshot-repository.ts";
import { LimitedFolder } from "./targets/limited-folder.ts";

serveThread<BackupRequest, BackupResult>("backup.failed", async (request, onProgress) => {
  const { place, folder: port, job, descriptors } = request;
  const folder = place.kind === "folder" && port ? new LimitedFolder({ path: place.path, port }) : undefined;
  await folder?.ensureOutside();
  return runBackup(folder ?? openTarget(place), {
    ...job,
    now: () => Date.now(),
    descriptors: new Map(descriptors),
    onProgress,
  });
});
