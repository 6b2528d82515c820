import { chmodSync } from "node:fs";
import { writeDurably } from "../files/durable-file.ts";
import { giveToFolderOwner } from "../files/file-owner.ts";

/**
 * Replaces a secret. Whatever happens, the file holds the old one or the new one, whole. It is on the disk on return, before anything is sealed
 * with it.
 */
export function replaceSecret(file: string, bytes: Uint8Array): void {
  const prepare = (unfinished: string) => {
    chmodSync(unfinished, 0o600);
    giveToFolderOwner(unfinished);
  };
  writeDurably(file, bytes, { mode: 0o600, prepare });
}
