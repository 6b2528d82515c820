/**
 * Checks that the installed packages match the lock file. `npm ci` would guarantee this, but it refuses a lock file without the
 * optional packages of platforms that the registry does not have. Checksums are compared during the installation.
 * `node src/tools/locked-packages.mjs` checks, and leaves the stamp by which the build knows that the packages are installed.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const STAMP = join("node_modules", ".lineside-lock");
const LOCK = "package-lock.json";
const MODULES = "node_modules/";
const KINDS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));
const lockHash = () => createHash("sha256").update(readFileSync(LOCK)).digest("hex");
const isSame = (left = {}, right = {}) =>
  JSON.stringify(Object.entries(left).sort()) === JSON.stringify(Object.entries(right).sort());

/** Returns the package directories in a `node_modules` directory, including nested packages. */
function packagesIn(modules) {
  if (!existsSync(modules)) return [];
  return readdirSync(modules).flatMap((name) => {
    if (name.startsWith(".")) return [];
    const path = join(modules, name);
    if (name.startsWith("@")) return packagesIn(path);
    return existsSync(join(path, "package.json")) ? [path, ...packagesIn(join(path, "node_modules"))] : [];
  });
}

/** Returns a package's name. Aliases have the name of the package in addition to their path. */
const nameOf = ([path, { name }]) => name ?? path.slice(path.lastIndexOf(MODULES) + MODULES.length);

/** Returns what differs between `package.json`, the lock file and the installed packages; one sentence a difference. */
export function differences() {
  const { packages } = readJson(LOCK);
  const wanted = readJson("package.json");
  const kinds = KINDS.filter((kind) => !isSame(wanted[kind], packages[""][kind]));
  // Installers nest packages differently, so their paths do not count.
  const entries = Object.entries(packages).filter(([path]) => path !== "");
  const locked = new Set(entries.map((entry) => `${nameOf(entry)}@${entry[1].version}`));
  const installed = packagesIn("node_modules").map((path) => readJson(join(path, "package.json")));
  const names = new Set(installed.map(({ name }) => name));
  const foreign = installed.filter(({ name, version }) => !locked.has(`${name}@${version}`));
  const missing = entries.filter((entry) => entry[1].optional !== true && !names.has(nameOf(entry)));
  return [
    ...kinds.map((kind) => `package.json and ${LOCK} have different ${kind}.`),
    ...foreign.map(({ name, version }) => `${name} ${version} is not in ${LOCK}.`),
    ...missing.map(([path]) => `${path} is not installed.`),
  ];
}

/** Tells whether the packages of this lock file were installed and checked before. */
export function isStamped() {
  try {
    return readFileSync(STAMP, "utf8") === lockHash();
  } catch {
    return false;
  }
}

export const stamp = () => writeFileSync(STAMP, lockHash());

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = differences();
  for (const difference of found) console.error(difference);
  if (found.length > 0) process.exit(1);
  stamp();
}
