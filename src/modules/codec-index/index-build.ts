import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { constants, type Dirent, rmSync } from "node:fs";
import { open, opendir } from "node:fs/promises";
import { join } from "node:path";
import { syncPath } from "../../platform/files/durable-file.ts";
import { collectArchive } from "./archive-files.ts";
import { chirpstackLayout, examplesBeside } from "./chirpstack-layout.ts";
import { folderUnreadable, noCodecs, tooMany } from "./codec-index.errors.ts";
import type { IndexJob, IndexSummary } from "./codec-index.types.ts";
import { CollectedFiles } from "./collected-files.ts";
import { boundedText, folderOf } from "./collection-documents.ts";
import { INDEX_VERSION } from "./index-file.ts";
import { indexLimits } from "./index-limits.ts";
import type { FoundCodec, FoundDevice, Layout } from "./layout.types.ts";
import { thingsNetworkLayout } from "./things-network-layout.ts";

const { archiveEntriesMax, folderDepthMax } = indexLimits;
const READ_ORDINARY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Folders without codecs but with many files. */
const PASSED_OVER = new Set([".git", "node_modules"]);

/** Collects the files of a folder. Symbolic links are not followed, because they may lead outside. */
async function collectFolder(root: string, files: CollectedFiles): Promise<void> {
  try {
    for await (const path of pathsOf(root))
      if (files.bytesMax(path) > 0) await collectFile(root, path, files);
  } catch (error) {
    const isOfSystem = error instanceof Error && "syscall" in error;
    throw isOfSystem ? folderUnreadable(root) : error;
  }
}

/** Lists regular files below a folder. */
async function* pathsOf(root: string): AsyncGenerator<string> {
  let entries = 0;
  /** Paths of folders to visit. */
  const waiting = [""];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop())
    for await (const entry of await opendir(join(root, folder))) {
      if (++entries > archiveEntriesMax) throw tooMany(archiveEntriesMax);
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (isVisited(entry, path)) waiting.push(path);
      else if (entry.isFile()) yield path;
    }
}

const isVisited = (entry: Dirent, path: string): boolean =>
  entry.isDirectory() && !PASSED_OVER.has(entry.name) && path.split("/").length <= folderDepthMax;

async function collectFile(root: string, path: string, files: CollectedFiles): Promise<void> {
  const file = await open(join(root, path), READ_ORDINARY).catch(() => undefined);
  if (file === undefined) return files.skip();
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > files.bytesMax(path)) files.skip();
    else files.add(path, await file.readFile());
  } finally {
    await file.close();
  }
}

const DEFINES_CODEC = /\b(decodeUplink|Decode|Decoder|encodeDownlink|Encode|Encoder)\b/;
const NAME_CHARACTERS_MAX = 128;

/** Scripts without descriptions: the folder is the vendor, and the file is the model. */
const filesLayout: Layout = function* (files, paths) {
  for (const file of paths) {
    if (!/\.js$/i.test(file) || !DEFINES_CODEC.test(files.text(file) ?? "")) continue;
    const [name = "", folder = ""] = file.split("/").reverse();
    yield {
      vendor: folder.slice(0, NAME_CHARACTERS_MAX),
      model: name.replace(/\.js$/i, "").slice(0, NAME_CHARACTERS_MAX),
      description: "",
      codecs: [{ firmware: "", file, examples: examplesBeside(files, file) }],
    };
  }
};

const LICENSE_CHARACTERS_MAX = 100;
const LICENSE = /(^|\/)licen[cs]e(\.txt|\.md)?$/i;

/** Top folders of the known layouts. */
const OF_LAYOUTS = new Set(["vendor/", "vendors/"]);

type OnProgress = (done: number, total: number) => void;

/** Writes the index of a collection to a new file. Runs on a thread, because it reads whole collections without a pause. */
export async function buildIndex(job: IndexJob, onProgress: OnProgress): Promise<IndexSummary> {
  rmSync(job.target, { force: true });
  const database = new Database(job.target, { create: true, strict: true });
  try {
    // Nobody uses the file before it is renamed.
    database.run("PRAGMA journal_mode=OFF");
    database.run("PRAGMA synchronous=OFF");
    database.run(`PRAGMA user_version=${INDEX_VERSION}`);
    const files = new CollectedFiles(database);
    if (job.source.kind === "folder") await collectFolder(job.source.path, files);
    else await collectArchive(job.source.path, files, onProgress);
    const summary = new IndexBuilder(database, files).build(job);
    database.run("VACUUM");
    database.close();
    syncPath(job.target);
    return summary;
  } catch (error) {
    database.close();
    rmSync(job.target, { force: true });
    throw error;
  }
}

class IndexBuilder {
  readonly #database: Database;
  readonly #files: CollectedFiles;
  readonly #paths: readonly string[];
  readonly #insert;
  /** License by folder. */
  readonly #licenses = new Map<string, string>();
  #devices = 0;

