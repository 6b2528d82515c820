import { gunzipSync } from "node:zlib";
import { unavailable } from "../../lib/core/domain-error.ts";
import { ThreadCalls } from "../load/thread-calls.ts";
import { readAsset } from "../process/assets.ts";
import { releaseLoadedPages } from "../process/idle-memory.ts";
import type { OpcUaMainCalls, OpcUaStart, OpcUaThreadCalls } from "./opcua.calls.ts";

/** Code of the thread: a separate compressed bundle, which takes 0.4 MB in the program instead of 9 MB. */
export const OPCUA_BUNDLE = "static/opcua/opcua.worker.js.gz";

type Closed = (reason: string) => void;

/** Thread for OPC UA. It starts when first used and ends when nothing uses it: the library takes 25 MB. */
export class OpcUaThread {
  readonly #start: OpcUaStart;
  #worker: Worker | undefined;
  #started: Promise<unknown> = Promise.resolve();
  /** Callbacks of open lines, by number, for the end of a line. */
  readonly #lines = new Map<number, Closed>();
  #nextLine = 1;
  #users = 0;
  readonly #calls = new ThreadCalls<OpcUaThreadCalls, OpcUaMainCalls>(
    (message) => this.#worker?.postMessage(message),
    { closed: ({ line, reason }) => this.#lines.get(line)?.(reason), shrunk: releaseLoadedPages },
  );

  constructor(start: OpcUaStart) {
    this.#start = start;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /** Begins a use of the thread, which ends with `release`. */
  acquire(): void {
    if (this.#worker === undefined) this.#run();
    this.#users++;
  }

  #run(): void {
    const bundle = readAsset(OPCUA_BUNDLE);
    if (bundle === undefined) throw unavailable("thread.failed", { reason: `${OPCUA_BUNDLE} is missing` });
    const url = URL.createObjectURL(new Blob([gunzipSync(bundle)], { type: "text/javascript" }));
    this.#worker = this.#create(url);
    this.#started = this.#calls.call("start", this.#start);
    // The first call fails with it. Until then, the thread may not have loaded the code.
    this.#started.catch(() => undefined).finally(() => URL.revokeObjectURL(url));
  }

  release(): void {
    this.#users--;
    if (this.#users === 0) this.#end("closed");
  }

  /** Calls the running thread. @throws DomainError `thread.failed` with the message of the library */
  async call<Name extends keyof OpcUaThreadCalls & string>(
    name: Name,
    args: OpcUaThreadCalls[Name]["args"],
  ): Promise<OpcUaThreadCalls[Name]["result"]> {
    await this.#started;
    // The thread may have ended with an error and would never answer.
    if (this.#worker === undefined) throw unavailable("thread.failed", { reason: "closed" });
    return this.#calls.call(name, args);
  }

  /** Uses the thread for one call. */
  async once<Name extends keyof OpcUaThreadCalls & string>(
    name: Name,
    args: OpcUaThreadCalls[Name]["args"],
  ): Promise<OpcUaThreadCalls[Name]["result"]> {
    this.acquire();
    try {
      return await this.call(name, args);
    } finally {
      this.release();
    }
  }

  /** Returns the number of a new line. */
  addLine(onClosed: Closed): number {
    const line = this.#nextLine++;
    this.#lines.set(line, onClosed);
    return line;
  }

  removeLine(line: number): void {
    this.#lines.delete(line);
  }

  #create(url: string): Worker {
    const worker = new Worker(url, { smol: true });
    worker.addEventListener("message", (event: MessageEvent<unknown>) => this.#calls.receive(event.data));
    worker.addEventListener("error", ({ message }) => {
      if (this.#worker === worker) this.#end(message);
    });
    return worker;
  }

  #end(reason: string): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#calls.failAll(unavailable("thread.failed", { reason }));
    for (const onClosed of [...this.#lines.values()]) onClosed(reason);
    this.#lines.clear();
  }
}
