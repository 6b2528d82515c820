import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { writeNewFile } from "./own-file.ts";

/** Ends the name of a file that is being written. */
export const UNFINISHED = ".new";

/** Makes what a file holds, or the names in a folder, survive a power cut. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a whole file: under its name there is either all of it or what was there before. `prepare` gets the path before it has the name. */
export function writeDurably(
  path: string,
  bytes: Uint8Array,
  { mode, prepare }: { mode: number; prepare?: (unfinished: string) => void },
): void {
  const unfinished = path + UNFINISHED;
  try {
    writeNewFile(unfinished, bytes, { mode, flush: true });
    prepare?.(unfinished);
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true }); // otherwise it would take up space on a full disk
    throw error;
  }
  syncPath(dirname(path));
}
