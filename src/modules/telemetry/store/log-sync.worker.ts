/// <reference lib="webworker" />
import { fdatasyncSync } from "node:fs";

/** Files are synced by number; each answer says what the sync failed with, if it did. */
export interface SyncReply {
  readonly code: string | undefined;
  readonly message: string | undefined;
}

addEventListener("message", ({ data: descriptor }: MessageEvent<number>) => {
  try {
    fdatasyncSync(descriptor);
    postMessage({ code: undefined, message: undefined } satisfies SyncReply);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // of a system call
    postMessage({ code, message } satisfies SyncReply);
  }
});
