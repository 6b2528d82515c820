import type { MqttTransport } from "./mqtt.types.ts";

/** Bytes that may wait for a peer that reads too slowly; beyond it the connection is cut off. */
const OUTPUT_BYTES_MAX = 1024 * 1024;
/** Bytes that are written immediately; fewer wait for the end of the turn of the event loop. */
const BATCH_BYTES = 64 * 1024;

/** Outputs that were written to in the present turn of the event loop. */
export class WrittenOutputs {
  #outputs: Output[] = [];

  add(output: Output): void {
    this.#outputs.push(output);
    if (this.#outputs.length === 1) queueMicrotask(this.#flush);
  }

  readonly #flush = (): void => {
    const outputs = this.#outputs;
    this.#outputs = [];
    let index = 0;
    try {
      while (index < outputs.length) outputs[index++]!.turnEnded();
    } finally {
      // One that fails keeps nobody else waiting.
      while (index < outputs.length) this.add(outputs[index++]!);
    }
  };
}

/** A connection's outgoing side: joins what one turn writes, and keeps a bounded amount for a slow peer. */
export class Output {
  readonly #transport: MqttTransport;
  readonly #written: WrittenOutputs;
  /** Undefined while nothing waits: most connections are silent most of the time, and there are many. */
  #waiting: Uint8Array[] | undefined;
  #waitingBytes = 0;
  #corked = false;
  #congested = false;
  #closed = false;
  #willFlush = false;

  constructor(transport: MqttTransport, written: WrittenOutputs) {
    this.#transport = transport;
    this.#written = written;
  }

  /** The peer has not taken everything that was sent. */
  get congested(): boolean {
    return this.#congested;
  }

  get overflowed(): boolean {
    return this.#congested && this.#waitingBytes > OUTPUT_BYTES_MAX;
  }

  /** Writes after the present turn, with whatever else is written in it: many messages to one client are one call of the system. */
  write(bytes: Uint8Array): void {
    if (this.#closed) return;
    if (this.#waiting === undefined) this.#waiting = [bytes];
    else this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#corked || this.#congested) return;
    if (this.#waitingBytes >= BATCH_BYTES) this.#flush();
    else if (!this.#willFlush) {
      this.#willFlush = true;
      this.#written.add(this);
    }
  }

  cork(): void {
    this.#corked = true;
  }

  uncork(): void {
    this.#corked = false;
    if (!this.#congested) this.#flush();
  }

  drain(): void {
    this.#congested = false;
    if (!this.#corked) this.#flush();
  }

  /** Whatever is written from now on goes nowhere. */
  close(): void {
    this.#closed = true;
    this.#waiting = undefined;
  }

  /** Sends what `write` has kept for the end of the turn. */
  turnEnded(): void {
    this.#willFlush = false;
    if (!this.#corked && !this.#congested && !this.#closed) this.#flush();
  }

  #flush(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    const bytes = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting, this.#waitingBytes);
    this.#waitingBytes = 0;
    this.#congested = !this.#transport.write(bytes);
  }
}
