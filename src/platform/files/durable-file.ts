import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { writeNewFile } from "./data-file.ts";

/** Suffix of unfinished files. */
export const UNFINISHED = ".new";

/** Syncs the content of a file, or the names in a folder, to disk. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a whole file: its name refers to either all of the content or the previous content. `prepare` gets the path of the unfinished file. */
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

/** Like `writeDurably`, without holding the event loop: on a slow disk, a sync takes seconds. Calls for one file must not overlap. */
export async function writeDurablyInBackground(
  path: string,
  bytes: Uint8Array,
  { mode, prepare }: { mode: number; prepare?: (unfinished: string) => void },
): Promise<void> {
  const unfinished = `${path}.later${UNFINISHED}`; // `writeDurably` may write the same file meanwhile
  try {
    await rm(unfinished, { force: true });
    const file = await open(unfinished, "wx", mode);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    prepare?.(unfinished);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
