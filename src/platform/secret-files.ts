import { chmodSync, closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { giveToFolderOwner } from "./file-owner.ts";

/** Makes names in a folder survive a power cut. */
export function syncFolder(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** Written beside and renamed: whatever happens, there is the old one or the new one, whole. */
export function replaceSecret(file: string, bytes: Uint8Array): void {
  writeFileSync(`${file}.new`, bytes, { mode: 0o600, flush: true });
  chmodSync(`${file}.new`, 0o600);
  giveToFolderOwner(`${file}.new`);
  renameSync(`${file}.new`, file);
  // What is sealed with it may be on the disk a moment later: its name has to be there first.
  syncFolder(dirname(file));
}
