import { lchownSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

const ROOT_USER = 0;

/**
 * Gives a path that root has created to the owner of its folder: commands of root work on the data of a gateway that runs as another user and later
 * opens these files. Does nothing for other users or without file owners.
 */
export function giveToFolderOwner(path: string): void {
  if (process.geteuid?.() !== ROOT_USER) return;
  try {
    const { uid, gid } = statSync(dirname(path));
    lchownSync(path, uid, gid);
  } catch {
    // A mounted share may refuse even root.
  }
}

/** Creates a folder that only the owner of its parent folder can open. */
export function createPrivateFolder(path: string): void {
  if (mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined) giveToFolderOwner(path);
}
