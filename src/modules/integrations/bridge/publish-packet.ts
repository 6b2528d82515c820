const utf8 = new TextDecoder("utf-8", { fatal: true });

export interface Publish {
  readonly topic: string;
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
  /** Sent before, perhaps. */
  readonly dup: boolean;
  /** Undefined for quality 0. */
  readonly messageId: number | undefined;
  readonly payload: Buffer;
}

class Cursor {
  at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(length: number): Buffer {
    if (this.at + length > this.#bytes.length)
      throw new Error("the broker sent a message that ends too early");
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }

  u16(): number {
    return this.take(2).readUInt16BE();
  }

  /** Seven bits a byte, the lowest first (MQTT 5, 1.5.5). */
  variable(): number {
    let value = 0;
    for (let scale = 1; scale <= 128 ** 3; scale *= 128) {
      const byte = this.take(1)[0] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new Error("the broker sent a length that is none");
  }

  rest(): Buffer {
    return this.#bytes.subarray(this.at);
  }
}

const qualities: readonly (0 | 1 | 2 | undefined)[] = [0, 1, 2, undefined];

/** A PUBLISH packet (MQTT 3.1.1 and 5, 3.3); of one that was cut, the payload's beginning. @throws Error on what is none. */
export function readPublish(bytes: Buffer, protocolVersion: 4 | 5): Publish {
  const cursor = new Cursor(bytes);
  const header = cursor.take(1)[0] ?? 0;
  const qos = qualities[(header >> 1) & 3];
  if (qos === undefined) throw new Error("the broker sent a message of quality 3");
  cursor.variable();
  const topic = utf8.decode(cursor.take(cursor.u16()));
  const messageId = qos === 0 ? undefined : cursor.u16();
  // Nothing in the properties is needed: no aliases were offered to the broker.
  if (protocolVersion === 5) cursor.take(cursor.variable());
  return {
    topic,
    qos,
    retain: (header & 1) !== 0,
    dup: (header & 8) !== 0,
    messageId,
    payload: cursor.rest(),
  };
}

const acknowledgements = { puback: 0x40, pubrec: 0x50, pubcomp: 0x70 } as const;

/** An acknowledgement without a reason, which means success in both versions. */
export const acknowledgement = (of: keyof typeof acknowledgements, messageId: number): Buffer =>
  Buffer.from([acknowledgements[of], 2, messageId >> 8, messageId & 0xff]);

/** Of PUBREL. */
export const messageIdOf = (bytes: Buffer): number => {
  const cursor = new Cursor(bytes);
  cursor.take(1);
  cursor.variable();
  return cursor.u16();
};
