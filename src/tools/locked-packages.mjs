/**
 * Tells whether the installed packages are those of the lock file, as `npm ci` would guarantee. `npm ci` itself refuses a lock file without the
 * optional packages of platforms that the registry does not have, and `npm install` does not mind when the files disagree.
 * `node src/tools/locked-packages.mjs` checks, and leaves the stamp by which the build knows that the packages are installed.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const STAMP = join("node_modules", ".lineside-lock");
const LOCK = "package-lock.json";
/** Written by npm: what is installed. */
const INSTALLED = join("node_modules", ".package-lock.json");
const KINDS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));
const lockHash = () => createHash("sha256").update(readFileSync(LOCK)).digest("hex");
const isSame = (left = {}, right = {}) =>
  JSON.stringify(Object.entries(left).sort()) === JSON.stringify(Object.entries(right).sort());

/** Returns what differs between `package.json`, the lock file and the installed packages; one sentence a difference. */
export function differences() {
  const { packages } = readJson(LOCK);
  const wanted = readJson("package.json");
  const kinds = KINDS.filter((kind) => !isSame(wanted[kind], packages[""][kind]));
  const installed = Object.entries(readJson(INSTALLED).packages).filter(([path, { version, integrity }]) => {
    const locked = packages[path];
    return locked?.version !== version || (integrity !== undefined && locked.integrity !== integrity);
  });
  return [
    ...kinds.map((kind) => `package.json and ${LOCK} have different ${kind}.`),
    ...installed.map(([path, { version }]) => `${path} ${version} is not in ${LOCK}.`),
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
