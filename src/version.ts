import { spawnSync } from "node:child_process";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };

/** Defined by the build of an executable, absent in a checkout. */
declare const LINESIDE_VERSION: string;
declare const LINESIDE_COMMIT: string;

/** The product's version, from package.json unless the build names another. */
export const version: string = typeof LINESIDE_VERSION === "string" ? LINESIDE_VERSION : manifest.version;

let commit: string | undefined;

/** Asks git. The empty first line says that the repository is this checkout and no directory around it. */
function readCommit(): string {
  const args = ["rev-parse", "--show-cdup", "--short=7", "HEAD"];
  const { status, stdout } = spawnSync("git", args, { cwd: join(import.meta.dir, ".."), encoding: "utf8" });
  return (status === 0 ? /^\n([0-9a-f]{7,})\n$/.exec(stdout)?.[1] : undefined) ?? "unknown";
}

/** The abbreviated commit that the program was built from; "unknown" for sources without git. A checkout asks git once. */
export function getCommit(): string {
  commit ??= typeof LINESIDE_COMMIT === "string" ? LINESIDE_COMMIT : readCommit();
  return commit;
}

/** Returns the output of `lineside --version`: `lineside 0.1.0 (9a9028c)`. */
export const versionText = (): string => `lineside ${version} (${getCommit()})`;
