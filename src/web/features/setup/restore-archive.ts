// Uploads a backup to a gateway without an owner and follows its restoration until the gateway is back with the restored data.
import { ApiError } from "../../platform/api-client.ts";
import { askReadiness, readiness } from "../../platform/readiness.ts";
import { setupApi } from "./setup-api.ts";

const PART_BYTES = 1024 * 1024;
const INTERVAL_MS = 1_000;
/** Failures in a row after which an upload is given up. The same file goes on where it stopped. */
const FAILURES_MAX = 30;

export interface RestoreProgress {
  readonly step: "uploading" | "restoring" | "restarting";
  /** 0 to 1 */
  readonly share: number;
}

type OnProgress = (progress: RestoreProgress) => void;

const wait = () => new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
/** The gateway does not answer, or cannot at the moment: another try may help. */
const isPassing = (error: unknown) =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500);

async function uploadArchive(link: string, file: File, onProgress: OnProgress): Promise<void> {
  const { uploadedBytes, totalBytes } = await setupApi.restoration(link);
  let offset = totalBytes === file.size ? uploadedBytes : 0;
  let failures = 0;
  while (offset < file.size) {
    onProgress({ step: "uploading", share: offset / file.size });
    try {
      const part = { offset, total: file.size };
      const state = await setupApi.uploadPart(link, part, file.slice(offset, offset + PART_BYTES));
      offset = state.uploadedBytes;
      failures = 0;
    } catch (error) {
      if (!isPassing(error) || ++failures > FAILURES_MAX) throw error;
      await wait();
      // A part may have arrived although its answer was lost.
      const state = await setupApi.restoration(link).catch(() => undefined);
      if (state !== undefined) offset = state.totalBytes === file.size ? state.uploadedBytes : 0;
    }
  }
}

/**
 * Tells whether the gateway has restarted with the restored data: it has an owner then, so that the link is not valid any more.
 * @throws what the restoration failed with
 */
async function isRestored(link: string, onProgress: OnProgress): Promise<boolean> {
  try {
    const { state, share, error } = await setupApi.restoration(link);
    if (state === "FAILED" && error) throw new ApiError(409, error.message, undefined, error);
    if (state === "IDLE") throw new ApiError(409, "", undefined, INTERRUPTED);
    onProgress(state === "RESTORING" ? { step: "restoring", share } : { step: "restarting", share: 1 });
    return false;
  } catch (error) {
    onProgress({ step: "restarting", share: 1 });
    if (error instanceof ApiError && error.status === 404) return true;
    if (isPassing(error)) return false;
    throw error;
  }
}

async function isReady(): Promise<boolean> {
  await askReadiness();
  return readiness.value?.reasons.length === 0;
}

/** The gateway was started again, without the backup. */
const INTERRUPTED = { code: "backup.restore_interrupted", params: {} };

export async function restoreArchive(
  { link, file, passphrase }: { link: string; file: File; passphrase: string },
  onProgress: OnProgress,
): Promise<void> {
  await uploadArchive(link, file, onProgress);
  onProgress({ step: "restoring", share: 0 });
  await setupApi.restore({ token: link, ...(passphrase !== "" && { passphrase }) });
  while (!(await isRestored(link, onProgress))) await wait();
  while (!(await isReady())) await wait();
}
