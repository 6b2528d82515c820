import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Files that ship with the program: console, migrations, offline API docs. In a checkout they are read from the source tree;
 * a compiled binary carries them, and its entry point registers where each one lies (`registerEmbeddedAssets`) first.
 */
const embedded = new Map<string, string>();

const sourceRoot = join(import.meta.dir, "..", "..", "..");

/** Registers the places of the embedded assets; called only by a compiled binary's entry point, which the build writes. @public */
export function registerEmbeddedAssets(paths: Record<string, string>): void {
  for (const [name, path] of Object.entries(paths)) embedded.set(name, path);
}

/** The interpreter of scripts: as a text in the program's code it would take five times the room. */
export const QUICKJS_ASSET = "node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm";

/** The licenses of everything in the program, compressed with gzip; the build writes the text. */
export const LICENSES_ASSET = "static/licenses/THIRD-PARTY-LICENSES.txt.gz";

/** The unit file for systemd. */
export const SERVICE_UNIT_ASSET = "docs/lineside.service";

/** Folder of the code in a compiled binary. Workers have no embedded assets, but their code is in this folder, too. */
const BINARY_ROOT = "/$bunfs/";

/** Returns `true` inside a compiled binary. */
export const isCompiled = (): boolean => embedded.size > 0 || import.meta.path.startsWith(BINARY_ROOT);

/** The bytes of an asset by its path from the project's root (`drizzle/lineside/meta/_journal.json`), or undefined. */
export function readAsset(name: string): Uint8Array | undefined {
  if (name.split("/").includes("..")) return undefined;
  const path = isCompiled() ? embedded.get(name) : join(sourceRoot, name);
  return path !== undefined && existsSync(path) ? readFileSync(path) : undefined;
}

export function readTextAsset(name: string): string | undefined {
  const bytes = readAsset(name);
  return bytes && new TextDecoder().decode(bytes);
}

/** Returns the URL of a worker's code: the TypeScript file in a checkout, its own embedded entry point in a binary. */
export function workerUrl(sourcePath: string): string {
  return isCompiled() ? `./${sourcePath.replace(/\.ts$/, ".js")}` : join(sourceRoot, sourcePath);
}
