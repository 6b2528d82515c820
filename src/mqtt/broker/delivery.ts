import { acknowledgement, PUBACK, PUBCOMP, PUBREC, PUBREL, publish } from "../../lib/mqtt/packet-writer.ts";
import type { ProtocolVersion, PublishPacket, Qos } from "../../lib/mqtt/packets.ts";
import { type AddedProperties, writeMessageProperties } from "../../lib/mqtt/properties.ts";
import { protocolError, Reason } from "../../lib/mqtt/reason.ts";
import type { Counters } from "../connection/counters.ts";
import type { Output } from "../connection/output.ts";
import { type Enveloped, open } from "../topics/envelope.ts";
import { isCommandTopic } from "../topics/topics.ts";
import type { ClientLink } from "./client-link.types.ts";

/** Max. QoS 1 and 2 messages in flight to one client. MQTT 5 clients may request fewer. */
export const SEND_WINDOW_MAX = 100;

const beforeVersion5 = new Uint8Array(0);
const noPropertyBytes = Uint8Array.of(0);

/** Limits of an MQTT 5 client. */
export interface ClientLimits {
  /** Max. QoS 1 and 2 messages in flight. */
  readonly receiveMaximum: number;
  /** Max. topic aliases. */
  readonly topicAliasMaximum: number;
  /** Max. bytes of a packet. */
  readonly packetBytesMax: number;
}

/**
 * held: too many messages wait for the window of the client. congested: the client reads too slowly. size: the packet is too large for the client.
 */
export type DropReason = "held" | "congested" | "size" | "expired";

export interface DeliveryDeps extends ClientLimits {
  readonly output: Output;
  readonly version: ProtocolVersion;
  readonly counters: Counters;
  /** Max. messages that wait for the window. Beyond it, the oldest is dropped. */
  readonly heldMax: number;
  /** Epoch ms. */
  now(): number;
  /** Called when the client reads too slowly to be kept. */
  overflow(): void;
  /** Called when a message was dropped. */
  dropped(reason: DropReason): void;
  /** Called when a device has acknowledged a command on this topic. */
  delivered(topic: string, payload: Uint8Array): void;
}

/** Outgoing messages of the broker to one client, within its window and packet size. Excess messages are dropped instead of accumulated. */
export class Delivery {
  readonly #deps: DeliveryDeps;
  #link: ClientLink | undefined;
  /** QoS at the broker by packet identifier at the client, until PUBACK or PUBCOMP. */
  readonly #inFlight = new Map<number, Qos>();
  /** Header of the next acknowledgement by packet identifier. */
  readonly #expected = new Map<number, number>();
  /** Finished messages whose QoS 2 exchange the broker must still complete, without the client. */
  readonly #discarded = new Set<number>();
  /** Sent commands in progress by packet identifier. */
  readonly #commands = new Map<number, { readonly topic: string; readonly payload: Uint8Array }>();
  readonly #held: PublishPacket[] = [];
  /** Known aliases by topic. */
  readonly #aliases = new Map<string, number>();

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  /** True if the client accepts another message of QoS 1 or 2 now. */
  get hasRoom(): boolean {
    return this.#inFlight.size < this.#deps.receiveMaximum && !this.#deps.output.congested;
  }

  bind(link: ClientLink): void {
    this.#link = link;
  }

  deliver(message: PublishPacket): void {
    if (message.qos > 0 && this.#inFlight.size >= this.#deps.receiveMaximum) this.#hold(message);
    else this.#send(message);
  }

  /** Handles a PUBREL of the broker. */
  release(packetId: number): void {
    if (this.#discarded.delete(packetId)) {
      this.#link?.acknowledge(PUBCOMP, packetId);
      return;
    }
    this.#inFlight.set(packetId, 2);
    this.#expected.set(packetId, PUBCOMP);
    this.#deps.output.write(acknowledgement(PUBREL, packetId));
  }

  /** Handles a PUBACK, PUBREC or PUBCOMP of the client. */
  acknowledged(header: number, packetId: number, reason: number): void {
    const qos = this.#inFlight.get(packetId);
    if (qos !== undefined && !this.#isExpected(packetId, header))
      throw protocolError("another acknowledgement is expected");
    if (header === PUBREC) {
      this.#received(packetId, qos !== undefined, reason);
    } else if (qos !== undefined) {
      this.#end(packetId);
      const command = this.#commands.get(packetId);
      if (command !== undefined) {
        this.#commands.delete(packetId);
        this.#deps.delivered(command.topic, command.payload);
      }
      this.#finish(packetId, header === PUBACK ? qos : 1, header);
      this.#next();
    }
  }

  /** Checks an acknowledgement. A client that missed a PUBREL repeats its PUBREC. */
  #isExpected(packetId: number, header: number): boolean {
    const expected = this.#expected.get(packetId);
    return header === expected || (header === PUBREC && expected === PUBCOMP);
  }

  #end(packetId: number): void {
    this.#inFlight.delete(packetId);
    this.#expected.delete(packetId);
  }

