import type { DomainError } from "../../../lib/core/domain-error.ts";
import { FOLDER_MS_MAX, folderSilent } from "../../../platform/files/folder-threads.ts";
import { ThreadCalls } from "../../../platform/load/thread-calls.ts";
import type { BackupTarget } from "../snapshot.types.ts";

export interface FolderThreadRequest {
  readonly path: string;
  readonly dataPath: string;
  /** For the calls. */
  readonly port: MessagePort;
}

/** Calls of the thread that accesses a folder. */
export type FolderCalls = {
  ensureOutside: { args: undefined; result: undefined };
  list: { args: string; result: string[] };
  sizes: { args: string; result: ReadonlyMap<string, number> };
  read: { args: string; result: Uint8Array };
  write: { args: { readonly name: string; readonly bytes: Uint8Array }; result: undefined };
  remove: { args: string; result: undefined };
  removeUnfinished: { args: undefined; result: undefined };
};

/** Folder that another thread accesses. Each access has a time limit, and once it has passed, all accesses fail. */
export class LimitedFolder implements BackupTarget {
  readonly #path: string;
  readonly #limitMs: number;
  readonly #calls: ThreadCalls<FolderCalls, Record<string, never>>;
  #failure: DomainError | undefined;

  constructor({ path, port }: Pick<FolderThreadRequest, "path" | "port">, limitMs = FOLDER_MS_MAX) {
    this.#path = path;
    this.#limitMs = limitMs;
    this.#calls = new ThreadCalls((message, transfer) => port.postMessage(message, transfer), {});
    port.onmessage = ({ data }: MessageEvent<unknown>) => this.#calls.receive(data);
  }

  /** @throws DomainError `invalid` for a folder in the data directory */
  ensureOutside(): Promise<void> {
    return this.#call("ensureOutside", undefined);
  }

  list(prefix: string): Promise<string[]> {
    return this.#call("list", prefix);
  }

  sizes(prefix: string): Promise<ReadonlyMap<string, number>> {
    return this.#call("sizes", prefix);
  }

  read(name: string): Promise<Uint8Array> {
    return this.#call("read", name);
  }

  write(name: string, bytes: Uint8Array): Promise<void> {
    return this.#call("write", { name, bytes });
  }

  remove(name: string): Promise<void> {
    return this.#call("remove", name);
  }

  removeUnfinished(): Promise<void> {
    return this.#call("removeUnfinished", undefined);
  }

  async #call<Name extends keyof FolderCalls>(
    name: Name,
    args: FolderCalls[Name]["args"],
  ): Promise<FolderCalls[Name]["result"]> {
    if (this.#failure !== undefined) throw this.#failure;
    const timer = setTimeout(() => {
      this.#failure = folderSilent(this.#path, this.#limitMs);
      this.#calls.failAll(this.#failure);
    }, this.#limitMs);
    try {
      return await this.#calls.call(name, args);
    } finally {
      clearTimeout(timer);
    }
  }
}
