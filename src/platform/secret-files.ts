import { chmodSync } from "node:fs";
import { writeDurably } from "./durable-file.ts";
import { giveToFolderOwner } from "./file-owner.ts";

/** Writes a secret: whatever happens, there is the old one or the new one, whole, and its name is there before what is sealed with it. */
export function replaceSecret(file: string, bytes: Uint8Array): void {
  const prepare = (unfinished: string) => {
    chmodSync(unfinished, 0o600);
    giveToFolderOwner(unfinished);
  };
  writeDurably(file, bytes, { mode: 0o600, prepare });
}
