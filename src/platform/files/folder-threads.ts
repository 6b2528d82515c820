import { unavailable } from "../../lib/core/domain-error.ts";
import { workerUrl } from "../process/assets.ts";

/** Time limit of an access to a folder, whose disk or share may be silent. A pack takes a minute on a very slow stick. */
export const FOLDER_MS_MAX = 180_000;
/** Time in which an ended thread is gone, unless a disk holds it. */
const END_MS_MAX = 5_000;

/** @param ms time without a response */
export const folderSilent = (path: string, ms: number) =>
  unavailable("backup.folder_silent", { path, seconds: Math.ceil(ms / 1_000) });

/**
 * Threads that access folders, at most one per folder. A silent disk holds a thread until it responds, even if the thread is ended, so that each
 * further one would be lost as well.
 */
export class FolderThreads {
  readonly #file: string;
  /** Resolves when the thread of a folder is gone, keyed by the path. */
  readonly #threads = new Map<string, Promise<void>>();

  /** @param file path of the worker from the root of the project */
  constructor(file: string) {
    this.#file = file;
  }

  /** Starts the thread of a folder. The caller ends it. @throws DomainError `unavailable` while the disk still holds the previous one */
  async start(path: string): Promise<Worker> {
    await this.#ensureGone(path);
    const worker = new Worker(workerUrl(this.#file));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#threads.set(path, promise);
    worker.addEventListener("close", () => {
      if (this.#threads.get(path) === promise) this.#threads.delete(path);
      resolve();
    });
    return worker;
  }

  async #ensureGone(path: string): Promise<void> {
    const previous = this.#threads.get(path);
    if (previous === undefined) return;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(folderSilent(path, END_MS_MAX)), END_MS_MAX);
    try {
      await Promise.race([previous, late]);
    } finally {
      clearTimeout(timer);
    }
    if (this.#threads.has(path)) await this.#ensureGone(path); // another caller was faster
  }
}
