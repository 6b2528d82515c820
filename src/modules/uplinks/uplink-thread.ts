import { unavailable } from "../../lib/domain-error.ts";
import { workerUrl } from "../../platform/assets.ts";
import type { Logger } from "../../platform/log.ts";
import { type CallHandlers, ThreadCalls } from "../../platform/thread-calls.ts";
import type { MainCalls, ThreadCallsOfUplinks } from "./uplink.protocol.ts";

/** The thread of the uplinks, as the main thread sees it. It runs while something needs it. */
export class UplinkThread {
  readonly #calls: ThreadCalls<ThreadCallsOfUplinks, MainCalls>;
  readonly #log: Logger;
  readonly #onFailed: () => void;
  #worker: Worker | undefined;

  /** `onFailed`: the thread has ended by an error of its own; its uplinks run no more. */
  constructor(deps: { handlers: CallHandlers<MainCalls>; onFailed: () => void; log: Logger }) {
    this.#log = deps.log;
    this.#onFailed = deps.onFailed;
    this.#calls = new ThreadCalls(
      (message, transfer) => this.#worker?.postMessage(message, transfer),
      deps.handlers,
    );
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  call<Name extends keyof ThreadCallsOfUplinks & string>(
    name: Name,
    args: ThreadCallsOfUplinks[Name]["args"],
  ): Promise<ThreadCallsOfUplinks[Name]["result"]> {
    this.#worker ??= this.#create();
    return this.#calls.call(name, args);
  }

  /** Ends the thread; its uplinks must have ended before. */
  stop(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#calls.failAll(unavailable("uplink.stopped"));
  }

  #create(): Worker {
    const worker = new Worker(workerUrl("src/modules/uplinks/uplink.worker.ts"), {
      smol: true, // a heap that is collected early: batches are short-lived
    });
    worker.addEventListener("message", (event: MessageEvent<unknown>) => this.#calls.receive(event.data));
    worker.addEventListener("error", ({ message }) => {
      this.#log.error("the thread of the uplinks has failed", { error: message });
      this.stop();
      this.#onFailed();
    });
    return worker;
  }
}
