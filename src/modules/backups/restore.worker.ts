// Reads one archive into the data directory while the gateway runs.
import { serveThread } from "../../platform/load/work-thread.ts";
import { prepareRestoration, type RestoreJob } from "./restore-job.ts";
import { ArchiveReader } from "./targets/archive-target.ts";

export interface RestoreRequest extends Omit<RestoreJob, "onProgress"> {
  /** Path of the archive. */
  readonly archive: string;
}

serveThread<RestoreRequest, string>("backup.restore_failed", async ({ archive, ...job }, onProgress) => {
  const reader = new ArchiveReader(archive);
  try {
    const { record } = await prepareRestoration(reader, { ...job, onProgress });
    return record.id;
  } finally {
    reader.close();
  }
});
