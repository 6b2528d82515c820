import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Ends the name of a file that is being written. */
export const UNFINISHED = ".new";

/** Makes a name that was written or renamed survive a power cut. */
export function syncDirectory(path: string): void {
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
  writeFileSync(unfinished, bytes, { mode, flush: true });
  prepare?.(unfinished);
  renameSync(unfinished, path);
  syncDirectory(dirname(path));
}
