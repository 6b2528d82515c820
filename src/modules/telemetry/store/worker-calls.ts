import { DomainError } from "../../../lib/core/domain-error.ts";
import type { CallName, CallRequest, StoreCalls, StoreReply, StoreRequest } from "./store.protocol.ts";

type Part = Extract<StoreReply, { type: "part" }>;

interface CallOptions<Part> {
  readonly signal?: AbortSignal | undefined;
  /** Receives the parts of a split response before the result. If it throws, the call ends with its error. */
  readonly onPart?: (part: Part) => void;
}

interface Waiting {
  readonly onPart: ((part: never) => void) | undefined;
  resolve(value: StoreCalls[CallName]["result"]): void;
  reject(error: unknown): void;
}

/** Pairs calls to the worker with their responses. */
export class WorkerCalls {
  readonly #post: (request: StoreRequest) => void;
  /** Call id → waiting caller. */
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;

  constructor(post: (request: StoreRequest) => void) {
    this.#post = post;
  }

  async call<Name extends CallName>(
    name: Name,
    args: StoreCalls[Name]["args"],
    { signal, onPart }: CallOptions<StoreCalls[Name]["result"]> = {},
  ): Promise<StoreCalls[Name]["result"]> {
    signal?.throwIfAborted();
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<StoreCalls[CallName]["result"]>();
    this.#waiting.set(id, { resolve, reject, onPart });
    const cancel = () => {
      this.#cancel(id);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      // The union of requests is by construction the union over names; TypeScript cannot correlate the two generics.
      this.#post({ type: "call", id, name, args } as CallRequest);
      return (await promise) as StoreCalls[Name]["result"];
    } finally {
      this.#waiting.delete(id);
      signal?.removeEventListener("abort", cancel);
    }
  }

  part({ id, value }: Part): void {
    const waiting = this.#waiting.get(id);
    try {
      // A part has the type of the call's result.
      waiting?.onPart?.(value as never);
    } catch (error) {
      this.#cancel(id);
      waiting?.reject(error);
    }
  }

  #cancel(id: number): void {
    this.#waiting.delete(id);
    this.#post({ type: "cancel", id });
  }

  settle(reply: Extract<StoreReply, { type: "result" | "failed" }>): void {
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    this.#waiting.delete(reply.id);
    if (reply.type === "result") waiting.resolve(reply.value);
    else waiting.reject(new DomainError(reply.error.kind, reply.error));
  }

  failAll(error: DomainError): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }
}
