/** Request of a part of the gateway for a restart, which `lineside serve` carries out. */
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
