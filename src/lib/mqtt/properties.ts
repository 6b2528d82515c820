import type { PacketCursor } from "./packet-cursor.ts";
import { malformed, protocolError } from "./reason.ts";
import { checkTopicName } from "./topic-filters.ts";

/** Property identifiers of MQTT 5 (2.2.2.2) for packets of clients. */
export const Property = {
  payloadFormatIndicator: 0x01,
  messageExpiryInterval: 0x02,
  contentType: 0x03,
  responseTopic: 0x08,
  correlationData: 0x09,
  subscriptionIdentifier: 0x0b,
  sessionExpiryInterval: 0x11,
  authenticationMethod: 0x15,
  authenticationData: 0x16,
  requestProblemInformation: 0x17,
  willDelayInterval: 0x18,
  requestResponseInformation: 0x19,
  reasonString: 0x1f,
  receiveMaximum: 0x21,
  topicAliasMaximum: 0x22,
  topicAlias: 0x23,
  userProperty: 0x26,
  maximumPacketSize: 0x27,
} as const;

type PropertyValue = number | string | Uint8Array;
type Reader = (cursor: PacketCursor) => PropertyValue;

function topicName(cursor: PacketCursor): string {
  const topic = cursor.text();
  checkTopicName(topic);
  return topic;
}

const readers: ReadonlyMap<number, Reader> = new Map<number, Reader>([
  [Property.payloadFormatIndicator, (cursor) => cursor.u8()],
  [Property.messageExpiryInterval, (cursor) => cursor.u32()],
  [Property.contentType, (cursor) => cursor.text()],
  [Property.responseTopic, topicName],
  [Property.correlationData, (cursor) => cursor.binary().slice()],
  [Property.subscriptionIdentifier, (cursor) => cursor.varint()],
  [Property.sessionExpiryInterval, (cursor) => cursor.u32()],
  [Property.authenticationMethod, (cursor) => cursor.text()],
  [Property.authenticationData, (cursor) => cursor.binary().slice()],
  [Property.requestProblemInformation, (cursor) => cursor.u8()],
  [Property.willDelayInterval, (cursor) => cursor.u32()],
  [Property.requestResponseInformation, (cursor) => cursor.u8()],
  [Property.reasonString, (cursor) => cursor.text()],
  [Property.receiveMaximum, (cursor) => cursor.u16()],
  [Property.topicAliasMaximum, (cursor) => cursor.u16()],
  [Property.topicAlias, (cursor) => cursor.u16()],
  [Property.maximumPacketSize, (cursor) => cursor.u32()],
]);

const MESSAGE = [0x01, 0x02, 0x03, 0x08, 0x09, 0x26];

/** Allowed properties by packet. */
export const allowedIn = {
  connect: new Set([0x11, 0x15, 0x16, 0x17, 0x19, 0x21, 0x22, 0x26, 0x27]),
  will: new Set([...MESSAGE, 0x18]),
  publish: new Set([...MESSAGE, 0x0b, 0x23]),
  acknowledge: new Set([0x1f, 0x26]),
  subscribe: new Set([0x0b, 0x26]),
  unsubscribe: new Set([0x26]),
  disconnect: new Set([0x11, 0x1f, 0x26]),
};

const flags: ReadonlySet<number> = new Set([
  Property.payloadFormatIndicator,
  Property.requestProblemInformation,
  Property.requestResponseInformation,
]);
const notZero: ReadonlySet<number> = new Set([
  Property.receiveMaximum,
  Property.maximumPacketSize,
  Property.subscriptionIdentifier,
]);

/** Checks the rest of a user property and the following ones. */
function readUserProperties(section: PacketCursor): void {
  do {
    section.text();
    section.text();
  } while (section.skip(Property.userProperty));
}

/** Properties of one packet. */
export class Properties {
  /** Property identifier → value. */
  readonly #values = new Map<number, PropertyValue>();
  /** Encoded runs of user properties. Only receivers read them, and a message may have thousands. */
  readonly #user: Uint8Array[] = [];

