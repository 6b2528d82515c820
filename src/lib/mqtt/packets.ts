import type { PacketCursor } from "./packet-cursor.ts";
import { allowedIn, noProperties, Properties, Property } from "./properties.ts";
import { malformed, ProtocolError, protocolError, Reason } from "./reason.ts";
import { checkTopicName } from "./topic-filters.ts";

/** Strict decoders of packets of a peer. mqtt-packet reads too leniently for hostile input, so it only writes. */
export type ProtocolVersion = 3 | 4 | 5;
export type Qos = 0 | 1 | 2;

export interface Will {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly delaySeconds: number;
  readonly properties: Properties;
}

export interface ConnectPacket {
  readonly version: ProtocolVersion;
  /** True for a broker that connects as a bridge: it does not get its own messages back, and gets others with their retain flag. */
  readonly isBridge?: boolean;
  readonly clean: boolean;
  readonly keepAliveSeconds: number;
  readonly clientId: string;
  readonly will: Will | undefined;
  readonly username: string | undefined;
  readonly password: Uint8Array | undefined;
  readonly properties: Properties;
}

export interface Subscription {
  readonly topic: string;
  readonly qos: Qos;
  readonly noLocal: boolean;
  readonly retainAsPublished: boolean;
  readonly retainHandling: number;
  /** Subscription identifier of MQTT 5; 0 for none. */
  readonly identifier: number;
}

const VERSIONS: ReadonlyMap<string, ProtocolVersion> = new Map([
  ["MQIsdp\u0003", 3],
  ["MQTT\u0004", 4],
  ["MQTT\u0005", 5],
]);

/** Set in the protocol level by bridges of Mosquitto and others (`try_private`). The other bits are the level of 3.1 or 3.1.1. */
const BRIDGE_BIT = 0x80;

/**
 * Reads the protocol name and level of a CONNECT.
 * @throws ProtocolError `unsupportedVersion` with the level of the client
 */
export function readVersion(cursor: PacketCursor): { version: ProtocolVersion; isBridge: boolean } {
  const name = cursor.text();
  if (name !== "MQTT" && name !== "MQIsdp") throw protocolError("not an MQTT client");
  const level = cursor.u8();
  const isBridge = level >= BRIDGE_BIT;
  const version = VERSIONS.get(name + String.fromCharCode(level & ~BRIDGE_BIT));
  if (version === undefined || (isBridge && version === 5)) throw new UnsupportedVersion(level);
  return { version, isBridge };
}

/** Unsupported protocol level of a client. */
export class UnsupportedVersion extends ProtocolError {
  readonly level: number;

  constructor(level: number) {
    super(Reason.unsupportedVersion, "unsupported protocol version");
    this.level = level;
  }
}

function qosOf(bits: number): Qos {
  if (bits === 0 || bits === 1 || bits === 2) return bits;
  throw malformed("QoS 3 does not exist");
}

interface ConnectFlags {
  readonly clean: boolean;
  readonly will: boolean;
  readonly willQos: Qos;
  readonly willRetain: boolean;
  readonly password: boolean;
  readonly username: boolean;
}

function readFlags(bits: number, version: ProtocolVersion): ConnectFlags {
  // MQTT 3.1 does not use the bit.
  if ((bits & 1) !== 0 && version > 3) throw malformed("reserved connect flag is set");
  const flags = {
    clean: (bits & 0x02) !== 0,
    will: (bits & 0x04) !== 0,
    willQos: qosOf((bits >> 3) & 3),
    willRetain: (bits & 0x20) !== 0,
    password: (bits & 0x40) !== 0,
    username: (bits & 0x80) !== 0,
  };
  if (!flags.will && (flags.willQos !== 0 || flags.willRetain)) throw malformed("will flags without a will");
  // 3.1.1, 3.1.2.9; MQTT 5 allows a password alone.
  if (version < 5 && flags.password && !flags.username) throw malformed("password without a user name");
  return flags;
}

/** Reads a CONNECT after the protocol level. `isBridge` is from the level. */
export function readConnect(cursor: PacketCursor, version: ProtocolVersion, isBridge = false): ConnectPacket {
  const flags = readFlags(cursor.u8(), version);
  const keepAliveSeconds = cursor.u16();
  const properties = version === 5 ? Properties.read(cursor, allowedIn.connect) : noProperties;
  const clientId = cursor.clientText();
  const will = flags.will ? readWill(cursor, flags, version) : undefined;
  const username = flags.username ? cursor.clientText() : undefined;
  const password = flags.password ? cursor.binary().slice() : undefined;
  cursor.end();
  const { clean } = flags;
  return { version, isBridge, clean, keepAliveSeconds, clientId, will, username, password, properties };
}

