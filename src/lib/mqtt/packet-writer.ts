import { generate, type Packet } from "mqtt-packet";
import type { ProtocolVersion, PublishPacket, Qos } from "./packets.ts";
import { connackReturnCode, Reason } from "./reason.ts";

/** Packets of the server: frequent ones are encoded here, others by mqtt-packet. */
export const pingResponse = new Uint8Array([0xd0, 0]);

const encode = (packet: Packet, version: ProtocolVersion): Uint8Array =>
  generate(packet, { protocolVersion: version });

export interface ConnackProperties {
  readonly sessionExpiryInterval?: number;
  readonly receiveMaximum?: number;
  readonly maximumPacketSize?: number;
  readonly assignedClientIdentifier?: string;
  readonly serverKeepAlive?: number;
  readonly topicAliasMaximum?: number;
  readonly sharedSubscriptionAvailable?: boolean;
}

export function connack(
  version: ProtocolVersion,
  reason: number,
  sessionPresent = false,
  properties: ConnackProperties = {},
): Uint8Array {
  if (version === 5) return encode({ cmd: "connack", reasonCode: reason, sessionPresent, properties }, 5);
  return new Uint8Array([0x20, 2, sessionPresent && version === 4 ? 1 : 0, connackReturnCode(reason)]);
}

export function suback(version: ProtocolVersion, packetId: number, granted: number[]): Uint8Array {
  const codes = version === 5 ? granted : granted.map((code) => (code > 2 ? 0x80 : code));
  return encode({ cmd: "suback", messageId: packetId, granted: codes }, version);
}

export function unsuback(version: ProtocolVersion, packetId: number, codes: number[]): Uint8Array {
  if (version === 5) return encode({ cmd: "unsuback", messageId: packetId, granted: codes }, 5);
  return new Uint8Array([0xb0, 2, packetId >> 8, packetId & 255]);
}

export const disconnect = (reason: number): Uint8Array => new Uint8Array([0xe0, 1, reason]);

export const PUBACK = 0x40;
export const PUBREC = 0x50;
export const PUBREL = 0x62;
export const PUBCOMP = 0x70;

export const headerOfAck: Readonly<Record<Qos, number>> = { 0: 0, 1: PUBACK, 2: PUBREC };

/** Min. and max. bytes of `writeAck`. */
export const ACK_BYTES_MIN = 4;
export const ACK_BYTES_MAX = 5;

/** Writes one acknowledgement at an offset and returns its end. Only MQTT 5 has a reason, which is written unless it is success. */
export function writeAck(
  buffer: Uint8Array,
  offset: number,
  header: number,
  packetId: number,
  reason: number,
): number {
  const length = reason === Reason.success ? 2 : 3;
  buffer[offset] = header;
  buffer[offset + 1] = length;
  buffer[offset + 2] = packetId >> 8;
  buffer[offset + 3] = packetId & 255;
  if (length === 3) buffer[offset + 4] = reason;
  return offset + 2 + length;
}

export function acknowledgement(
  header: number,
  packetId: number,
  reason: number = Reason.success,
): Uint8Array {
  const bytes = new Uint8Array(reason === Reason.success ? 4 : 5);
  writeAck(bytes, 0, header, packetId, reason);
  return bytes;
}

const utf8 = new TextEncoder();

/** @param properties with their length in front, as in MQTT 5; empty for 3.1 and 3.1.1 */
export function publish(message: PublishPacket, properties: Uint8Array): Uint8Array {
  const topic = utf8.encode(message.topic);
  const idBytes = message.qos > 0 ? 2 : 0;
  const length = 2 + topic.length + idBytes + properties.length + message.payload.length;
  const lengthBytes = length < 128 ? 1 : length < 16_384 ? 2 : length < 2_097_152 ? 3 : 4;
  const bytes = new Uint8Array(1 + lengthBytes + length);
  bytes[0] = 0x30 | (message.duplicate ? 8 : 0) | (message.qos << 1) | (message.retain ? 1 : 0);
  let offset = 1;
  for (let rest = length, index = 0; index < lengthBytes; index++, rest >>= 7) {
    bytes[offset++] = index === lengthBytes - 1 ? rest : (rest & 127) | 128;
  }
  bytes[offset++] = topic.length >> 8;
  bytes[offset++] = topic.length & 255;
  bytes.set(topic, offset);
  offset += topic.length;
  if (idBytes > 0) {
    bytes[offset++] = message.packetId >> 8;
    bytes[offset++] = message.packetId & 255;
  }
  bytes.set(properties, offset);
  bytes.set(message.payload, offset + properties.length);
  return bytes;
}
