import { randomToken } from "../core/ids.ts";

const LINKS_MAX = 100;

/** Texts that can be exchanged for a value once within a time, for downloads by a browser without a bearer token. */
export class OneTimeLinks<Value> {
  readonly #lifetimeMs: number;
  readonly #values = new Map<string, { readonly value: Value; readonly expiresAt: number }>();

  constructor(lifetimeMs: number) {
    this.#lifetimeMs = lifetimeMs;
  }

  /** Returns the text of a new link. `now` is steady time in ms. Removes the oldest link if there are too many. */
  create(value: Value, now: number): string {
    const secret = randomToken(24);
    const [oldest] = this.#values.keys();
    if (oldest !== undefined && this.#values.size >= LINKS_MAX) this.#values.delete(oldest);
    this.#values.set(secret, { value, expiresAt: now + this.#lifetimeMs });
    return secret;
  }

  /** Returns the value of a link and ends the link; undefined if it is unknown, used or expired. */
  take(secret: string, now: number): Value | undefined {
    const entry = this.#values.get(secret);
    this.#values.delete(secret);
    return entry === undefined || entry.expiresAt < now ? undefined : entry.value;
  }
}