  static read(cursor: PacketCursor, allowed: ReadonlySet<number>): Properties {
    const properties = new Properties();
    const length = cursor.varint();
    if (length === 0) return properties;
    const section = cursor.section(length);
    while (!section.done) properties.#readOne(section, allowed, readUserProperties);
    // MQTT 5, 3.1.2.11.10
    if (properties.has(Property.authenticationData) && !properties.has(Property.authenticationMethod))
      throw protocolError("authentication data without a method");
    return properties;
  }

  /** Reads the output of `writeMessageProperties`: user properties are last and were checked. */
  static readWritten(cursor: PacketCursor): Properties {
    const properties = new Properties();
    const section = cursor.section(cursor.varint());
    while (!section.done) properties.#readOne(section, allowedIn.publish, (rest) => rest.rest());
    return properties;
  }

  number(id: number): number | undefined {
    const value = this.#values.get(id);
    return typeof value === "number" ? value : undefined;
  }

  has(id: number): boolean {
    return this.#values.has(id);
  }

  get empty(): boolean {
    return this.#values.size === 0 && this.#user.length === 0;
  }

  get user(): readonly Uint8Array[] {
    return this.#user;
  }

  value(id: number): PropertyValue | undefined {
    return this.#values.get(id);
  }

  #readOne(
    section: PacketCursor,
    allowed: ReadonlySet<number>,
    readUser: (section: PacketCursor) => void,
  ): void {
    const { position } = section;
    const id = section.varint();
    if (id === Property.userProperty && allowed.has(id)) {
      readUser(section);
      this.#user.push(section.since(position).slice());
      return;
    }
    const reader = readers.get(id);
    if (reader === undefined || !allowed.has(id)) throw malformed("property does not belong to this packet");
    if (this.#values.has(id)) throw protocolError("property given twice");
    const value = reader(section);
    if (flags.has(id) && value !== 0 && value !== 1) throw protocolError("property must be 0 or 1");
    if (notZero.has(id) && value === 0) throw protocolError("property must not be 0");
    this.#values.set(id, value);
  }
}

export const noProperties = new Properties();

const utf8 = new TextEncoder();

class PropertyWriter {
  readonly #bytes: number[] = [];

  u8(value: number): this {
    this.#bytes.push(value & 255);
    return this;
  }

  u16(value: number): this {
    return this.u8(value >> 8).u8(value);
  }

  u32(value: number): this {
    return this.u16(value >>> 16).u16(value);
  }

  varint(value: number): this {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.u8((rest & 127) | 128);
    return this.u8(rest);
  }

  binary(bytes: Uint8Array): this {
    this.u16(bytes.length);
    for (const byte of bytes) this.#bytes.push(byte);
    return this;
  }

  text(text: string): this {
    return this.binary(utf8.encode(text));
  }

  /** Returns the properties with their length in front, followed by `rest`. */
  finish(rest: readonly Uint8Array[]): Uint8Array {
    const restBytes = rest.reduce((sum, { length }) => sum + length, 0);
    const length = new PropertyWriter().varint(this.#bytes.length + restBytes);
    return Buffer.concat([Uint8Array.from(length.#bytes), Uint8Array.from(this.#bytes), ...rest]);
  }
}

const carried = [
  Property.payloadFormatIndicator,
  Property.contentType,
  Property.responseTopic,
  Property.correlationData,
];

/** Properties added by the server for one receiver. */
export interface AddedProperties {
  readonly expirySeconds?: number | undefined;
  readonly subscriptionIds?: readonly number[];
  readonly topicAlias?: number | undefined;
}

/** Writes the properties of a message from its sender to its receivers, and those added by the server for one receiver. */
export function writeMessageProperties(properties: Properties, added: AddedProperties = {}): Uint8Array {
  const writer = new PropertyWriter();
  for (const id of carried) {
    const value = properties.value(id);
    if (typeof value === "number") writer.u8(id).u8(value);
    else if (typeof value === "string") writer.u8(id).text(value);
    else if (value !== undefined) writer.u8(id).binary(value);
  }
  if (added.expirySeconds !== undefined) writer.u8(Property.messageExpiryInterval).u32(added.expirySeconds);
  if (added.topicAlias !== undefined) writer.u8(Property.topicAlias).u16(added.topicAlias);
  for (const id of added.subscriptionIds ?? []) writer.u8(Property.subscriptionIdentifier).varint(id);
  return writer.finish(properties.user);
}
