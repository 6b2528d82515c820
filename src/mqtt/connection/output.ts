import type { MqttTransport } from "../mqtt.types.ts";

/** Max. bytes that wait for a slow peer. Beyond it, the connection is closed. */
const OUTPUT_BYTES_MAX = 1024 * 1024;
/** Bytes that are written immediately. Fewer bytes wait for the end of the turn of the event loop. */
const BATCH_BYTES = 64 * 1024;

/** Outputs with data written in the current turn of the event loop. */
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
      // An error of one connection must not delay others.
      while (index < outputs.length) this.add(outputs[index++]!);
    }
  };
}

/** Outgoing side of a connection: joins the writes of one turn, and keeps a bounded amount for a slow peer. */
export class Output {
  readonly #transport: MqttTransport;
  readonly #written: WrittenOutputs;
  /** Undefined without waiting bytes, because most connections are silent most of the time. */
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

  /** True if the peer has not accepted all output. */
  get congested(): boolean {
    return this.#congested;
  }

  get overflowed(): boolean {
    return this.#congested && this.#waitingBytes > OUTPUT_BYTES_MAX;
  }

  /** Writes at the end of the current turn, together with other output: many messages to one client need one system call. */
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

  /** Discards all further output. */
  close(): void {
    this.#closed = true;
    this.#waiting = undefined;
  }

  /** Sends output kept for the end of the turn. */
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
