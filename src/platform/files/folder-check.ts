import { invalid, unavailable } from "../../lib/core/domain-error.ts";
import { endThread } from "../load/end-thread.ts";
import { FolderThreads, folderSilent } from "./folder-threads.ts";

/** Time limit of a check; a sleeping disk needs some seconds to spin up. */
const CHECK_MS_MAX = 30_000;

export interface FolderRequest {
  readonly path: string;
  readonly dataPath: string;
}

export interface FolderFindings {
  /** As `isOutside` says. */
  readonly isOutside: boolean;
  /** Path after resolving links; undefined unless it is a folder. */
  readonly folder: string | undefined;
}

/** Checks folders that people choose in threads of their own, because their disks may be silent. */
export class FolderCheck {
  readonly #dataPath: string;
  readonly #threads = new FolderThreads("src/platform/files/folder-check.worker.ts");

  constructor(dataPath: string) {
    this.#dataPath = dataPath;
  }

  /** @throws DomainError `unavailable` for a folder whose disk does not respond */
  async find(path: string): Promise<FolderFindings> {
    const worker = await this.#threads.start(path);
    const { promise, resolve, reject } = Promise.withResolvers<FolderFindings>();
    const timer = setTimeout(() => reject(folderSilent(path, CHECK_MS_MAX)), CHECK_MS_MAX);
    worker.onmessage = ({ data }: MessageEvent<FolderFindings>) => resolve(data);
    worker.onerror = ({ message }) => reject(unavailable("backup.folder_failed", { path, reason: message }));
    worker.postMessage({ path, dataPath: this.#dataPath });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      endThread(worker);
    }
  }

  /** @throws DomainError `invalid` for a folder of backups or uplinks that is not outside; otherwise like `find` */
  async ensureOutside(path: string): Promise<void> {
    const { isOutside } = await this.find(path);
    if (!isOutside) throw invalid("backup.folder_invalid");
  }
}
