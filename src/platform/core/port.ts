import { invariant } from "../../lib/core/invariant.ts";

/**
 * Function that a module calls and a later module provides. Ports are the only way to refer to a later module; both modules depend on the signature
 * alone.
 */
export class Port<Handler extends (...args: never[]) => unknown> {
  readonly #name: string;
  #handler: Handler | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** Provides the function, once. */
  connect(handler: Handler): void {
    invariant(this.#handler === undefined, `the port ${this.#name} is connected already`);
    this.#handler = handler;
  }

  /** The provided function. It must not be used before all modules are created. */
  get call(): Handler {
    invariant(this.#handler !== undefined, `the port ${this.#name} is not connected`);
    return this.#handler;
  }
}
