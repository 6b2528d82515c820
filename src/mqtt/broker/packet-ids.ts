const ID_MAX = 65_535;

/** Packet identifiers of messages to one client. There are far more than the window of a client. */
export class PacketIds {
  readonly #inUse = new Set<number>();
  #last = 0;

  take(): number {
    do this.#last = this.#last === ID_MAX ? 1 : this.#last + 1;
    while (this.#inUse.has(this.#last));
    this.#inUse.add(this.#last);
    return this.#last;
  }

  /** Reserves the identifier of a message of an earlier connection. */
  reserve(id: number): void {
    this.#inUse.add(id);
  }

  release(id: number): void {
    this.#inUse.delete(id);
  }
}