  constructor(database: Database, files: CollectedFiles) {
    this.#database = database;
    this.#files = files;
    this.#paths = files.paths();
    database.run(`CREATE TABLE entry (
      entry_id TEXT PRIMARY KEY, vendor TEXT NOT NULL, model TEXT NOT NULL, description TEXT NOT NULL, firmware TEXT NOT NULL,
      file TEXT NOT NULL, license TEXT, f_ports TEXT NOT NULL, examples TEXT NOT NULL, words TEXT NOT NULL
    ) WITHOUT ROWID`);
    database.run("CREATE TABLE summary (value TEXT NOT NULL)");
    this.#insert = database.prepare("INSERT OR IGNORE INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const path of this.#paths) if (LICENSE.test(path)) this.#addLicense(path);
  }

  build({ source, origin, now }: IndexJob): IndexSummary {
    const layouts: Array<IndexSummary["layouts"][number]> = [];
    if (this.#addAll(thingsNetworkLayout)) layouts.push("THINGS_NETWORK");
    if (this.#addAll(chirpstackLayout)) layouts.push("CHIRPSTACK");
    if (layouts.length === 0 && this.#addAll(filesLayout)) layouts.push("FILES");
    if (layouts.length === 0) throw noCodecs();
    this.#database.run("DELETE FROM file WHERE path NOT IN (SELECT file FROM entry)");
    if (source.kind === "archive") this.#leaveOutTop();
    const counts = this.#database
      .query<{ entries: number; vendors: number; scripts: number }, []>(
        "SELECT count(*) AS entries, count(DISTINCT vendor) AS vendors, count(DISTINCT file) AS scripts FROM entry",
      )
      .get() ?? { entries: 0, vendors: 0, scripts: 0 };
    const summary: IndexSummary = { origin, layouts, ...counts, skipped: this.#files.skipped, loadedAt: now };
    this.#database.query("INSERT INTO summary VALUES (?)").run(JSON.stringify(summary));
    return summary;
  }

  /** Skips the single top folder of repository archives, which is named after the repository and version. */
  #leaveOutTop(): void {
    const [first = ""] = this.#paths;
    const top = first.slice(0, first.indexOf("/") + 1);
    const isTop = top !== "" && !OF_LAYOUTS.has(top) && this.#paths.every((path) => path.startsWith(top));
    const files = this.#database.query<{ file: string }, []>("SELECT file FROM entry").all();
    // Scripts right below it are in the folder of their vendor.
    if (!isTop || files.some(({ file }) => !file.slice(top.length).includes("/"))) return;
    this.#database.query("UPDATE entry SET file = substr(file, ?)").run(top.length + 1);
    // In two steps, because a new path may equal another file's old path. Paths contain no control characters.
    this.#database.query("UPDATE file SET path = char(1) || substr(path, ?)").run(top.length + 1);
    this.#database.run("UPDATE file SET path = substr(path, 2)");
  }

  /** Returns whether the layout found any codec. */
  #addAll(layout: Layout): boolean {
    let added = 0;
    for (const device of layout(this.#files, this.#paths)) {
      if (++this.#devices > indexLimits.devicesMax) throw tooMany(indexLimits.devicesMax);
      for (const codec of device.codecs) added += this.#add(device, codec);
    }
    return added > 0;
  }

  #add(device: FoundDevice, { firmware, file, examples }: FoundCodec): number {
    if (this.#files.text(file) === undefined) {
      this.#files.skip();
      return 0;
    }
    const { vendor, model, description } = device;
    const id = createHash("sha256")
      .update(JSON.stringify([vendor, model, firmware, file]))
      .digest("hex");
    const ports = examples.flatMap(({ fPort, direction }) =>
      fPort === null || direction === "downlink" ? [] : [fPort],
    );
    this.#insert.run(
      id.slice(0, 24),
      vendor,
      model,
      description,
      firmware,
      file,
      this.#licenseOf(file),
      JSON.stringify([...new Set(ports)].sort((a, b) => a - b)),
      JSON.stringify(examples),
      `${vendor} ${model}`.toLowerCase(),
    );
    return 1;
  }

  /** Takes the license from the first non-empty line. */
  #addLicense(path: string): void {
    const lines = (this.#files.text(path) ?? "").split("\n", 20);
    const name = lines
      .map((line) => boundedText(line, LICENSE_CHARACTERS_MAX))
      .find((line) => /[a-z]/i.test(line));
    if (name !== undefined) this.#licenses.set(folderOf(path), name);
  }

  /** Returns the license of the nearest parent folder with one. */
  #licenseOf(file: string): string | null {
    for (let folder = folderOf(file); ; folder = folderOf(folder.slice(0, -1))) {
      const license = this.#licenses.get(folder);
      if (license !== undefined) return license;
      if (folder === "") return null;
    }
  }
}
