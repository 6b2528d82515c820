// Resolves a folder away from the main thread, which a silent disk must not hold up.
import { realpathSync, statSync } from "node:fs";
import { endOnRequest } from "../load/end-thread.ts";
import type { FolderFindings, FolderRequest } from "./folder-check.ts";
import { isOutside } from "./outside-folder.ts";

declare const self: Worker;

/** Returns the resolved path of a readable folder. */
function folderAt(path: string): string | undefined {
  try {
    const folder = realpathSync(path);
    return statSync(folder).isDirectory() ? folder : undefined;
  } catch {
    return undefined;
  }
}

endOnRequest();
self.onmessage = ({ data: { path, dataPath } }: MessageEvent<FolderRequest>) => {
  const findings: FolderFindings = { isOutside: isOutside(path, dataPath), folder: folderAt(path) };
  self.postMessage(findings);
};
