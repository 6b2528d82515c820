// Uploads a backup to a gateway without an owner and follows its restoration until the gateway is back with the restored data.
import { ApiError } from "../../platform/api-client.ts";
import { askReadiness, readiness } from "../../platform/readiness.ts";
import { isPassing, uploadInParts, waitForNextTry } from "../../platform/upload.ts";
import { setupApi } from "./setup-api.ts";

export interface RestoreProgress {
  readonly step: "uploading" | "restoring" | "restarting";
  /** 0 to 1 */
  readonly share: number;
}

type OnProgress = (progress: RestoreProgress) => void;

const uploadArchive = (link: string, file: File, onProgress: OnProgress): Promise<void> =>
  uploadInParts(
    file,
    {
      state: () => setupApi.restoration(link),
      send: (position, part) => setupApi.uploadPart(link, position, part),
    },
    (share) => onProgress({ step: "uploading", share }),
  );

/**
 * Returns whether the gateway has restarted with the restored data: it then has an owner, so that the link is no longer valid.
 * @throws the error of a failed restoration
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

/** The gateway was restarted without the backup. */
const INTERRUPTED = { code: "backup.restore_interrupted", params: {} };

export async function restoreArchive(
  { link, file, passphrase }: { link: string; file: File; passphrase: string },
  onProgress: OnProgress,
): Promise<void> {
  await uploadArchive(link, file, onProgress);
  onProgress({ step: "restoring", share: 0 });
  await setupApi.restore({ token: link, ...(passphrase !== "" && { passphrase }) });
  while (!(await isRestored(link, onProgress))) await waitForNextTry();
  while (!(await isReady())) await waitForNextTry();
}
