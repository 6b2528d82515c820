import { createPublicKey } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { QUICKJS_ASSET, SERVICE_UNIT_ASSET } from "../../platform/process/assets.ts";
import { getCommit, version } from "../../version.ts";
import { WORKER_ENTRIES } from "../release/bundled-packages.ts";
import { unusedPackages } from "./unused-packages.ts";

/*
 * `npm run build [-- target …]`: one executable for each target with console, migrations, workers and licenses inside.
 */

const root = join(import.meta.dir, "..", "..", "..");
const buildDirectory = join(root, "dist", ".build");
const TARGETS = ["linux-x64", "linux-arm64", "linux-x64-musl", "linux-arm64-musl"] as const;
/** Public key of the releases. Its private key signs update files and is in no repository. */
const UPDATE_KEY_FILE = "update-key.pem";
const EMBEDDED_ROOTS = [
  "drizzle/lineside",
  "drizzle/identity",
  "static/console",
  "static/api-docs",
  "static/passwords",
  "static/licenses",
  "static/opcua",
];

async function listAssets(): Promise<string[]> {
  const lists = await Promise.all(
    EMBEDDED_ROOTS.map(async (directory) => {
      if (!existsSync(join(root, directory)))
        throw new Error(`${directory} is missing: build the assets first`);
      const entries = await readdir(join(root, directory), { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)));
    }),
  );
  const files = new Set(lists.flat());
  // Snapshots are for who makes the next migration; what is there compressed is unpacked for the few who take nothing compressed.
  const isLeftOut = (file: string) =>
    file.endsWith("_snapshot.json") ||
    file.endsWith("README.md") ||
    (file.startsWith("static/console/") && files.has(`${file}.gz`));
  return [...files]
    .filter((file) => !isLeftOut(file))
    .concat(QUICKJS_ASSET, SERVICE_UNIT_ASSET)
    .sort();
}

/** Writes an entry point that registers the places of embedded assets, then runs the program. */
async function writeEntry(): Promise<string> {
  const assets = await listAssets();
  const path = (file: string) => JSON.stringify(join("..", "..", file));
  const imports = assets.map(
    (file, index) => `import asset${index} from ${path(file)} with { type: "file" };`,
  );
  const table = assets.map((file, index) => `  ${JSON.stringify(file)}: asset${index},`);
  await rm(buildDirectory, { recursive: true, force: true });
  await mkdir(buildDirectory, { recursive: true });
  const registration = `import { registerEmbeddedAssets } from ${path("src/platform/process/assets.ts")};\n${imports.join("\n")}\nregisterEmbeddedAssets({\n${table.join("\n")}\n});\n`;
  await Bun.write(join(buildDirectory, "embedded-assets.ts"), registration);
  const entry = join(buildDirectory, "lineside.ts");
  await Bun.write(entry, `import "./embedded-assets.ts";\nimport ${path("src/main.ts")};\n`);
  return entry;
}

/** Returns the commit of the sources, from the environment if there is no git, as in a container build. */
const sourceCommit = (): string => process.env.SOURCE_COMMIT || getCommit();

/** Returns the version, from the environment for own builds, as in tests of an update. */
const sourceVersion = (): string => process.env.SOURCE_VERSION || version;

/**
 * Returns the public key for update files, from the file in the environment or from the repository. Empty without either; such an executable
 * installs no update files.
 */
export function readUpdateKey(): string {
  const file = process.env.UPDATE_PUBLIC_KEY_FILE ?? join(root, UPDATE_KEY_FILE);
  if (process.env.UPDATE_PUBLIC_KEY_FILE === undefined && !existsSync(file)) return "";
  return createPublicKey(readFileSync(file)).export({ type: "spki", format: "pem" }).toString();
}

async function build(target: string, entry: string): Promise<void> {
  const outfile = join(process.env.BUILD_DIRECTORY ?? join(root, "dist"), `lineside-${target}`);
  const result = await Bun.build({
    entrypoints: [entry, ...WORKER_ENTRIES.map((worker) => join(root, worker))],
    root,
    compile: {
      target: `bun-${target}` as Bun.Build.CompileTarget,
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    // Modules that few gateways use are loaded on first use, and nothing is parsed at startup.
    format: "esm",
    splitting: true,
    bytecode: true,
    plugins: [unusedPackages],
    // Mangled identifiers break Elysia's macros.
    minify: { whitespace: true, syntax: true, identifiers: false },
    define: {
      "process.env.NODE_ENV": '"production"',
      LINESIDE_COMMIT: JSON.stringify(sourceCommit()),
      LINESIDE_VERSION: JSON.stringify(sourceVersion()),
      LINESIDE_TARGET: JSON.stringify(target),
      LINESIDE_UPDATE_KEY: JSON.stringify(readUpdateKey()),
    },
  });
  for (const message of result.logs) console.error(message);
  if (!result.success) throw new Error(`building ${target} failed`);
  console.log(`${relative(root, outfile)}  ${(Bun.file(outfile).size / 1e6).toFixed(1)} MB`);
}

/** Builds the executables of the given targets, or of all by default, into `dist/`. Returns their targets. */
export async function buildExecutables(names: readonly string[]): Promise<readonly string[]> {
  const unknown = names.filter((name) => !TARGETS.some((target) => target === name));
  if (unknown.length > 0) {
    console.error(`Unknown target ${unknown.join(", ")}; there are ${TARGETS.join(", ")}.`);
    process.exit(2);
  }
  const selected = TARGETS.filter((target) => names.length === 0 || names.includes(target));
  const entry = await writeEntry();
  const waiting = [...selected];
  const work = async () => {
    for (let target = waiting.shift(); target !== undefined; target = waiting.shift())
      await build(target, entry);
  };
  await Promise.all([work(), work()]);
  await rm(buildDirectory, { recursive: true, force: true });
  return selected;
}

if (import.meta.main) await buildExecutables(process.argv.slice(2));
