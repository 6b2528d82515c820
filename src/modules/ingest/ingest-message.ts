import { invalid } from "../../lib/core/domain-error.ts";
import { type BodyEncoding, decodeBody } from "../../lib/json/body.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import type { NoteLeftOut } from "../../lib/json/sent-json.ts";
import { CLOCK_SET_FROM_MS, HELD_MS_MAX, readEpoch } from "../../lib/time/timestamp.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import type { IngestDevice, IngestSource, MessageKind, PacketBody, Rejection } from "./ingest.types.ts";
import type { MessageShape, ShapeMemory } from "./message-shapes.types.ts";
import { toBatchReadings, toReadings } from "./readings.ts";

/*
 * A device sends the same keys in the same order in each message; only the numbers differ. The text between the numbers is the shape of the message.
 * Comparing a message with the previous shape and reading its numbers takes less than half the time of decoding, JSON.parse and checking the result.
 * Messages of another shape are decoded normally.
 */

const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

const BYTES_MAX = 2_048;
const KEYS_MAX = 64;
/** Max. shapes shared by devices; more would also keep those of rarely sending devices. */
const SHAPES_MAX = 1_000;
/** One in this many messages with an unexpected shape is examined for a new shape. */
const MISSES_PER_TRY = 16;
/** Max. digits of an exact integer, whose quotient by a power of ten is rounded only once. */
const DIGITS_MAX = 15;
const POWERS_OF_TEN = Float64Array.from({ length: DIGITS_MAX + 1 }, (_, exponent) => 10 ** exponent);
/** Names that are not ordinary properties, or would not keep their order. */
const SPECIAL_KEY = /^(?:__proto__|\d.*)$/;
/** Names with a meaning outside envelopes. */
const ENVELOPE_KEYS: ReadonlySet<string> = new Set(["ts", "values", "telemetry", "payload"]);

/** Device with the shape of its messages. */
interface ShapedDevice {
  shapes?: ShapeMemory;
}

/** Position after the last number; 0 if there was none. */
let next = 0;

/** Reads a JSON number of at most 15 digits without exponent; sets `next`. */
function readNumber(bytes: Uint8Array, start: number): number {
  next = 0;
  let offset = bytes[start] === MINUS ? start + 1 : start;
  const first = offset;
  let digits = 0;
  let byte = bytes[offset]!;
  while (byte >= ZERO && byte <= NINE) {
    digits = digits * 10 + (byte - ZERO);
    byte = bytes[++offset]!;
  }
  const whole = offset - first;
  if (whole === 0 || (whole > 1 && bytes[first] === ZERO)) return 0;
  let decimals = 0;
  if (byte === DOT) {
    const point = offset;
    byte = bytes[++offset]!;
    while (byte >= ZERO && byte <= NINE) {
      digits = digits * 10 + (byte - ZERO);
      byte = bytes[++offset]!;
    }
    decimals = offset - point - 1;
    if (decimals === 0) return 0;
  }
  if (whole + decimals > DIGITS_MAX) return 0;
  next = offset;
  const value = decimals === 0 ? digits : digits / POWERS_OF_TEN[decimals]!;
  return first > start ? -value : value;
}

/** Returns the end of the text if the bytes contain it at `start`, otherwise -1. */
function skipText(bytes: Uint8Array, start: number, text: Uint8Array): number {
  const { length } = text;
  for (let index = 0; index < length; index++) if (bytes[start + index] !== text[index]) return -1;
  return start + length;
}

/** Returns a timestamp as epoch ms; undefined if not accepted. */
function stampOf(sentAt: number, now: number): number | undefined {
  if (sentAt >= CLOCK_SET_FROM_MS && sentAt <= now) return Math.round(sentAt);
  const ts = readEpoch(sentAt, now, HELD_MS_MAX);
  return typeof ts === "number" ? ts : undefined;
}