function readWill(cursor: PacketCursor, flags: ConnectFlags, version: ProtocolVersion): Will {
  const properties = version === 5 ? Properties.read(cursor, allowedIn.will) : noProperties;
  const topic = cursor.clientText();
  checkTopicName(topic);
  const payload = cursor.binary().slice();
  const delaySeconds = properties.number(Property.willDelayInterval) ?? 0;
  return { topic, payload, qos: flags.willQos, retain: flags.willRetain, delaySeconds, properties };
}

export interface SubscribePacket {
  readonly packetId: number;
  readonly subscriptions: Subscription[];
}

export function readSubscribe(cursor: PacketCursor, version: ProtocolVersion): SubscribePacket {
  const packetId = cursor.packetId();
  const properties = version === 5 ? Properties.read(cursor, allowedIn.subscribe) : noProperties;
  const identifier = properties.number(Property.subscriptionIdentifier) ?? 0;
  const subscriptions: Subscription[] = [];
  do {
    const topic = cursor.clientText();
    const options = cursor.u8();
    if ((options & (version === 5 ? 0xc0 : 0xfc)) !== 0) throw malformed("reserved subscription options");
    const retainHandling = (options >> 4) & 3;
    if (retainHandling === 3) throw protocolError("retain handling 3 does not exist");
    subscriptions.push({
      topic,
      qos: qosOf(options & 3),
      noLocal: (options & 4) !== 0,
      retainAsPublished: (options & 8) !== 0,
      retainHandling,
      identifier,
    });
  } while (!cursor.done);
  return { packetId, subscriptions };
}

export interface UnsubscribePacket {
  readonly packetId: number;
  readonly topics: string[];
}

export function readUnsubscribe(cursor: PacketCursor, version: ProtocolVersion): UnsubscribePacket {
  const packetId = cursor.packetId();
  if (version === 5) Properties.read(cursor, allowedIn.unsubscribe);
  const topics: string[] = [];
  do topics.push(cursor.clientText());
  while (!cursor.done);
  return { packetId, topics };
}

export interface Acknowledgement {
  readonly packetId: number;
  readonly reason: number;
}

/** Reads a PUBACK, PUBREC, PUBREL or PUBCOMP. */
export function readAcknowledgement(cursor: PacketCursor, version: ProtocolVersion): Acknowledgement {
  const packetId = cursor.packetId();
  if (version < 5 || cursor.done) {
    cursor.end();
    return { packetId, reason: Reason.success };
  }
  const reason = cursor.u8();
  if (!cursor.done) Properties.read(cursor, allowedIn.acknowledge);
  cursor.end();
  return { packetId, reason };
}

export interface DisconnectPacket {
  readonly reason: number;
  readonly sessionExpirySeconds: number | undefined;
}

export function readDisconnect(cursor: PacketCursor, version: ProtocolVersion): DisconnectPacket {
  if (version < 5 || cursor.done) {
    cursor.end();
    return { reason: Reason.success, sessionExpirySeconds: undefined };
  }
  const reason = cursor.u8();
  const properties = cursor.done ? noProperties : Properties.read(cursor, allowedIn.disconnect);
  cursor.end();
  return { reason, sessionExpirySeconds: properties.number(Property.sessionExpiryInterval) };
}

/** Message delivered by a broker. */
export interface PublishPacket {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly duplicate: boolean;
  /** 0 for QoS 0. */
  readonly packetId: number;
}

/** Reads a PUBLISH of a broker. Skips the properties of MQTT 5. */
export function readPublish(
  header: number,
  cursor: PacketCursor,
  version: ProtocolVersion = 4,
): PublishPacket {
  const qos = qosOf((header >> 1) & 3);
  const topic = cursor.text();
  const packetId = qos === 0 ? 0 : cursor.packetId();
  if (version === 5) cursor.take(cursor.varint());
  return {
    topic,
    payload: cursor.rest(),
    qos,
    retain: (header & 1) !== 0,
    duplicate: (header & 8) !== 0,
    packetId,
  };
}

export function readPublishProperties(cursor: PacketCursor): Properties {
  const properties = Properties.read(cursor, allowedIn.publish);
  // MQTT 5, 3.3.4: only a server sends it.
  if (properties.has(Property.subscriptionIdentifier)) throw protocolError("subscription identifier");
  return properties;
}
