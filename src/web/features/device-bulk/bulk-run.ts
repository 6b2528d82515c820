import type { BulkFailure, BulkResponse } from "./device-bulk-api.ts";

/** Devices per request, which the server limits to 200. The progress is shown between requests. */
const DEVICES_PER_REQUEST = 50;

export interface BulkProgress {
  readonly total: number;
  readonly done: number;
  readonly succeeded: number;
  readonly failed: readonly BulkFailure[];
  /** Error that ended the work early. */
  readonly error?: unknown;
}

/** Processes the devices in several requests, until all are done, a request fails or `isStopped` is true. */
export async function runBulk(
  ids: readonly string[],
  send: (ids: readonly string[]) => Promise<BulkResponse>,
  options: { onProgress: (progress: BulkProgress) => void; isStopped: () => boolean },
): Promise<BulkProgress> {
  let progress: BulkProgress = { total: ids.length, done: 0, succeeded: 0, failed: [] };
  options.onProgress(progress);
  while (progress.done < ids.length && !options.isStopped()) {
    const slice = ids.slice(progress.done, progress.done + DEVICES_PER_REQUEST);
    try {
      const { succeeded, failed } = await send(slice);
      progress = {
        ...progress,
        done: progress.done + slice.length,
        succeeded: progress.succeeded + succeeded,
        failed: [...progress.failed, ...failed],
      };
    } catch (error) {
      progress = { ...progress, error };
      break;
    }
    options.onProgress(progress);
  }
  return progress;
}
