import { conflict, toText } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Logger } from "../../platform/core/log.ts";
import { ownSchemas } from "../../platform/database/data-schemas.ts";
import type { ArchiveUpload, UploadPart } from "../../platform/files/archive-upload.ts";
import type { DiskGuard } from "../../platform/files/disk-guard.ts";
import type { WorkThread } from "../../platform/load/work-thread.ts";
import type { RestartRequest } from "../../platform/process/restart.ts";
import type { SetupService } from "../identity/setup.service.ts";
import type { RestoreRequest } from "./restore.worker.ts";

/** Errors after which the same file may be retried with another passphrase. */
const PASSPHRASE_CODES = ["backup.passphrase_missing", "backup.passphrase_wrong"];

export interface RestorationStatus {
  readonly state: "IDLE" | "RESTORING" | "FAILED" | "RESTARTING";
  readonly uploadedBytes: number;
  readonly totalBytes: number;
  /** Restored share of the backup, 0 to 1. */
  readonly share: number;
  readonly error: Text | undefined;
}

export interface SetupRestorationDeps {
  readonly upload: ArchiveUpload;
  readonly thread: WorkThread<RestoreRequest, string>;
  readonly setup: Pick<SetupService, "prolongLink" | "reserve">;
  readonly disk: Pick<DiskGuard, "roomBytes">;
  readonly restart: Pick<RestartRequest, "request">;
  readonly dataPath: string;
  readonly log: Logger;
}

/**
 * Restores an uploaded archive on a gateway without an owner, authorized by the setup link. The restored files replace the current ones at the
 * following restart.
 */
export class SetupRestoration {
  readonly #deps: SetupRestorationDeps;
  #state: RestorationStatus["state"] = "IDLE";
  #share = 0;
  #error: Text | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(deps: SetupRestorationDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#deps.upload.remove();
  }

  async stop(): Promise<void> {
    this.#deps.thread.stop();
    await this.#work;
  }

  /** @throws DomainError `not_found` for an invalid link, also if there is an owner */
  authorize(link: string): void {
    this.#deps.setup.prolongLink(link);
  }

  status(): RestorationStatus {
    return {
      state: this.#state,
      ...this.#deps.upload.progress,
      share: this.#share,
      error: this.#error,
    };
  }

  /** @throws DomainError `conflict` during a restoration; otherwise like `ArchiveUpload.append` */
  async append(part: UploadPart, bytes: Uint8Array): Promise<void> {
    this.#ensureIdle();
    await this.#deps.upload.append(part, bytes);
  }

  /** Starts the restoration. @throws DomainError like `authorize`; `conflict` while a restoration runs or the upload is incomplete */
  begin(link: string, passphrase: string | undefined): void {
    const { upload, setup } = this.#deps;
    this.authorize(link);
    this.#ensureIdle();
    if (!upload.isComplete) throw conflict("backup.upload_incomplete");
    const release = setup.reserve(link);
    this.#state = "RESTORING";
    this.#share = 0;
    this.#error = undefined;
    this.#work = this.#restore(passphrase, release);
  }

  #ensureIdle(): void {
    if (this.#state === "RESTORING" || this.#state === "RESTARTING") throw conflict("backup.restoring");
  }

  async #restore(passphrase: string | undefined, release: () => void): Promise<void> {
    const { upload, thread, disk, restart, dataPath, log } = this.#deps;
    try {
      const id = await thread.run(
        {
          archive: upload.path,
          dataPath,
          passphrase,
          snapshot: undefined,
          schemas: ownSchemas(),
          roomBytes: disk.roomBytes,
        },
        (share) => {
          this.#share = share;
        },
      );
      this.#state = "RESTARTING";
      log.info("backup restored, restarting with its data", { id });
      restart.request();
    } catch (error) {
      const text = toText(error as Text); // the thread rejects with domain errors only
      this.#state = "FAILED";
      this.#error = text;
      log.warn("restoring a backup failed", { error });
      if (!PASSPHRASE_CODES.includes(text.code)) upload.remove();
      release();
    }
  }
}
