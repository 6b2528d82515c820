import type { DomainError } from "../../lib/core/domain-error.ts";
import { type CallMap, ThreadCalls } from "../load/thread-calls.ts";
import { FOLDER_MS_MAX, folderSilent } from "./folder-threads.ts";

/** Calls of a thread that accesses a folder. Each has a time limit, and once it has passed, all calls fail. */
export class FolderClient<Calls extends CallMap> {
  readonly #path: string;
  readonly #limitMs: number;
  readonly #calls: ThreadCalls<Calls, Record<string, never>>;
  #failure: DomainError | undefined;

  constructor(port: MessagePort | Worker, path: string, limitMs = FOLDER_MS_MAX) {
    this.#path = path;
    this.#limitMs = limitMs;
    this.#calls = new ThreadCalls((message, transfer) => port.postMessage(message, transfer), {});
    port.onmessage = ({ data }: MessageEvent<unknown>) => this.#calls.receive(data);
  }

  /** @throws the reason of the signal when it is aborted; otherwise the error of the call, or that the folder is silent */
  async call<Name extends keyof Calls & string>(
    name: Name,
    args: Calls[Name]["args"],
    signal?: AbortSignal,
  ): Promise<Calls[Name]["result"]> {
    signal?.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure;
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort);
    const timer = setTimeout(() => {
      this.#failure = folderSilent(this.#path, this.#limitMs);
      this.#calls.failAll(this.#failure);
    }, this.#limitMs);
    const called = this.#calls.call(name, args);
    called.catch(() => undefined); // it may fail after the signal
    try {
      return await Promise.race([called, aborted]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }
}
