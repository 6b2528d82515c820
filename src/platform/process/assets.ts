import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Files that ship with the program: console, migrations, offline API docs. A checkout reads them from the source tree. A compiled binary contains
 * them, and its entry point registers their places first (`registerEmbeddedAssets`).
 */
const embedded = new Map<string, string>();

const sourceRoot = join(import.meta.dir, "..", "..", "..");

/** Registers the places of embedded assets. Only the entry point of a compiled binary calls it, which the build writes. @public */
export function registerEmbeddedAssets(paths: Record<string, string>): void {
  for (const [name, path] of Object.entries(paths)) embedded.set(name, path);
}

/** Interpreter of scripts, as a file: as text in the code of the program, it would take five times the space. */
export const QUICKJS_ASSET = "node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm";

/** Licenses of all parts of the program, compressed with gzip. The build writes the text. */
export const LICENSES_ASSET = "static/licenses/THIRD-PARTY-LICENSES.txt.gz";

/** The unit file for systemd. */
export const SERVICE_UNIT_ASSET = "docs/lineside.service";

/** Folder of the code in a compiled binary. Workers have no embedded assets, but their code is in this folder, too. */
const BINARY_ROOT = "/$bunfs/";

/** Returns `true` inside a compiled binary. */
export const isCompiled = (): boolean => embedded.size > 0 || import.meta.path.startsWith(BINARY_ROOT);

/** Returns the bytes of an asset by its path from the root of the project (`drizzle/lineside/meta/_journal.json`); undefined if it does not exist. */
export function readAsset(name: string): Uint8Array | undefined {
  if (name.split("/").includes("..")) return undefined;
  const path = isCompiled() ? embedded.get(name) : join(sourceRoot, name);
  return path !== undefined && existsSync(path) ? readFileSync(path) : undefined;
}

export function readTextAsset(name: string): string | undefined {
  const bytes = readAsset(name);
  return bytes && new TextDecoder().decode(bytes);
}

/** Returns the URL of the code of a worker: the TypeScript file in a checkout, its embedded entry point in a binary. */
export function workerUrl(sourcePath: string): string {
  return isCompiled() ? `./${sourcePath.replace(/\.ts$/, ".js")}` : join(sourceRoot, sourcePath);
}