/** Returns the reading of a message with the shape; undefined for any other, or an unaccepted timestamp. */
function readAs({ texts, keys, hasTs }: MessageShape, body: PacketBody, now: number): Reading | undefined {
  const { buffer: bytes, end } = body;
  let offset = skipText(bytes, body.start, texts[0]!);
  if (offset < 0) return undefined;
  let sentAt = now;
  let text = 1;
  if (hasTs) {
    sentAt = readNumber(bytes, offset);
    if (next === 0) return undefined;
    offset = skipText(bytes, next, texts[text++]!);
    if (offset < 0) return undefined;
  }
  const values: Record<string, number> = {};
  for (let index = 0; index < keys.length; index++) {
    const value = readNumber(bytes, offset);
    if (next === 0) return undefined;
    values[keys[index]!] = value;
    offset = skipText(bytes, next, texts[text++]!);
    if (offset < 0) return undefined;
  }
  // A number that continues beyond the body, into the next packet, does not end here.
  if (offset !== end) return undefined;
  const ts = hasTs ? stampOf(sentAt, now) : now;
  return ts === undefined ? undefined : { ts, values };
}

/** Optional timestamp of an envelope, up to the first key, with JSON's white space. */
const HEAD =
  /[ \t\r\n]*\{[ \t\r\n]*(?:"ts"[ \t\r\n]*:[ \t\r\n]*(\d+)[ \t\r\n]*,[ \t\r\n]*"values"[ \t\r\n]*:[ \t\r\n]*\{[ \t\r\n]*)?/dy;
/** Key of plain ASCII with a number. */
const PAIR = /"([ !#-[\]-~]+)"[ \t\r\n]*:[ \t\r\n]*(-?[\d.]+)[ \t\r\n]*([,}])[ \t\r\n]*/dy;
/** End of an envelope after its values. */
const ENVELOPE_END = /^\}[ \t\r\n]*$/;

/** Returns the texts between the numbers with these bounds. */
function textsAround(bytes: Uint8Array, numbers: ReadonlyArray<readonly [number, number]>): Uint8Array[] {
  const starts = [0, ...numbers.map(([, end]) => end)];
  return starts.map((start, index) => bytes.slice(start, numbers[index]?.[0] ?? bytes.length));
}

/** Returns the shape of a message like `{"ts":1,"values":{"a":1}}` or `{"a":1}`; undefined for any other. The message must be valid JSON. */
function learn(bytes: Uint8Array): MessageShape | undefined {
  if (bytes.length > BYTES_MAX) return undefined;
  const text = Buffer.from(bytes).toString("latin1");
  HEAD.lastIndex = 0;
  const ts = HEAD.exec(text)?.indices?.[1];
  const hasTs = ts !== undefined;
  const numbers = hasTs ? [ts] : [];
  const keys: string[] = [];
  PAIR.lastIndex = HEAD.lastIndex;
  for (let end: string | undefined; end !== "}"; ) {
    const pair = PAIR.exec(text);
    const number = pair?.indices?.[2];
    if (pair === null || number === undefined || keys.length === KEYS_MAX) return undefined;
    keys.push(pair[1] ?? "");
    numbers.push(number);
    end = pair[3];
  }
  const rest = text.slice(PAIR.lastIndex);
  if (hasTs ? !ENVELOPE_END.test(rest) : rest !== "") return undefined;
  const isOrdinary = (key: string) => !SPECIAL_KEY.test(key) && (hasTs || !ENVELOPE_KEYS.has(key));
  if (new Set(keys).size < keys.length || !keys.every(isOrdinary)) return undefined;
  return { texts: textsAround(bytes, numbers), keys, hasTs };
}

/** Parses messages by the shape of earlier ones. */
export class MessageShapes {
  /** Shapes by their texts, so that similar devices share them. */
  readonly #shapes = new Map<string, MessageShape>();

  /** Returns the reading of a message with the shape of an earlier one of its device; undefined if it must be parsed fully. */
  read({ shapes }: ShapedDevice, body: PacketBody, now: number): Reading | undefined {
    return shapes?.shape === undefined ? undefined : readAs(shapes.shape, body, now);
  }

