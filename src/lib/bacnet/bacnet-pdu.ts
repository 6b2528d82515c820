/** Frames and messages of BACnet/IP (ASHRAE 135, clauses 20 and annex J) as far as a client that reads and writes needs them. */

import { detail } from "../core/domain-error.ts";
import { shortestFloat } from "../field/number-scaling.ts";
import { exactInteger } from "../json/exact-integer.ts";
import type { Text } from "../texts/text.ts";
import type { BacnetRef } from "./bacnet-objects.ts";

/** Received bytes that violate the standard. */
export class BacnetFormatError extends Error {
  constructor(readonly reason: Text = detail("bacnet_protocol.response")) {
    super(reason.code);
  }
}

/** Application tags. */
export const TAG = {
  none: 0,
  boolean: 1,
  unsigned: 2,
  signed: 3,
  real: 4,
  double: 5,
  octets: 6,
  text: 7,
  bits: 8,
  enumerated: 9,
  date: 10,
  time: 11,
  object: 12,
} as const;

/** Received value. Object identifiers are their 32 bits. Constructed values, and texts in unknown character sets, have no value. */
export interface BacnetData {
  readonly tag: number;
  readonly value: number | string | boolean | undefined;
}

/** Location of a device behind a router. */
export interface BacnetRoute {
  readonly network: number;
  /** Bytes of the address in that network. */
  readonly mac: Uint8Array;
}

const BACNET_IP = 0x81;
export const BVLC = {
  result: 0,
  forwarded: 4,
  register: 5,
  distribute: 9,
  unicast: 10,
  broadcast: 11,
} as const;
const ALL_NETWORKS = 0xffff;
const HOPS_MAX = 255;

const header = (kind: number, payload: Buffer): Buffer => {
  const head = Buffer.from([BACNET_IP, kind, 0, 0]);
  head.writeUInt16BE(payload.length + head.length, 2);
  return Buffer.concat([head, payload]);
};

/** Returns the message that registers the gateway at a BBMD, which forwards broadcasts for that time. */
export const registrationFrame = (seconds: number): Buffer =>
  header(BVLC.register, Buffer.from([seconds >> 8, seconds & 0xff]));

/** Returns the frame of a request to one device. */
export function requestFrame(apdu: Buffer, route: BacnetRoute | undefined): Buffer {
  const expectsReply = 0x04;
  if (route === undefined) return header(BVLC.unicast, Buffer.concat([Buffer.from([1, expectsReply]), apdu]));
  const { network, mac } = route;
  const target = Buffer.from([
    1,
    0x20 | expectsReply,
    network >> 8,
    network & 0xff,
    mac.length,
    ...mac,
    HOPS_MAX,
  ]);
  return header(BVLC.unicast, Buffer.concat([target, apdu]));
}

/** Returns the Who-Is message for a range of device numbers on all networks. */
export function whoIsFrame(kind: number, range: { readonly low: number; readonly high: number }): Buffer {
  const npdu = Buffer.from([1, 0x20, ALL_NETWORKS >> 8, ALL_NETWORKS & 0xff, 0, HOPS_MAX]);
  const numbers = [contextTag(0, unsigned(range.low)), contextTag(1, unsigned(range.high))];
  return header(kind, Buffer.concat([npdu, Buffer.from([0x10, 8]), ...numbers]));
}

export interface BacnetFrame {
  readonly kind: number;
  /** Address and port of the original sender of a forwarded frame. */
  readonly origin: { readonly host: string; readonly port: number } | undefined;
  readonly source: BacnetRoute | undefined;
  /** Message, or result code. */
  readonly apdu: Buffer;
  /** Network that a router reports as unreachable, instead of a message. */
  readonly unreachable?: number | undefined;
}

/** Network-layer message type of a router's rejection, and its reason code for an unknown network. */
const ROUTER_REJECTS = 3;
const NO_WAY = 1;

