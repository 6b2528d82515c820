import { DomainError, type ErrorKind, toText, unavailable } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";

/** Names of calls with their arguments and results. */
export type CallMap = Record<string, { readonly args: unknown; readonly result: unknown }>;

type Returned<Result> = undefined extends Result ? void | Promise<void> : Promise<Result> | Result;

export type CallHandlers<Calls extends CallMap> = {
  readonly [Name in keyof Calls]: (args: Calls[Name]["args"]) => Returned<Calls[Name]["result"]>;
};

interface WireFailure extends Text {
  readonly kind: ErrorKind;
}

type Message =
  | { readonly type: "call"; readonly id: number; readonly name: string; readonly args: unknown }
  | { readonly type: "answer"; readonly id: number; readonly value: unknown }
  | { readonly type: "failure"; readonly id: number; readonly error: WireFailure };

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Calls between two threads, in both directions. An error that is not a DomainError arrives as `thread.failed` with its message. */
export class ThreadCalls<Remote extends CallMap, Local extends CallMap> {
  readonly #post: (message: Message, transfer: ArrayBuffer[]) => void;
  readonly #handlers: CallHandlers<Local>;
  /** Keyed by the id of the call. */
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;

  /** `post` may transfer the buffers of a result to the other thread, so handlers must not keep their results. */
  constructor(post: (message: unknown, transfer: ArrayBuffer[]) => void, handlers: CallHandlers<Local>) {
    this.#post = post;
    this.#handlers = handlers;
  }

  call<Name extends keyof Remote & string>(
    name: Name,
    args: Remote[Name]["args"],
  ): Promise<Remote[Name]["result"]> {
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(id, { resolve, reject });
    this.#post({ type: "call", id, name, args }, []);
    return promise;
  }

  /** Handles a message of the other thread. */
  receive(message: unknown): void {
    const received = message as Message; // the other side is this class
    if (received.type === "call") void this.#answer(received);
    else {
      const pending = this.#pending.get(received.id);
      this.#pending.delete(received.id);
      if (received.type === "answer") pending?.resolve(received.value);
      else pending?.reject(new DomainError(received.error.kind, received.error));
    }
  }

  /** Rejects all pending calls, because the other thread has ended. */
  failAll(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  async #answer({ id, name, args }: Extract<Message, { type: "call" }>): Promise<void> {
    try {
      const value = await this.#handlers[name]?.(args);
      this.#post({ type: "answer", id, value }, [...buffersIn(value)]);
    } catch (cause) {
      const error = cause instanceof DomainError ? cause : failed(cause);
      this.#post({ type: "failure", id, error: { kind: error.kind, ...toText(error) } }, []);
    }
  }
}

/** Finds the buffers of typed arrays that span their whole buffer. */
function buffersIn(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    const { buffer } = value;
    if (buffer instanceof ArrayBuffer && buffer.byteLength === value.byteLength) found.add(buffer);
  } else if (Array.isArray(value)) {
    // Arrays hold values of one kind.
    if (typeof value[0] === "object") for (const item of value) buffersIn(item, found);
  } else if (typeof value === "object" && value !== null)
    for (const item of Object.values(value)) buffersIn(item, found);
  return found;
}

const failed = (cause: unknown): DomainError =>
  unavailable("thread.failed", { reason: cause instanceof Error ? cause.message : String(cause) });
