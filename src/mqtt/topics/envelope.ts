import { PacketCursor } from "../../lib/mqtt/packet-cursor.ts";
import { noProperties, Properties, writeMessageProperties } from "../../lib/mqtt/properties.ts";

/**
 * Envelope of message properties in front of the payload, because the broker speaks 3.1.1: one byte 0 for none, or a byte 1, the expiry (epoch ms, 0
 * for never) and the properties as MQTT 5 encodes them. An empty payload without properties stays empty, because it clears a retained message.
 */
export interface Enveloped {
  readonly properties: Properties;
  /** Epoch ms; 0 for never. */
  readonly expiresAt: number;
  readonly payload: Uint8Array;
}

export function enclose(payload: Uint8Array, properties: Properties, now: number): Buffer {
  if (payload.length === 0 && properties.empty) return Buffer.alloc(0);
  if (properties.empty) {
    const bytes = Buffer.allocUnsafe(payload.length + 1);
    bytes[0] = 0;
    bytes.set(payload, 1);
    return bytes;
  }
  const head = Buffer.alloc(9);
  head[0] = 1;
  const expiry = properties.number(0x02);
  head.writeDoubleLE(expiry === undefined ? 0 : now + expiry * 1000, 1);
  return Buffer.concat([head, writeMessageProperties(properties), payload]);
}

export function open(bytes: Uint8Array): Enveloped {
  if (bytes.length === 0 || bytes[0] === 0)
    return { properties: noProperties, expiresAt: 0, payload: bytes.subarray(1) };
  const expiresAt = new DataView(bytes.buffer, bytes.byteOffset).getFloat64(1, true);
  const cursor = new PacketCursor(bytes, 9);
  const properties = Properties.readWritten(cursor);
  return { properties, expiresAt, payload: cursor.rest() };
}