/** Parses a frame. Returns undefined for frames without a message for an application. @throws RangeError for a truncated frame */
export function parseFrame(bytes: Buffer): BacnetFrame | undefined {
  if (bytes.length < 6 || bytes[0] !== BACNET_IP || bytes.readUInt16BE(2) !== bytes.length) return undefined;
  const kind = bytes.readUInt8(1);
  if (kind === BVLC.result) return { kind, origin: undefined, source: undefined, apdu: bytes.subarray(4) };
  if (kind !== BVLC.forwarded && kind !== BVLC.unicast && kind !== BVLC.broadcast) return undefined;
  let offset = 4;
  let origin: BacnetFrame["origin"];
  if (kind === BVLC.forwarded) {
    origin = { host: bytes.subarray(4, 8).join("."), port: bytes.readUInt16BE(8) };
    offset = 10;
  }
  const control = bytes.readUInt8(offset + 1);
  if (bytes[offset] !== 1) return undefined;
  offset += 2;
  const isTargeted = (control & 0x20) !== 0;
  if (isTargeted) offset += 3 + bytes.readUInt8(offset + 2);
  let source: BacnetRoute | undefined;
  if ((control & 0x08) !== 0) {
    const length = bytes.readUInt8(offset + 2);
    source = { network: bytes.readUInt16BE(offset), mac: bytes.subarray(offset + 3, offset + 3 + length) };
    offset += 3 + length;
  }
  if (isTargeted) offset += 1;
  const apdu = bytes.subarray(offset);
  if ((control & 0x80) === 0) return { kind, origin, source, apdu };
  if (apdu[0] !== ROUTER_REJECTS || apdu[1] !== NO_WAY) return undefined;
  return { kind, origin, source, apdu: Buffer.alloc(0), unreachable: apdu.readUInt16BE(2) };
}

/** Returns a number in as few bytes as possible. */
function unsigned(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  const first = bytes.findIndex((byte) => byte !== 0);
  return bytes.subarray(first < 0 ? 7 : first);
}

const objectBytes = ({ type, instance }: Pick<BacnetRef, "type" | "instance">): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(((type << 22) | instance) >>> 0);
  return bytes;
};

const LONG = 5;

/** Encodes a tag with up to 253 bytes of content, or up to 65,535. */
function tagged(number: number, isContext: boolean, content: Buffer): Buffer {
  const { length } = content;
  const first = (number << 4) | (isContext ? 8 : 0) | Math.min(length, LONG);
  const more = length < LONG ? [] : length < 254 ? [length] : [254, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([first, ...more]), content]);
}

const contextTag = (number: number, content: Buffer): Buffer => tagged(number, true, content);
const opening = (number: number): Buffer => Buffer.from([(number << 4) | 0x0e]);
const closing = (number: number): Buffer => Buffer.from([(number << 4) | 0x0f]);

/** Returns the bytes of a value with its tag. @throws RangeError for a number outside of the range of the tag */
export function encodeData({ tag, value }: { tag: number; value: number | string | boolean | null }): Buffer {
  if (value === null) return Buffer.from([0]);
  if (typeof value === "boolean" && tag === TAG.boolean) return Buffer.from([0x10 | Number(value)]);
  if (tag === TAG.text) return tagged(tag, false, Buffer.from(`\0${value}`, "utf8"));
  const number = Number(value);
  if (tag === TAG.unsigned || tag === TAG.enumerated) return tagged(tag, false, unsigned(number));
  const bytes = Buffer.alloc(tag === TAG.double ? 8 : 4);
  if (tag === TAG.double) bytes.writeDoubleBE(number);
  else if (tag === TAG.real) bytes.writeFloatBE(number);
  else bytes.writeInt32BE(number);
  return tagged(tag, false, bytes);
}

export const SERVICE = {
  subscribeCov: 5,
  readProperty: 12,
  readPropertyMultiple: 14,
  writeProperty: 15,
} as const;

const indexTag = (number: number, { index }: BacnetRef): Buffer =>
  index === undefined ? Buffer.alloc(0) : contextTag(number, unsigned(index));
const refTags = (ref: BacnetRef): Buffer =>
  Buffer.concat([contextTag(0, objectBytes(ref)), contextTag(1, unsigned(ref.property)), indexTag(2, ref)]);

export const readPropertyBody = refTags;

