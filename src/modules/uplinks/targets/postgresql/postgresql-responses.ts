const HEAD_BYTES = 5;
const READY_FOR_QUERY = "Z".charCodeAt(0);

/** Follows the messages of a server, to find out when it has responded. */
export class PostgresqlResponses {
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #headBytes = 0;
  /** Bytes of the current message that are still to come. */
  #left = 0;

  /** Returns whether the server is ready for the next query after these bytes. */
  take(bytes: Uint8Array): boolean {
    for (let offset = 0; offset < bytes.length; ) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, bytes.length - offset);
        this.#left -= taken;
        offset += taken;
        continue;
      }
      if (this.#headBytes === HEAD_BYTES) this.#headBytes = 0;
      this.#head[this.#headBytes++] = bytes[offset++] ?? 0;
      if (this.#headBytes === HEAD_BYTES) this.#left = this.#head.readUInt32BE(1) - HEAD_BYTES + 1;
    }
    return this.#left === 0 && this.#headBytes === HEAD_BYTES && this.#head[0] === READY_FOR_QUERY;
  }
}
