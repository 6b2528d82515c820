import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unusedInOpcUa, unusedPackages } from "../build/unused-packages.ts";

/*
 * Which packages are inside the executable: those that the bundler takes into the program and the console, those whose files are embedded, and the
 * runtime. Licenses and the bill of materials list exactly these.
 */

const root = join(import.meta.dir, "..", "..", "..");

/** Files of threads, relative to the root of the project, each of which the executable needs as an entry point. */
export const WORKER_ENTRIES = [
  "src/modules/telemetry/store/store.worker.ts",
  "src/modules/telemetry/store/hot/log-sync.worker.ts",
  "src/platform/database/database.worker.ts",
  "src/platform/files/folder-check.worker.ts",
  "src/modules/backups/backup.worker.ts",
  "src/modules/backups/folder.worker.ts",
  "src/modules/backups/place.worker.ts",
  "src/modules/backups/restore.worker.ts",
  "src/modules/uplinks/uplink.worker.ts",
  "src/modules/uplinks/targets/parquet/folder-store.worker.ts",
  "src/modules/codec-index/codec-index.worker.ts",
];
/** Thread for OPC UA, which is embedded as a compressed file. */
export const OPCUA_ENTRY = "src/platform/opcua/opcua.worker.ts";
/** Lock for several programs with a shared key store, which the library only loads for them. */
export const OPCUA_UNUSED = ["proper-lockfile"];
const PROGRAM_ENTRIES = ["src/main.ts", ...WORKER_ENTRIES, OPCUA_ENTRY];
const CONSOLE_ENTRIES = ["src/web/main.tsx", "src/web/theme-boot.ts"];

/** Packages without an import: the runtime, the files of the API page, and the sources of the style sheet. */
const EMBEDDED_PACKAGES = ["bun", "swagger-ui-dist", "tailwindcss", "daisyui"];

/** Licenses that packages only state in their README. */
const README_LICENSES: Readonly<Record<string, string>> = { precond: "MIT" };

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression. */
  readonly license: string;
  /** Key in `package-lock.json`, which is also the directory. */
  readonly path: string;
  /** Integrity of the published archive, as `sha512-<base64>`. */
  readonly integrity: string | undefined;
  /** Sorted paths of its bundled dependencies. */
  readonly dependencies: readonly string[];
}

interface LockedPackage {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, LockedPackage>>;

async function bundledPaths(options: Bun.BuildConfig): Promise<string[]> {
  const { metafile } = await Bun.build({ ...options, metafile: true, splitting: true });
  if (metafile === undefined) throw new Error("the bundler wrote no list of its inputs");
  return Object.keys(metafile.inputs).flatMap((input) => {
    const path = /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
    return path === undefined ? [] : [path];
  });
}

/** Finds a dependency like Node: beside the requesting package, then one directory up at a time. */
function resolveDependency(lock: Lock, from: string, name: string): string | undefined {
  // "/node_modules/a/node_modules/b": the directory above lies before the last "/node_modules/".
  for (let base = `/${from}`; ; base = base.slice(0, base.lastIndexOf("/node_modules/"))) {
    const path = `${base}/node_modules/${name}`.slice(1);
    if (Object.hasOwn(lock, path)) return path;
    if (base === "") return undefined;
  }
}

function dependenciesOf(lock: Lock, path: string, bundled: ReadonlySet<string>): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = lock[path] ?? {};
  const names = Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies });
  const paths = names.map((name) => resolveDependency(lock, path, name));
  return paths.filter((found) => found !== undefined && bundled.has(found)).sort() as string[];
}

/** Returns every package in the executable, sorted by name. */
export async function listBundledPackages(): Promise<BundledPackage[]> {
  const absolute = (entry: string) => join(root, entry);
  const found = await Promise.all([
    bundledPaths({
      entrypoints: PROGRAM_ENTRIES.map(absolute),
      target: "bun",
      plugins: [unusedPackages, unusedInOpcUa],
      external: OPCUA_UNUSED,
    }),
    bundledPaths({
      entrypoints: CONSOLE_ENTRIES.map(absolute),
      target: "browser",
      jsx: { runtime: "automatic", importSource: "preact", development: false },
    }),
  ]);
  const embedded = EMBEDDED_PACKAGES.map((name) => `node_modules/${name}`);
  const bundled = new Set([...found.flat(), ...embedded]);
  const lock: Lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  return [...bundled]
    .map((path) => {
      const locked = lock[path];
      if (locked === undefined) throw new Error(`${path} is not in package-lock.json`);
      const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
      return {
        name,
        version: locked.version,
        license: locked.license ?? README_LICENSES[name] ?? "NOASSERTION",
        path,
        integrity: locked.integrity,
        dependencies: dependenciesOf(lock, path, bundled),
      };
    })
    .sort((a, b) => a.name.localeCompare(b.name, "en") || a.version.localeCompare(b.version, "en"));
}

/** Returns the files of a package with its license, notices and authors. */
export function listLicenseFiles(path: string): string[] {
  return readdirSync(join(root, path))
    .filter((name) => /^(licen[cs]e|copying|notice|third[-_]party)|\.LICENSE\.txt$/i.test(name))
    .sort();
}