export function readPropertyMultipleBody(refs: readonly BacnetRef[]): Buffer {
  const objects = Map.groupBy(refs, ({ type, instance }) => `${type}:${instance}`);
  return Buffer.concat(
    [...objects.values()].flatMap((own) => [
      contextTag(0, objectBytes(own[0] as BacnetRef)), // a group has a member
      opening(1),
      ...own.flatMap((ref) => [contextTag(0, unsigned(ref.property)), indexTag(1, ref)]),
      closing(1),
    ]),
  );
}

export const writePropertyBody = (ref: BacnetRef, data: Buffer, priority: number | undefined): Buffer =>
  Buffer.concat([
    refTags(ref),
    opening(3),
    data,
    closing(3),
    ...(priority === undefined ? [] : [contextTag(4, unsigned(priority))]),
  ]);

/** Process id of subscriptions of the gateway. Devices distinguish subscribers by address, too. */
const PROCESS = 1;

export const subscribeCovBody = (object: Pick<BacnetRef, "type" | "instance">, seconds: number): Buffer =>
  Buffer.concat([
    contextTag(0, unsigned(PROCESS)),
    contextTag(1, objectBytes(object)),
    contextTag(2, Buffer.from([0])), // without confirmation: what is lost is read at the next interval
    contextTag(3, unsigned(seconds)),
  ]);

/** Max. segments of a response. */
export const SEGMENTS_MAX = 64;
/** Max. bytes of a segment, which requests name. */
export const SEGMENT_BYTES_MAX = 1_476;

/** Bytes of a request before its content. */
export const REQUEST_HEAD = 4;

/** Returns the message of a request that accepts a segmented response. */
export const requestApdu = (invokeId: number, service: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x02, 0x65, invokeId, service]), body]);

/** Returns the acknowledgement of one segment, with a window of one: the device waits for it before the next segment. */
export const segmentAckApdu = (invokeId: number, sequence: number): Buffer =>
  Buffer.from([0x40, invokeId, sequence, 1]);

interface Tag {
  readonly number: number;
  readonly isContext: boolean;
  readonly kind: "value" | "open" | "close";
  /** Bytes of the content; for a boolean, its value. */
  readonly length: number;
}

/** Max. depth of constructed values. */
const DEPTH_MAX = 20;
/** Max. tags of a message, also of those that are looked at before they are read: two for each value. Takes some 5 ms. */
const TAGS_MAX = 16_000;

/** Reads the tags of a message. Checks every length before use. */
export class TagReader {
  readonly #bytes: Buffer;
  #offset = 0;
  #tags = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  #take(count: number): Buffer {
    const end = this.#offset + count;
    if (end > this.#bytes.length) throw new BacnetFormatError();
    const taken = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return taken;
  }

  #tag(): Tag {
    if (++this.#tags > TAGS_MAX) throw new BacnetFormatError(detail("bacnet_protocol.endless"));
    const [first = 0] = this.#take(1);
    const isContext = (first & 8) !== 0;
    const number = first >> 4 === 15 ? this.#take(1).readUInt8(0) : first >> 4;
    const low = first & 7;
    if (isContext && low > LONG) return { number, isContext, kind: low === 6 ? "open" : "close", length: 0 };
    if (low > LONG) throw new BacnetFormatError();
    let length = low;
    if (low === LONG) {
      length = this.#take(1).readUInt8(0);
      if (length === 254) length = this.#take(2).readUInt16BE(0);
      else if (length === 255) length = this.#take(4).readUInt32BE(0);
    }
    return { number, isContext, kind: "value", length };
  }

