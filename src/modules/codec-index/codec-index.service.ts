import { existsSync, renameSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { toText } from "../../lib/core/domain-error.ts";
import { MIB } from "../../lib/core/units.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { ArchiveUpload, UploadPart } from "../../platform/files/archive-upload.ts";
import { syncPath, UNFINISHED } from "../../platform/files/durable-file.ts";
import type { FolderCheck } from "../../platform/files/folder-check.ts";
import type { WorkThread } from "../../platform/load/work-thread.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { CodecsService } from "../codecs/codecs.service.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { Principal } from "../users/users.types.ts";
import {
  archiveMissing,
  archiveTooLarge,
  entryNotFound,
  folderInvalid,
  folderUnreadable,
  indexBusy,
} from "./codec-index.errors.ts";
import type { IndexEntry, IndexJob, IndexSummary } from "./codec-index.types.ts";
import { type ExampleOutcome, runExamples } from "./example-run.ts";
import { IndexFile, type IndexPage } from "./index-file.ts";
import { indexLimits } from "./index-limits.ts";

export interface IndexStatus {
  readonly summary: IndexSummary | undefined;
  /** Share of the archive read so far while loading, 0 to 1. */
  readonly loading: number | undefined;
  /** Error of the last load. */
  readonly error: Text | undefined;
  readonly upload: { readonly uploadedBytes: number; readonly totalBytes: number };
}

interface CodecIndexDeps {
  /** Path of the index file. */
  readonly path: string;
  readonly folders: Pick<FolderCheck, "find">;
  readonly upload: ArchiveUpload;
  readonly thread: WorkThread<IndexJob, IndexSummary>;
  readonly codecs: Pick<CodecsService, "preview">;
  readonly tenants: TenantsService;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Index of public codecs. A thread reads a collection into a new file, which replaces the index when complete; a failed or aborted load leaves the
 * index unchanged.
 */
export class CodecIndexService {
  readonly #deps: CodecIndexDeps;
  #file: IndexFile | undefined;
  #loading: number | undefined;
  #error: Text | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(deps: CodecIndexDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#deps.upload.remove();
    rmSync(this.#unfinished, { force: true });
    this.#open();
  }

  async stop(): Promise<void> {
    this.#deps.thread.stop();
    await this.#work;
    this.#close();
  }

  status(): IndexStatus {
    return {
      summary: this.#file?.summary,
      loading: this.#loading,
      error: this.#error,
      upload: this.#deps.upload.progress,
    };
  }

  search(text: string, page: IndexPage): { total: number; entries: IndexEntry[] } {
    return this.#file?.search(text, page) ?? { total: 0, entries: [] };
  }

  get(entryId: string): IndexEntry & { readonly source: string } {
    const entry = this.#file?.find(entryId);
    if (entry === undefined) throw entryNotFound();
    return entry;
  }

  test(principal: Principal, entryId: string): Promise<ExampleOutcome[]> {
    return runExamples(this.#deps.codecs, principal, this.get(entryId));
  }

  /** @throws DomainError like `ArchiveUpload.append`; `invalid` for an archive that is too large */
  async append(principal: Principal, part: UploadPart, bytes: Uint8Array): Promise<void> {
    this.#ensureMayChange(principal);
    if (part.total > indexLimits.archiveBytesMax) throw archiveTooLarge(indexLimits.archiveBytesMax / MIB);
    await this.#deps.upload.append(part, bytes);
  }

  /** Starts loading a folder of the gateway. @throws DomainError `invalid` for an unreadable folder, `conflict` during a load, `unavailable` if its disk does not respond */
  async loadFolder(principal: Principal, path: string): Promise<void> {
    this.#ensureMayChange(principal);
    const folder = await this.#folderAt(path);
    this.#ensureMayChange(principal); // another load may have begun
    this.#begin({ source: { kind: "folder", path: folder }, origin: path });
  }

  /** Starts loading the uploaded archive. @throws DomainError `conflict` before the archive is complete, and during a load */
  loadArchive(principal: Principal, name: string | undefined): void {
    this.#ensureMayChange(principal);
    const { upload } = this.#deps;
    if (!upload.isComplete) throw archiveMissing();
    this.#begin({ source: { kind: "archive", path: upload.path }, origin: name ?? basename(upload.path) });
  }

  delete(principal: Principal): void {
    this.#ensureMayChange(principal);
    this.#close();
    rmSync(this.#deps.path, { force: true });
    this.#error = undefined;
  }

  get #unfinished(): string {
    return this.#deps.path + UNFINISHED;
  }

  #ensureMayChange(principal: Principal): void {
    ensureOperator(this.#deps.tenants, principal);
    if (this.#loading !== undefined) throw indexBusy();
  }

  async #folderAt(path: string): Promise<string> {
    const { isOutside, folder } = await this.#deps.folders.find(path);
    if (!isOutside) throw folderInvalid();
    if (folder === undefined) throw folderUnreadable(path);
    return folder;
  }

  #begin(job: Pick<IndexJob, "source" | "origin">): void {
    this.#loading = 0;
    this.#error = undefined;
    this.#work = this.#load({ ...job, target: this.#unfinished, now: this.#deps.clock.now() });
  }

  async #load(job: IndexJob): Promise<void> {
    const { thread, upload, path, log } = this.#deps;
    try {
      const summary = await thread.run(job, (share) => {
        this.#loading = share;
      });
      this.#close();
      renameSync(job.target, path);
      syncPath(dirname(path));
      log.info("codec index loaded", { ...summary });
    } catch (error) {
      this.#error = toText(error as Text); // the thread rejects with domain errors only
      log.warn("loading a codec index failed", { error });
      rmSync(job.target, { force: true });
    } finally {
      upload.remove();
      this.#open();
      this.#loading = undefined;
    }
  }

  #close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #open(): void {
    const { path, log } = this.#deps;
    if (this.#file !== undefined || !existsSync(path)) return;
    try {
      this.#file = IndexFile.open(path);
      if (this.#file === undefined) log.warn("codec index of another version, load it again", { path });
    } catch (error) {
      log.error("codec index unreadable, load it again", { path, error });
    }
  }
}
