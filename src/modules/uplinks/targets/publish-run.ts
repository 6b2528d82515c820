import type { BrokerMessage } from "../../../platform/broker/broker.types.ts";
import type { BrokerConnection } from "../../../platform/broker/broker-connection.ts";
import { isLimited, messageTooLarge, toPublishError } from "./broker-errors.ts";

/** Max. unacknowledged messages. Brokers with a lower limit announce it (MQTT 5, receive maximum). */
const IN_FLIGHT_MAX = 1_000;
const IN_FLIGHT_BYTES_MAX = 4 * 1024 * 1024;
/** Max. bytes of a packet in addition to topic and payload. */
const PACKET_HEAD_BYTES = 16;
/** Wait after the broker has refused messages because of a rate limit, in ms. */
const LIMITED_WAIT_MS = 1_000;
/** Consecutive waits without progress before a longer pause. */
const LIMITED_WAITS_MAX = 10;

/**
 * Sends messages in order, many in flight, and resolves when the broker has acknowledged all. Messages refused by a rate limit are sent again before
 * any other.
 */
export class PublishRun {
  readonly #connection: BrokerConnection;
  readonly #messages: Iterator<BrokerMessage>;
  readonly #window: number;
  readonly #outcome = Promise.withResolvers<void>();
  /** Messages refused by a rate limit. */
  #limited: { readonly message: BrokerMessage; readonly error: unknown }[] = [];
  /** Messages to send again. */
  readonly #again: BrokerMessage[] = [];
  #inFlight = 0;
  #inFlightBytes = 0;
  #waits = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(connection: BrokerConnection, messages: Iterable<BrokerMessage>) {
    this.#connection = connection;
    this.#messages = messages[Symbol.iterator]();
    this.#window = Math.min(IN_FLIGHT_MAX, connection.limits.receiveMaximum);
  }

  /** @throws TargetError, or the reason of the signal */
  async run(signal: AbortSignal): Promise<void> {
    const abort = () => this.#fail(signal.reason);
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    else this.#proceed();
    try {
      await this.#outcome.promise;
    } finally {
      signal.removeEventListener("abort", abort);
      clearTimeout(this.#timer);
    }
  }

  #proceed(): void {
    if (this.#isOver) return;
    try {
      if (this.#fill()) this.#finish();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Sends messages while there is room. Returns whether everything is acknowledged. */
  #fill(): boolean {
    while (this.#limited.length === 0 && this.#hasRoom()) {
      const next = this.#again.shift() ?? this.#messages.next().value;
      if (next === undefined) return this.#inFlight === 0;
      this.#send(next);
    }
    if (this.#inFlight === 0 && this.#limited.length > 0) this.#wait();
    return false;
  }

  #hasRoom(): boolean {
    return this.#inFlight < this.#window && this.#inFlightBytes < IN_FLIGHT_BYTES_MAX;
  }

  #send(message: BrokerMessage): void {
    const { topic, payload } = message;
    const bytes = payload.length + Buffer.byteLength(topic) + PACKET_HEAD_BYTES;
    const { packetBytesMax } = this.#connection.limits;
    if (bytes > packetBytesMax) throw messageTooLarge(bytes, packetBytesMax);
    this.#inFlight++;
    this.#inFlightBytes += bytes;
    this.#connection.publish(message).then(
      () => {
        this.#waits = 0;
        this.#settled(bytes);
      },
      (error) => {
        if (isLimited(error)) this.#limited.push({ message, error });
        else this.#fail(toPublishError(error, topic));
        this.#settled(bytes);
      },
    );
  }

  #settled(bytes: number): void {
    this.#inFlight--;
    this.#inFlightBytes -= bytes;
    this.#proceed();
  }

  #wait(): void {
    if (this.#timer !== undefined) return;
    const [first] = this.#limited;
    if (++this.#waits > LIMITED_WAITS_MAX && first !== undefined)
      throw toPublishError(first.error, first.message.topic);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#again.push(...this.#limited.map(({ message }) => message));
      this.#limited = [];
      this.#proceed();
    }, LIMITED_WAIT_MS);
  }

  #finish(): void {
    this.#isOver = true;
    this.#outcome.resolve();
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#outcome.reject(error);
  }
}
