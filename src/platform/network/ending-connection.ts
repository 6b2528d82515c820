/** Connection that ends once, with an error or because it is closed, and is never opened again. */
export abstract class EndingConnection {
  readonly #closed = Promise.withResolvers<void>();
  #failure: Error | undefined;
  #hasResponded = false;

  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  /** Whether the peer has responded on this connection. */
  get hasResponded(): boolean {
    return this.#hasResponded;
  }

  /** Resolves when the connection has ended. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Error that ended the connection. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  close(): void {
    this.end(new Error("closed"));
  }

  protected noteResponse(): void {
    this.#hasResponded = true;
  }

  /** @throws the error that has ended the connection */
  protected ensureOpen(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  protected end(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.release(error);
    this.#closed.resolve();
  }

  /** Frees what the connection holds, and rejects what waits for it. */
  protected abstract release(error: Error): void;
}
