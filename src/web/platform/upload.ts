// Uploads a file in parts, which continues after failures.
import { ApiError } from "./api-client.ts";

const PART_BYTES = 1024 * 1024;
const INTERVAL_MS = 1_000;
/** Consecutive failures after which an upload is given up. Selecting the same file again continues it. */
const FAILURES_MAX = 30;

export interface UploadState {
  readonly uploadedBytes: number;
  readonly totalBytes: number;
}

export interface UploadPlace {
  readonly state: () => Promise<UploadState>;
  readonly send: (position: { offset: number; total: number }, part: Blob) => Promise<UploadState>;
}

export const waitForNextTry = () => new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
/** Returns whether the gateway does not respond, or cannot at the moment: a retry may succeed. */
export const isPassing = (error: unknown) =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500);

/** `onShare` receives the uploaded share, 0 to 1. */
export async function uploadInParts(
  file: File,
  place: UploadPlace,
  onShare: (share: number) => void,
): Promise<void> {
  const { uploadedBytes, totalBytes } = await place.state();
  let offset = totalBytes === file.size ? uploadedBytes : 0;
  let failures = 0;
  while (offset < file.size) {
    onShare(offset / file.size);
    try {
      const state = await place.send({ offset, total: file.size }, file.slice(offset, offset + PART_BYTES));
      offset = state.uploadedBytes;
      failures = 0;
    } catch (error) {
      if (!isPassing(error) || ++failures > FAILURES_MAX) throw error;
      await waitForNextTry();
      // A part may have arrived although its response was lost.
      const state = await place.state().catch(() => undefined);
      if (state !== undefined) offset = state.totalBytes === file.size ? state.uploadedBytes : 0;
    }
  }
}
