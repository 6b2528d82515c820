import type { FrameReader } from "../../lib/mqtt/frame-reader.ts";
import { PacketCursor } from "../../lib/mqtt/packet-cursor.ts";
import {
  ACK_BYTES_MAX,
  ACK_BYTES_MIN,
  acknowledgement,
  headerOfAck,
  PUBCOMP,
  PUBREC,
  writeAck,
} from "../../lib/mqtt/packet-writer.ts";
import { type ProtocolVersion, type Qos, readPublishProperties } from "../../lib/mqtt/packets.ts";
import { noProperties, type Properties, Property } from "../../lib/mqtt/properties.ts";
import { malformed, ProtocolError, protocolError, Reason } from "../../lib/mqtt/reason.ts";
import { checkTopicName } from "../../lib/mqtt/topic-filters.ts";
import type { DeviceIngest, PacketBody } from "../../modules/ingest/ingest.types.ts";
import { TopicAliases } from "../broker/topic-aliases.ts";
import type { Session } from "../session/session.ts";
import type { Principal } from "../topics/principal.ts";
import { ingestTopic } from "../topics/topics.ts";
import { type AckKind, type AckMember, AckQueue, ackEntry, CommitGroup } from "./ack-queue.ts";
import { type CommitGroups, refusalOf } from "./commit-groups.ts";
import type { Output } from "./output.ts";

/** Max. payload bytes of one connection that wait for their commit before its socket is paused. */
const IN_FLIGHT_BYTES_MAX = 4 * 1024 * 1024;
/** Max. QoS 2 messages of one session between PUBREC and PUBREL, for clients without a receive maximum. */
const RECEIVED_MAX = 4096;

const settled = CommitGroup.settled();

/** QoS 2 message that the client has not released. */
interface Content {
  /** Hash of topic, properties and payload. */
  readonly hash: bigint;
  /** True if it arrived again without DUP. */
  isRepeated: boolean;
}

interface Qos2State {
  /** Identifiers that this connection will answer. */
  readonly receiving: Set<number>;
  /** Unreleased messages of this connection by packet identifier. */
  readonly contents: Map<number, Content>;
}

/** Header of a PUBLISH, and the position of its topic. */
interface Named {
  readonly header: number;
  buffer: Uint8Array;
  topicStart: number;
  topicLength: number;
}

/** Message that is not for ingest. */
export interface IncomingMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly properties: Properties;
  /** Internal name of the sender, which no-local subscriptions exclude. */
  readonly from: string | undefined;
}

/** Shared state of the intakes of all connections. */
export interface IntakeHost {
  readonly ingest: DeviceIngest;
  readonly groups: CommitGroups;
  readonly inFlightMax: number;
  /** Handles a message on a topic that is not for ingest. @throws DomainError to refuse it */
  takeOther(principal: Principal, message: IncomingMessage): Promise<void>;
  /** Settles after `ms`. */
  hold(ms: number): Promise<void>;
  /** Writes the QoS 2 identifiers of a session to the file. Returns false if that failed. */
  saveReceived(session: Session): boolean;
}

/** Connection of incoming messages and their acknowledgements. */
interface IntakeConnection {
  readonly output: Pick<Output, "write">;
  readonly client: { readonly brokerClientId: string | undefined } | undefined;
  end(reason: number): void;
  /** Called when messages were answered or failed. */
  answered(): void;
}

export interface PublishIntakeOptions {
  readonly connection: IntakeConnection;
  readonly version: ProtocolVersion;
  /** An application has no device, and no telemetry of its own. */
  readonly principal: Principal;
  readonly session: Session;
}

/**
 * Takes PUBLISH packets of a connection, passes them to ingest and answers in order after the commit. QoS 2 is complete: an identifier between
 * PUBREC and PUBREL is never stored twice.
 */
export class PublishIntake implements AckMember {
  readonly #host: IntakeHost;
  readonly #connection: IntakeConnection;
  readonly #version: ProtocolVersion;
  readonly #principal: Principal;
  readonly #session: Session;
  readonly #acks = new AckQueue();
  /** State of QoS 2 messages, created for the first one. */
  #qos2: Qos2State | undefined;
  #aliases: TopicAliases | undefined;

  constructor(host: IntakeHost, { connection, version, principal, session }: PublishIntakeOptions) {
    this.#host = host;
    this.#connection = connection;
    this.#version = version;
    this.#principal = principal;
    this.#session = session;
  }

