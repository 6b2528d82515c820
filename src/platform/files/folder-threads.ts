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
 * Threads that access folders, at most one for each folder and owner. A silent disk holds a thread until it responds, even if the thread is ended, so that each
 * further one would be lost as well.
 */
export class FolderThreads {
  readonly #file: string;
  /** Resolves when a thread is gone, keyed by the owner. */
  readonly #threads = new Map<string, Promise<void>>();

  /** @param file path of the worker from the root of the project */
  constructor(file: string) {
    this.#file = file;
  }

  /** Starts the thread of an owner. The caller ends it. @throws DomainError `unavailable` while the disk still holds the previous one */
  async start(path: string, owner = path): Promise<Worker> {
    await this.#ensureGone(path, owner);
    const worker = new Worker(workerUrl(this.#file));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#threads.set(owner, promise);
    worker.addEventListener("close", () => {
      if (this.#threads.get(owner) === promise) this.#threads.delete(owner);
      resolve();
    });
    return worker;
  }

  async #ensureGone(path: string, owner: string): Promise<void> {
    const previous = this.#threads.get(owner);
    if (previous === undefined) return;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(folderSilent(path, END_MS_MAX)), END_MS_MAX);
    try {
      await Promise.race([previous, late]);
    } finally {
      clearTimeout(timer);
    }
    if (this.#threads.has(owner)) await this.#ensureGone(path, owner); // another caller was faster
  }
}