  #received(packetId: number, isKnown: boolean, reason: number): void {
    if (!isKnown) {
      const unknown = this.#deps.version === 5 ? Reason.packetIdNotFound : Reason.success;
      this.#deps.output.write(acknowledgement(PUBREL, packetId, unknown));
      return;
    }
    if (reason >= 0x80) {
      this.#end(packetId);
      this.#discarded.add(packetId);
    }
    this.#link?.acknowledge(PUBREC, packetId);
    if (reason >= 0x80) this.#next();
  }

  /** Reports a delivered message to the broker. Completes a message that was sent with less than QoS 2. */
  #finish(packetId: number, qos: Qos, header: number): void {
    if (qos === 2) this.#discarded.add(packetId);
    this.#link?.acknowledge(qos === 2 ? PUBREC : header, packetId);
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
    if (oldest !== undefined) this.#giveUp(oldest, "held");
  }

  #send(message: PublishPacket): void {
    const { output, counters } = this.#deps;
    const content = open(message.payload);
    // Only a QoS 2 message can arrive above what was granted: the broker compares no wildcard filters.
    const match =
      message.qos === 2 || this.#link?.filters.hasIdentifiers === true
        ? this.#link?.filters.match(message.topic)
        : undefined;
    const qos: Qos = message.qos === 2 && match?.qos === 1 ? 1 : message.qos;
    const alias = this.#aliases.get(message.topic);
    const added = { subscriptionIds: match?.identifiers ?? [], topicAlias: alias ?? this.#newAlias() };
    const topic = alias === undefined ? message.topic : "";
    const properties = this.#properties(content, added);
    const bytes = publish({ ...message, topic, qos, payload: content.payload }, properties);
    const reason = this.#dropReason(content, qos, bytes.length);
    if (reason !== undefined) {
      this.#giveUp(message, reason);
      return;
    }
    if (qos > 0) this.#addInFlight(message, qos, content.payload);
    if (added.topicAlias !== undefined) this.#aliases.set(message.topic, added.topicAlias);
    counters.messagesOut++;
    output.write(bytes);
    if (output.overflowed) this.#deps.overflow();
  }

  /** @param sentQos quality of service granted to the client */
  #addInFlight({ packetId, qos, topic }: PublishPacket, sentQos: Qos, payload: Uint8Array): void {
    this.#inFlight.set(packetId, qos);
    this.#expected.set(packetId, sentQos === 1 ? PUBACK : PUBREC);
    if (isCommandTopic(topic)) this.#commands.set(packetId, { topic, payload });
  }

  #properties({ properties, expiresAt }: Enveloped, added: AddedProperties): Uint8Array {
    if (this.#deps.version < 5) return beforeVersion5;
    const plain = properties.empty && added.subscriptionIds?.length === 0 && added.topicAlias === undefined;
    if (plain && expiresAt === 0) return noPropertyBytes;
    const left = expiresAt === 0 ? undefined : Math.max(1, Math.ceil((expiresAt - this.#deps.now()) / 1000));
    return writeMessageProperties(properties, { ...added, expirySeconds: left });
  }

  #newAlias(): number | undefined {
    return this.#aliases.size < this.#deps.topicAliasMaximum ? this.#aliases.size + 1 : undefined;
  }

  #dropReason({ expiresAt }: Enveloped, qos: Qos, bytes: number): DropReason | undefined {
    const { output, packetBytesMax } = this.#deps;
    if (expiresAt !== 0 && expiresAt <= this.#deps.now()) return "expired";
    if (qos === 0 && output.congested) return "congested";
    return bytes > packetBytesMax ? "size" : undefined;
  }

  #giveUp({ qos, packetId }: PublishPacket, reason: DropReason): void {
    this.#deps.dropped(reason);
    if (qos > 0) this.#finish(packetId, qos, PUBACK);
  }
}
