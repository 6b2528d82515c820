import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncPath, writeDurably } from "./durable-file.ts";
import { createPrivateFolder } from "./file-owner.ts";
import { acceptRestored, DATABASE_FILES } from "./inventory.ts";

/** Folder of restored files until they replace the current files. */
const FOLDER = "restoring";
/** Marker of a complete folder. Once it exists, the restoration is carried out, even after a power cut. */
const COMPLETE = "complete";
/** Marker that the current databases have been removed, so files in their place are restored ones. */
const CLEARED = "cleared";
const DATABASE_FILE = /^((?:lineside|identity|telemetry|mqtt)\.db)(?:-wal|-shm|-hot\d+|-position|-synced)?$/;

/** Content of the marker of a complete folder. */
interface Marker {
  /** Databases whose present files are removed. */
  readonly databases: readonly string[];
  /** Restored files, relative to the folder. */
  readonly files: readonly string[];
}

/** Creates the folder for a restoration of the data directory. Removes leftovers of an interrupted one. */
export function beginRestoration(dataPath: string): string {
  const folder = join(dataPath, FOLDER);
  rmSync(folder, { recursive: true, force: true });
  createPrivateFolder(folder);
  return folder;
}

/** Deletes the files of a failed restoration. */
export function abandonRestoration(dataPath: string): void {
  rmSync(join(dataPath, FOLDER), { recursive: true, force: true });
}

/**
 * Marks the restored files as complete. `finishRestoration`, at the latest when a gateway starts, removes these databases and moves the restored
 * files into place.
 */
export function completeRestoration(dataPath: string, databases: readonly string[]): void {
  const folder = join(dataPath, FOLDER);
  syncTree(folder);
  const marker: Marker = { databases, files: filesIn(folder) };
  writeDurably(join(folder, COMPLETE), Buffer.from(JSON.stringify(marker)), { mode: 0o600 });
  syncPath(dataPath);
}

/** Returns whether a restoration was begun and ended before its files were complete. */
export function isRestorationCutOff(dataPath: string): boolean {
  const folder = join(dataPath, FOLDER);
  return existsSync(folder) && databasesToReplace(folder) === undefined;
}

/**
 * Moves restored files into place, or removes those of an interrupted restoration. Every step can be repeated after an interruption. Returns true if
 * a restoration was finished. The databases must not be open.
 */
export function finishRestoration(dataPath: string): boolean {
  const folder = join(dataPath, FOLDER);
  if (!existsSync(folder)) return false;
  const databases = databasesToReplace(folder);
  if (databases !== undefined) {
    replaceFiles(dataPath, folder, databases);
    // First, so that what an interruption leaves of the folder never passes for a complete restoration again.
    rmSync(join(folder, COMPLETE));
    syncPath(folder);
  }
  rmSync(folder, { recursive: true, force: true });
  syncPath(dataPath);
  return databases !== undefined;
}

/**
 * Returns the databases that a complete restoration replaces; undefined if it is incomplete or lacks their files, because then nothing may be
 * removed.
 */
function databasesToReplace(folder: string): string[] | undefined {
  const marker = readMarker(join(folder, COMPLETE));
  if (marker === undefined) return undefined;
  const isBegun = existsSync(join(folder, CLEARED));
  const isWhole = marker.files.every((name) => existsSync(join(folder, name)));
  return isBegun || isWhole ? [...marker.databases] : undefined;
}

function readMarker(path: string): Marker | undefined {
  try {
    if (!statSync(path).isFile()) return undefined; // reading a pipe would block forever
    const { databases, files } = JSON.parse(readFileSync(path, "utf8")) as Marker; // checked below
    const isKnown = databases.every((name) => (DATABASE_FILES as readonly string[]).includes(name));
    return isKnown && files.some((name) => databases.includes(name)) ? { databases, files } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the paths of all files below the folder, relative to it. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name).slice(folder.length + 1));

function replaceFiles(dataPath: string, folder: string, databases: readonly string[]): void {
  acceptRestored(dataPath, databases);
  if (!existsSync(join(folder, CLEARED))) {
    for (const name of readdirSync(dataPath))
      if (databases.includes(DATABASE_FILE.exec(name)?.[1] ?? "")) rmSync(join(dataPath, name));
    syncPath(dataPath);
    writeFileSync(join(folder, CLEARED), "", { flush: true });
    syncPath(folder);
  }
  for (const { name, parentPath } of readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== COMPLETE && entry.name !== CLEARED,
  )) {
    const target = join(dataPath, parentPath.slice(folder.length), name);
    createPrivateFolder(dirname(target));
    renameSync(join(parentPath, name), target);
  }
  for (const path of [dataPath, join(dataPath, "secrets")]) if (existsSync(path)) syncPath(path);
}

function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) syncPath(join(entry.parentPath, entry.name));
  syncPath(folder);
}
