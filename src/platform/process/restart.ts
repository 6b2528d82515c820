/** The request of a part of the gateway to stop and start it again. `lineside serve` carries it out. */
export class RestartRequest {
  readonly #requested = Promise.withResolvers<void>();

  /** Resolves once a restart is requested. */
  get requested(): Promise<void> {
    return this.#requested.promise;
  }

  request(): void {
    this.#requested.resolve();
  }
}
