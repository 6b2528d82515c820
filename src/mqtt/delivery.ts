import type { BrokerLink } from "./broker-link.ts";
import type { Counters } from "./connection.ts";
import type { Output } from "./output.ts";
import { acknowledgement, PUBACK, PUBCOMP, PUBREC, PUBREL, publish } from "./packet-writer.ts";
import type { ProtocolVersion, PublishPacket } from "./packets.ts";
import { Reason } from "./reason.ts";

/** QoS 1 and 2 messages under way to one client; MQTT 5 clients may ask for less. */
export const sendWindowMax = 100;

export interface DeliveryDeps {
  readonly output: Output;
  readonly version: ProtocolVersion;
  readonly counters: Counters;
  /** How many QoS 1 and 2 messages the client takes at a time. */
  readonly receiveMaximum: number;
  /** Largest packet the client takes, in bytes. */
  readonly packetBytesMax: number;
  /** Messages kept for the window; the oldest beyond it is given up. */
  readonly heldMax: number;
  /** The client reads too slowly to be kept. */
  overflow(): void;
}

/** What the broker sends to one client: within the client's window and packet size, dropped rather than piled up. */
export class Delivery {
  readonly #deps: DeliveryDeps;
  #link: BrokerLink | undefined;
  /** Packet identifiers at the client, until PUBACK or PUBCOMP. */
  readonly #inFlight = new Set<number>();
  /** Given up: the broker still has to finish the QoS 2 exchange, without the client. */
  readonly #discarded = new Set<number>();
  readonly #held: PublishPacket[] = [];

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  bind(link: BrokerLink): void {
    this.#link = link;
  }

  deliver(message: PublishPacket): void {
    if (message.qos > 0 && this.#inFlight.size >= this.#deps.receiveMaximum) this.#hold(message);
    else this.#send(message);
  }

  /** PUBREL from the broker. */
  release(packetId: number): void {
    if (this.#discarded.delete(packetId)) {
      this.#link?.acknowledge(PUBCOMP, packetId);
      return;
    }
    this.#inFlight.add(packetId);
    this.#deps.output.write(acknowledgement(PUBREL, packetId));
  }

  /** PUBACK, PUBREC or PUBCOMP from the client. */
  acknowledged(header: number, packetId: number, reason: number): void {
    if (header === PUBREC) {
      this.#received(packetId, reason);
    } else if (this.#inFlight.delete(packetId)) {
      this.#link?.acknowledge(header, packetId);
      this.#next();
    }
  }

  #received(packetId: number, reason: number): void {
    if (!this.#inFlight.has(packetId)) {
      const unknown = this.#deps.version === 5 ? Reason.packetIdNotFound : Reason.success;
      this.#deps.output.write(acknowledgement(PUBREL, packetId, unknown));
      return;
    }
    if (reason >= 0x80) {
      this.#inFlight.delete(packetId);
      this.#discarded.add(packetId);
    }
    this.#link?.acknowledge(PUBREC, packetId);
    if (reason >= 0x80) this.#next();
  }

  #next(): void {
    while (this.#inFlight.size < this.#deps.receiveMaximum) {
      const message = this.#held.shift();
      if (message === undefined) return;
      this.#send(message);
    }
  }

  #hold(message: PublishPacket): void {
    this.#held.push(message);
    const oldest = this.#held.length > this.#deps.heldMax ? this.#held.shift() : undefined;
    if (oldest !== undefined) this.#giveUp(oldest);
  }

  #send(message: PublishPacket): void {
    const { output, counters } = this.#deps;
    const bytes = publish(message, this.#deps.version);
    const lost = message.qos === 0 && output.congested;
    if (lost || bytes.length > this.#deps.packetBytesMax) {
      this.#giveUp(message);
      return;
    }
    if (message.qos > 0) this.#inFlight.add(message.packetId);
    counters.messagesOut++;
    output.write(bytes);
    if (output.overflowed) this.#deps.overflow();
  }

  #giveUp(message: PublishPacket): void {
    this.#deps.counters.messagesDropped++;
    if (message.qos === 2) this.#discarded.add(message.packetId);
    if (message.qos > 0) this.#link?.acknowledge(message.qos === 1 ? PUBACK : PUBREC, message.packetId);
  }
}
