import { isAbsolute } from "node:path";
import { DomainError, detail } from "../../../../lib/core/domain-error.ts";
import { FolderClient } from "../../../../platform/files/folder-client.ts";
import { FolderThreads } from "../../../../platform/files/folder-threads.ts";
import { endThread } from "../../../../platform/load/end-thread.ts";
import { TargetError } from "../../target.errors.ts";
import type { ObjectStore } from "./object-store.ts";

interface NamedObject {
  readonly root: string;
  readonly name: string;
}

/** Calls of the thread that accesses a folder, like those of `ObjectStore`. */
export type FolderStoreCalls = {
  list: { args: NamedObject; result: string[] };
  has: { args: NamedObject; result: boolean };
  read: { args: NamedObject; result: Uint8Array };
  write: { args: NamedObject & { readonly bytes: Uint8Array<ArrayBuffer> }; result: undefined };
  remove: { args: NamedObject; result: undefined };
};

const threads = new FolderThreads("src/modules/uplinks/targets/parquet/folder-store.worker.ts");

/** Folder of an uplink that another thread accesses, with a limit for each access. */
export class ThreadedFolder implements ObjectStore {
  readonly #root: string;
  readonly #uplinkId: string;
  #opened: Promise<{ worker: Worker; client: FolderClient<FolderStoreCalls> }> | undefined;
  #bytesSent = 0;

  constructor(root: string, uplinkId: string) {
    if (!isAbsolute(root))
      throw new TargetError("settings", detail("uplink.folder_relative", { path: root }));
    this.#root = root;
    this.#uplinkId = uplinkId;
  }

  get bytesSent(): number {
    return this.#bytesSent;
  }

  list(prefix: string, signal: AbortSignal): Promise<string[]> {
    return this.#call("list", { root: this.#root, name: prefix }, signal);
  }

  has(name: string, signal: AbortSignal): Promise<boolean> {
    return this.#call("has", { root: this.#root, name }, signal);
  }

  read(name: string, signal: AbortSignal): Promise<Uint8Array> {
    return this.#call("read", { root: this.#root, name }, signal);
  }

  async write(name: string, bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void> {
    await this.#call("write", { root: this.#root, name, bytes }, signal);
    this.#bytesSent += bytes.length;
  }

  remove(name: string, signal: AbortSignal): Promise<void> {
    return this.#call("remove", { root: this.#root, name }, signal);
  }

  close(): void {
    void this.#opened?.then(
      ({ worker }) => endThread(worker),
      () => undefined, // it was never started
    );
  }

  /** @throws TargetError; the reason of the signal when it is aborted */
  async #call<Name extends keyof FolderStoreCalls>(
    name: Name,
    args: FolderStoreCalls[Name]["args"],
    signal: AbortSignal,
  ): Promise<FolderStoreCalls[Name]["result"]> {
    try {
      this.#opened ??= this.#open();
      const { client } = await this.#opened;
      return await client.call(name, args, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof DomainError) || error instanceof TargetError) throw error;
      throw new TargetError(error.kind === "invalid" ? "settings" : "retry", error, error);
    }
  }

  async #open() {
    const worker = await threads.start(this.#root, this.#uplinkId);
    return { worker, client: new FolderClient<FolderStoreCalls>(worker, this.#root) };
  }
}
