import { FolderClient } from "../../../platform/files/folder-client.ts";
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

/** Folder that another thread accesses, with a time limit for each access. */
export class LimitedFolder implements BackupTarget {
  readonly #client: FolderClient<FolderCalls>;

  constructor({ path, port }: Pick<FolderThreadRequest, "path" | "port">, limitMs?: number) {
    this.#client = new FolderClient(port, path, limitMs);
  }

  /** @throws DomainError `invalid` for a folder in the data directory */
  ensureOutside(): Promise<void> {
    return this.#client.call("ensureOutside", undefined);
  }

  list(prefix: string): Promise<string[]> {
    return this.#client.call("list", prefix);
  }

  sizes(prefix: string): Promise<ReadonlyMap<string, number>> {
    return this.#client.call("sizes", prefix);
  }

  read(name: string): Promise<Uint8Array> {
    return this.#client.call("read", name);
  }

  write(name: string, bytes: Uint8Array): Promise<void> {
    return this.#client.call("write", { name, bytes });
  }

  remove(name: string): Promise<void> {
    return this.#client.call("remove", name);
  }

  removeUnfinished(): Promise<void> {
    return this.#client.call("removeUnfinished", undefined);
  }
}
