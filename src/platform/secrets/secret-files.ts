import { chmodSync } from "node:fs";
import { writeDurably } from "../files/durable-file.ts";
import { giveToFolderOwner } from "../files/file-owner.ts";

/**
 * Replaces a secret. The file always contains either the old or the new secret as a whole. It is on disk on return, before anything is encrypted
 * with it.
 */
export function replaceSecret(file: string, bytes: Uint8Array): void {
  const prepare = (unfinished: string) => {
    chmodSync(unfinished, 0o600);
    giveToFolderOwner(unfinished);
  };
  writeDurably(file, bytes, { mode: 0o600, prepare });
}