  /** True if too much waits for a commit to read further. */
  get full(): boolean {
    return this.#acks.size >= this.#host.inFlightMax || this.#acks.bytes >= IN_FLIGHT_BYTES_MAX;
  }

  get idle(): boolean {
    return this.#acks.size === 0;
  }

  /** True if the storage failed for the oldest message, so that the connection must end without a response. */
  get failed(): boolean {
    return this.#acks.failed;
  }

  publish(frame: FrameReader): void {
    if (this.#principal.revoked)
      throw new ProtocolError(Reason.notAuthorized, "removed, or its credentials changed");
    const { buffer, header, start, end } = frame;
    const qos = (header >> 1) & 3;
    if (end - start < 2) throw malformed("publish without a topic");
    const topicLength = (buffer[start]! << 8) | buffer[start + 1]!;
    const topicStart = start + 2;
    let offset = topicStart + topicLength;
    let packetId = 0;
    if (qos > 0) {
      packetId = (buffer[offset]! << 8) | buffer[offset + 1]!;
      offset += 2;
    }
    if (offset > end) throw malformed("publish ends early");
    if (qos > 0 && packetId === 0) throw malformed("packet identifier is zero");
    if (this.#version === 5) offset = this.#endOfProperties(buffer, offset, end);
    const alias = this.#properties.number(Property.topicAlias);
    const named: Named = { header, buffer, topicStart, topicLength };
    if (alias !== undefined) this.#rename(named, alias);
    if (qos === 2 && this.#isRepeated(packetId, header, buffer.subarray(topicStart, end))) return;
    const group = this.#take(named, { buffer, start: offset, end });
    const entry = ackEntry(packetId, qos as AckKind, this.#reason);
    if (qos === 2) {
      this.#ensureQos2().receiving.add(packetId);
      this.#session.receiving.set(packetId, group);
    }
    if (this.#acks.push(group, entry, end - offset)) group.join(this);
  }

  /** Properties of the current message. */
  #properties = noProperties;
  /** Reason of the current message, set by `#take`. */
  #reason: number = Reason.success;

  #rename(named: Named, alias: number): void {
    const { buffer, topicStart, topicLength } = named;
    this.#aliases ??= new TopicAliases();
    named.buffer = this.#aliases.resolve(alias, buffer.subarray(topicStart - 2, topicStart + topicLength));
    named.topicStart = 2;
    named.topicLength = named.buffer.length - 2;
  }

  #take({ header, buffer, topicStart, topicLength }: Named, body: PacketBody): CommitGroup {
    this.#reason = Reason.success;
    const { ingest, groups } = this.#host;
    const { device } = this.#principal;
    try {
      if (device !== undefined) {
        const kind = ingestTopic(buffer, topicStart, topicLength);
        if (kind === "telemetry") return groups.of(ingest.packet(device, body));
        if (kind === "attributes") return groups.of(ingest.attributes(device, bytesOf(body), "mqtt"));
      }
      const topic = topicText(buffer, topicStart, topicLength);
      const qos = ((header >> 1) & 3) as Qos;
      const retain = (header & 1) !== 0;
      const message = {
        topic,
        payload: bytesOf(body),
        qos,
        retain,
        properties: this.#properties,
        from: this.#connection.client?.brokerClientId,
      };
      return groups.of(this.#host.takeOther(this.#principal, message));
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      this.#reason = refusal.reason;
      const isHeld = this.#version < 5 && refusal.holdMs > 0;
      return isHeld ? groups.of(this.#host.hold(refusal.holdMs)) : settled;
    }
  }

  #endOfProperties(buffer: Uint8Array, offset: number, end: number): number {
    this.#properties = noProperties;
    if (offset < end && buffer[offset] === 0) return offset + 1;
    const cursor = new PacketCursor(buffer, offset, end);
    this.#properties = readPublishProperties(cursor);
    return end - cursor.rest().length;
  }

  #ensureQos2(): Qos2State {
    this.#qos2 ??= { receiving: new Set(), contents: new Map() };
    return this.#qos2;
  }

  #isRepeated(packetId: number, header: number, content: Uint8Array): boolean {
    const duplicate = (header & 8) !== 0;
    const own = this.#ensureQos2();
    if (own.receiving.has(packetId)) return true;
    const { received, receiving, recovered } = this.#session;
    const inFlight = receiving.get(packetId);
    if (inFlight !== undefined) {
      // Resent over a new connection before the commit: acknowledged with that commit.
      own.receiving.add(packetId);
      if (this.#acks.push(inFlight, ackEntry(packetId, 2, Reason.success), 0)) inFlight.join(this);
      return true;
    }
    const hash = Bun.hash.wyhash(content);
    const isNewMessage = !duplicate && this.#reuses(packetId, hash);
    if (!isNewMessage && received.has(packetId) && (duplicate || !recovered.has(packetId))) {
      this.#connection.output.write(acknowledgement(PUBREC, packetId));
      return true;
    }
    const max = this.#version === 5 ? this.#host.inFlightMax : RECEIVED_MAX;
    if (received.size + own.receiving.size >= max) {
      throw new ProtocolError(Reason.receiveMaximumExceeded, "too many QoS 2 messages wait for PUBREL");
    }
    own.contents.set(packetId, { hash, isRepeated: false });
    return false;
  }

  /**
   * Returns whether a client reuses the identifier of an unreleased message for another message, because it has lost its state. The same message
   * without DUP (3.1.1, 3.3.1.1) is accepted once.
   */
  #reuses(packetId: number, hash: bigint): boolean {
    const before = this.#qos2?.contents.get(packetId);
    if (before === undefined) return false;
    if (before.hash !== hash) return true;
    if (before.isRepeated) throw protocolError("packet identifier is in use");
    before.isRepeated = true;
    return false;
  }

  release(packetId: number): void {
    this.#qos2?.contents.delete(packetId);
    const wasReceived = this.#session.received.delete(packetId);
    if (wasReceived) this.#receivedChanged();
    const reason = wasReceived || this.#version < 5 ? Reason.success : Reason.packetIdNotFound;
    this.#connection.output.write(acknowledgement(PUBCOMP, packetId, reason));
  }

  /** Saves the identifiers, which must be on file before the response is sent. */
  #receivedChanged(): void {
    if (!this.#host.saveReceived(this.#session)) this.#connection.end(Reason.quotaExceeded);
  }

  groupSettled(): void {
    this.flush();
    if (this.failed) {
      for (const packetId of this.#qos2?.receiving ?? []) this.#session.receiving.delete(packetId);
    }
    this.#connection.answered();
  }

  /** Records that a QoS 2 message is answered. */
  #received(packetId: number, reason: number): void {
    const session = this.#session;
    this.#qos2?.receiving.delete(packetId);
    session.receiving.delete(packetId);
    // MQTT 5, 4.3.3: a PUBREC of 0x80 or more ends the exchange.
    if (reason < 0x80) session.received.add(packetId);
    session.recovered.delete(packetId);
  }

  /** Answers all decided messages at the head of the queue in one write. */
  flush(): void {
    const count = this.#acks.ready();
    if (count === 0) return;
    // Acknowledgements before MQTT 5 have no reason code, so the buffer is usually filled exactly; `subarray` takes longer than writing them.
    const buffer = new Uint8Array(count * (this.#version === 5 ? ACK_BYTES_MAX : ACK_BYTES_MIN));
    let offset = 0;
    let received = false;
    for (let index = 0; index < count; index++) {
      const entry = this.#acks.shift();
      const kind = ((entry >>> 16) & 3) as AckKind;
      if (kind === 0) continue;
      const packetId = entry & 0xffff;
      const reason = this.#version === 5 ? entry >>> 24 : Reason.success;
      if (kind === 2) {
        this.#received(packetId, reason);
        received = true;
      }
      offset = writeAck(buffer, offset, headerOfAck[kind], packetId, reason);
    }
    if (received) this.#receivedChanged();
    if (offset > 0)
      this.#connection.output.write(offset === buffer.length ? buffer : buffer.subarray(0, offset));
  }
}

const bytesOf = ({ buffer, start, end }: PacketBody): Uint8Array => buffer.subarray(start, end);

/** Reads a topic. `topicStart` is the position after its two bytes of length. */
function topicText(buffer: Uint8Array, topicStart: number, topicLength: number): string {
  const topic = new PacketCursor(buffer, topicStart - 2, topicStart + topicLength).clientText();
  checkTopicName(topic);
  return topic;
}