  /** Returns the next tag without reading it; undefined at the end. */
  #next(): Tag | undefined {
    if (this.isAtEnd) return undefined;
    const before = this.#offset;
    const tag = this.#tag();
    this.#offset = before;
    return tag;
  }

  #isNext(kind: Tag["kind"], number: number): boolean {
    const tag = this.#next();
    return tag?.isContext === true && tag.kind === kind && tag.number === number;
  }

  /** Skips an opening or closing tag. Returns whether there was one. */
  skip(kind: "open" | "close", number: number): boolean {
    const isThere = this.#isNext(kind, number);
    if (isThere) this.#tag();
    return isThere;
  }

  expect(kind: "open" | "close", number: number): void {
    if (!this.skip(kind, number)) throw new BacnetFormatError();
  }

  /** Reads the content of a context tag as a number. */
  context(number: number): number {
    if (!this.#isNext("value", number)) throw new BacnetFormatError();
    return uintOf(this.#take(this.#tag().length));
  }

  contextIfNext(number: number): number | undefined {
    return this.#isNext("value", number) ? this.context(number) : undefined;
  }

  object(number: number): Pick<BacnetRef, "type" | "instance"> {
    return objectOf(this.context(number));
  }

  /** Reads values up to the closing tag. */
  dataUntilClosing(number: number): BacnetData[] {
    const values: BacnetData[] = [];
    while (!this.skip("close", number)) values.push(this.data(0));
    return values;
  }

  data(depth = 0): BacnetData {
    const tag = this.#tag();
    if (depth > DEPTH_MAX || tag.kind === "close") throw new BacnetFormatError();
    if (tag.kind === "open") {
      while (!this.skip("close", tag.number)) this.data(depth + 1);
      return { tag: -1, value: undefined };
    }
    if (tag.isContext) {
      this.#take(tag.length);
      return { tag: -1, value: undefined };
    }
    if (tag.number === TAG.boolean) {
      if (tag.length > 1) throw new BacnetFormatError();
      return { tag: TAG.boolean, value: tag.length === 1 };
    }
    return { tag: tag.number, value: primitiveOf(tag.number, this.#take(tag.length)) };
  }
}

/** Decodes type and number of an object from the 32 bits of its identifier. */
export const objectOf = (bits: number): Pick<BacnetRef, "type" | "instance"> => ({
  type: bits >>> 22,
  instance: bits & 0x3f_ffff,
});

function uintOf(bytes: Buffer): number {
  if (bytes.length < 1 || bytes.length > 4) throw new BacnetFormatError();
  return bytes.readUIntBE(0, bytes.length);
}

function integerOf(bytes: Buffer, isSigned: boolean): number | string {
  if (bytes.length < 1 || bytes.length > 8) throw new BacnetFormatError();
  const raw = BigInt(`0x${bytes.toString("hex")}`);
  const bits = bytes.length * 8;
  return exactInteger(String(isSigned ? BigInt.asIntN(bits, raw) : raw));
}

/** Returns the text; undefined for an unsupported character set. The first byte identifies the set. */
function decodeText(bytes: Buffer): string | undefined {
  if (bytes.length === 0) throw new BacnetFormatError();
  const content = bytes.subarray(1);
  switch (bytes[0]) {
    case 0:
      return content.toString("utf8");
    case 4:
      return content.length % 2 === 0 ? Buffer.from(content).swap16().toString("utf16le") : undefined;
    case 5:
      return content.toString("latin1");
    default:
      return undefined;
  }
}

function bitsOf(bytes: Buffer): string {
  const [unused = 8] = bytes;
  if (unused > 7) throw new BacnetFormatError();
  const bits = [...bytes.subarray(1)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.slice(0, Math.max(0, bits.length - unused));
}

const ensureLength = (bytes: Buffer, length: number): void => {
  if (bytes.length !== length) throw new BacnetFormatError();
};
const two = (number: number): string => String(number).padStart(2, "0");

/** Returns the date or time; undefined if any part is unspecified. */
function dateOf(bytes: Buffer): string | undefined {
  const [year = 255, month = 255, day = 255] = bytes;
  return year === 255 || month > 12 || day > 31 ? undefined : `${1900 + year}-${two(month)}-${two(day)}`;
}
function timeOf(bytes: Buffer): string | undefined {
  const [hour = 255, minute = 255, second = 255, hundredths = 255] = bytes;
  if (hour > 23 || minute > 59 || second > 59 || hundredths > 99) return undefined;
  return `${two(hour)}:${two(minute)}:${two(second)}.${two(hundredths)}`;
}

const LENGTHS: Readonly<Record<number, number>> = {
  [TAG.none]: 0,
  [TAG.real]: 4,
  [TAG.double]: 8,
  [TAG.date]: 4,
  [TAG.time]: 4,
  [TAG.object]: 4,
};
const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);

function primitiveOf(tag: number, bytes: Buffer): BacnetData["value"] {
  const length = LENGTHS[tag];
  if (length !== undefined) ensureLength(bytes, length);
  switch (tag) {
    case TAG.unsigned:
      return integerOf(bytes, false);
    case TAG.signed:
      return integerOf(bytes, true);
    case TAG.real:
      return finite(shortestFloat(bytes.readFloatBE(0)));
    case TAG.double:
      return finite(bytes.readDoubleBE(0));
    case TAG.octets:
      return bytes.toString("hex");
    case TAG.text:
      return decodeText(bytes);
    case TAG.bits:
      return bitsOf(bytes);
    case TAG.enumerated:
    case TAG.object:
      return uintOf(bytes);
    case TAG.date:
      return dateOf(bytes);
    case TAG.time:
      return timeOf(bytes);
    default:
      return undefined;
  }
}

/** Values of a property, or the error code of its refusal by the device. */
export type BacnetRead = readonly BacnetData[] | number;

/** Reads an error, which has a class and a code. The code is sufficient. */
function errorCodeIn(reader: TagReader): number {
  reader.data();
  const { tag, value } = reader.data();
  if (tag !== TAG.enumerated || typeof value !== "number") throw new BacnetFormatError();
  return value;
}

export const parseError = (body: Buffer): number => errorCodeIn(new TagReader(body));

/** @throws BacnetFormatError */
export function parseReadProperty(body: Buffer, ref: BacnetRef): readonly BacnetData[] {
  const reader = new TagReader(body);
  const own = { ...reader.object(0), property: reader.context(1), index: reader.contextIfNext(2) };
  if (refKey(own) !== refKey(ref)) throw new BacnetFormatError(detail("bacnet_protocol.unexpected"));
  reader.expect("open", 3);
  return reader.dataUntilClosing(3);
}

/** Returns the key of a property in a response, whose order may differ from the request. */
export const refKey = ({
  type,
  instance,
  property,
  index,
}: Omit<BacnetRef, "index"> & { index?: number | undefined }) =>
  `${type}:${instance}:${property}:${index ?? ""}`;

/** Parses the values of a response, keyed by `refKey`. @throws BacnetFormatError */
export function parseReadPropertyMultiple(body: Buffer): ReadonlyMap<string, BacnetRead> {
  const reader = new TagReader(body);
  const reads = new Map<string, BacnetRead>();
  while (!reader.isAtEnd) {
    const object = reader.object(0);
    reader.expect("open", 1);
    while (!reader.skip("close", 1)) {
      const key = refKey({ ...object, property: reader.context(2), index: reader.contextIfNext(3) });
      if (reader.skip("open", 5)) {
        reads.set(key, errorCodeIn(reader));
        reader.expect("close", 5);
      } else {
        reader.expect("open", 4);
        reads.set(key, reader.dataUntilClosing(4));
      }
    }
  }
  return reads;
}

/** Returns the object of a change notification; undefined for other messages. @throws BacnetFormatError */
export function parseCovNotification(apdu: Buffer): Pick<BacnetRef, "type" | "instance"> | undefined {
  if (apdu[0] !== 0x10 || apdu[1] !== 2) return undefined;
  const reader = new TagReader(apdu.subarray(2));
  const process = reader.context(0);
  reader.context(1);
  return process === PROCESS ? reader.object(2) : undefined;
}

export interface IAm {
  readonly deviceInstance: number;
  readonly vendorId: number;
}

/** Returns number and vendor of a device from I-Am; undefined for other messages. @throws BacnetFormatError */
export function parseIAm(apdu: Buffer): IAm | undefined {
  if (apdu[0] !== 0x10 || apdu[1] !== 0) return undefined;
  const reader = new TagReader(apdu.subarray(2));
  const [object, , , vendor] = [reader.data(), reader.data(), reader.data(), reader.data()];
  if (object?.tag !== TAG.object || typeof object.value !== "number" || typeof vendor?.value !== "number")
    return undefined;
  return { deviceInstance: objectOf(object.value).instance, vendorId: vendor.value };
}
