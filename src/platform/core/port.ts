import { invariant } from "../../lib/core/invariant.ts";

/**
 * A function that a module calls and a module created after it provides. It is the one way to refer to a later module: what both know is the
 * signature.
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

  /** The function. Nothing may ask for it before all modules are created. */
  get call(): Handler {
    invariant(this.#handler !== undefined, `the port ${this.#name} is not connected`);
    return this.#handler;
  }
}