  /** Records a message that was parsed fully and accepted. */
  missed(device: ShapedDevice, bytes: Uint8Array): void {
    device.shapes ??= { shape: undefined, misses: 0 };
    if (device.shapes.misses++ % MISSES_PER_TRY !== 0) return;
    const shape = learn(bytes);
    if (shape !== undefined) device.shapes.shape = this.#shared(shape) ?? device.shapes.shape;
  }

  #shared(shape: MessageShape): MessageShape | undefined {
    const text = shape.texts.map((part) => Buffer.from(part).toString("latin1")).join("\0");
    if (this.#shapes.size < SHAPES_MAX && !this.#shapes.has(text)) this.#shapes.set(text, shape);
    return this.#shapes.get(text);
  }
}

/** Received message of a device, with the bytes of its body. */
export interface Message extends PacketBody {
  readonly kind: MessageKind;
  readonly encoding: BodyEncoding;
  readonly source: IngestSource;
}

/** Message with its time of receipt (epoch ms). */
export interface Received {
  readonly message: Message;
  readonly now: number;
}

/** Context for parsing a message: time of receipt, and a listener for omitted or converted values. */
export interface Reception {
  readonly now: number;
  readonly note: NoteLeftOut;
}

export type MessageOrigin = Pick<Rejection, "source" | "where" | "sample">;

/** Returns a message of a separate body. */
export const messageOf = (
  kind: MessageKind,
  buffer: Uint8Array,
  { encoding, source }: Pick<Message, "encoding" | "source">,
): Message => ({ kind, buffer, start: 0, end: buffer.length, encoding, source });

const bytesOf = ({ buffer, start, end }: Message): Uint8Array => buffer.subarray(start, end);

/** Returns a message's body as a JavaScript value. @throws DomainError `invalid` */
export const bodyOf = (message: Message, note?: NoteLeftOut): unknown =>
  decodeBody(bytesOf(message), message.encoding, note);

/** Returns the name of a body's source in the list of refused messages. */
export function whereOf({ kind, source }: Pick<Message, "kind" | "source">): string {
  if (source !== "http") return `v1/devices/me/${kind}`;
  return kind === "batch" ? "/telemetry/batch" : `/${kind}`;
}

export const originOf = (message: Message): MessageOrigin => ({
  source: message.source,
  where: whereOf(message),
  sample: bytesOf(message),
});

const isEmptyObject = (body: unknown): boolean => isJsonObject(body) && Object.keys(body).length === 0;

/** Returns the readings of a message; none for an empty object. */
export function readingsOf(
  { kind, source }: Message,
  decoded: unknown,
  { now, note }: Reception,
): readonly Reading[] {
  if (source === "http") checkPayload(decoded);
  try {
    return kind === "batch"
      ? toBatchReadings(batchOf(decoded), now, { note })
      : toReadings(decoded, now, { note });
  } catch (error) {
    if (kind === "telemetry" && isEmptyObject(decoded)) return [];
    throw error;
  }
}

/** Creates a function that parses a message by the shape of earlier ones of its device, or fully. */
export function createMessageReader() {
  const shapes = new MessageShapes();
  return (device: IngestDevice, message: Message, reception: Reception): readonly Reading[] => {
    const isTelemetry = message.kind === "telemetry";
    const reading = isTelemetry ? shapes.read(device, message, reception.now) : undefined;
    if (reading !== undefined) return [reading];
    const readings = readingsOf(message, bodyOf(message, reception.note), reception);
    if (isTelemetry && readings.length === 1) shapes.missed(device, bytesOf(message));
    return readings;
  };
}

/** Checks a body that only has `payload`: over HTTP this is the contract's form, which requires an object. */
function checkPayload(body: unknown): void {
  if (
    isJsonObject(body) &&
    "payload" in body &&
    Object.keys(body).length === 1 &&
    !isJsonObject(body.payload)
  )
    throw invalid("telemetry.payload_invalid");
}

function batchOf(batch: unknown): Record<string, unknown> {
  if (!isJsonObject(batch) || !Array.isArray(batch.items)) throw invalid("telemetry.items_missing");
  for (const item of batch.items)
    if (isJsonObject(item) && item.telemetry !== undefined && !isJsonObject(item.telemetry))
      throw invalid("telemetry.item_invalid");
  return batch;
}
