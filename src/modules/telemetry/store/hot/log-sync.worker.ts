/// <reference lib="webworker" />
import { closeSync, fdatasyncSync } from "node:fs";
import { openOwnFile } from "../../../../platform/files/data-file.ts";

/**
 * Response to a request, which is the path of a file to sync, or null to end the thread. Code and message are undefined if the sync succeeded. The
 * first message reports that the thread is ready.
 */
export interface SyncReply {
  /** True if the thread could not open the file, for example because of too many open files. Nothing was synced, so this is not a failed sync. */
  readonly isNotOpened?: true;
  readonly code: string | undefined;
  readonly message: string | undefined;
}

/**
 * Path → descriptor. The system reports a failed write once per open file, so threads must not share descriptors. Log files are never removed while
 * the gateway runs.
 */
const descriptors = new Map<string, number>();

addEventListener("message", ({ data: path }: MessageEvent<string | null>) => {
  if (path === null) {
    for (const descriptor of descriptors.values()) closeSync(descriptor);
    process.exit(0);
  }
  let descriptor = descriptors.get(path);
  try {
    descriptor ??= openOwnFile(path, "write");
    descriptors.set(path, descriptor);
    fdatasyncSync(descriptor);
    postMessage({ code: undefined, message: undefined } satisfies SyncReply);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // of a system call
    postMessage({
      code,
      message,
      ...(descriptor === undefined && { isNotOpened: true }),
    } satisfies SyncReply);
  }
});

postMessage({ code: undefined, message: undefined } satisfies SyncReply);
