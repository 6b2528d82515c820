import { Decoder } from "cbor-x/decode";
import { Encoder } from "cbor-x/encode";
import { invalid, tooLarge } from "../core/domain-error.ts";
import { invariant } from "../core/invariant.ts";
import { CborTooLarge, checkCbor } from "./cbor-check.ts";
import { countNames, type NoteLeftOut, noteRepeated, readJson, readLenient } from "./sent-json.ts";

const cbor = new Decoder({ mapsAsObjects: true, useRecords: false, tagUint8Array: false });

/** Encodings of payloads. `LENIENT_JSON` also accepts the JSON-like text of simple firmware. */
export const PAYLOAD_ENCODINGS = ["AUTO", "JSON", "CBOR", "LENIENT_JSON"] as const;
export type BodyEncoding = (typeof PAYLOAD_ENCODINGS)[number];

/** Returns the encoding that a Content-Type names; undefined for another type. @throws DomainError `body.type_missing` */
export function encodingOfType(contentType: string | null): "CBOR" | "JSON" | undefined {
  const type = contentType?.split(";")[0]?.trim().toLowerCase();
  if (type === undefined || type === "") throw invalid("body.type_missing");
  if (type === "application/cbor") return "CBOR";
  return type === "application/json" || type.endsWith("+json") ? "JSON" : undefined;
}

/** First bytes of CBOR that are not possible in JSON: maps and arrays (major types 4 and 5) and tags (6), RFC 8949 section 3. */
const isCborStart = (byte: number) => byte >= 0x80 && byte <= 0xdf;

/**
 * Decodes the body of a device. AUTO detects CBOR by its first byte, because JSON starts with `{`, `[` or white space.
 * @throws DomainError about the mistake, such as `body.malformed`
 */
export function decodeBody(bytes: Uint8Array, encoding: BodyEncoding, note?: NoteLeftOut): unknown {
  const first = bytes[0];
  if (first === undefined) throw invalid("body.empty");
  const isCbor =
    encoding === "CBOR" ? first !== 0x7b && first !== 0x5b : encoding === "AUTO" && isCborStart(first);
  if (encoding === "LENIENT_JSON") return readLenient(bytes, note);
  if (!isCbor) return readJson(bytes, note);
  return readCbor(bytes, note);
}

/** Returns the duplicate names of a map. A decoder keeps the last value of a name. */
function repeatedNames(bytes: Uint8Array): string[] {
  const repeated = new Set<string>();
  const namesBefore = new Map<object, Set<string>>();
  checkCbor(bytes, (from, to, map) => {
    const name = String(cbor.decode(bytes.subarray(from, to)));
    const names = namesBefore.get(map) ?? new Set();
    if (names.has(name)) repeated.add(name);
    namesBefore.set(map, names.add(name));
  });
  return [...repeated];
}

function readCbor(bytes: Uint8Array, note: NoteLeftOut | undefined): unknown {
  try {
    const nameCount = checkCbor(bytes);
    const value: unknown = cbor.decode(bytes);
    if (note !== undefined && nameCount !== countNames(value)) noteRepeated(repeatedNames(bytes), note);
    return value;
  } catch (error) {
    if (error instanceof CborTooLarge) throw tooLarge(error.code, { max: error.max });
    throw invalid("body.malformed", { format: "CBOR" });
  }
}

const encoder = new Encoder({ useRecords: false });

/** Object with members encoded one by one, so that large objects do not block a turn. */
export class EncodedObject {
  readonly encoding: BodyEncoding;
  readonly members: ReadonlyArray<readonly [name: string, value: Uint8Array]>;

  constructor(encoding: BodyEncoding, members: EncodedObject["members"]) {
    this.encoding = encoding;
    this.members = members;
  }

  get bytes(): Uint8Array {
    return this.encoding === "CBOR" ? this.#cbor() : this.#json();
  }

  #json(): Uint8Array {
    const parts = this.members.flatMap(([name, value], index) => [
      Buffer.from(`${index === 0 ? "{" : ","}${JSON.stringify(name)}:`),
      value,
    ]);
    return Buffer.concat([...parts, Buffer.from(parts.length === 0 ? "{}" : "}")]);
  }

  #cbor(): Uint8Array {
    const count = this.members.length;
    invariant(count <= 0xffff, "too many members for a 16-bit length");
    // A map with its length in the first byte or in two more (RFC 8949, 3); no scope has more attributes.
    const head = count < 24 ? Buffer.of(0xa0 | count) : Buffer.of(0xb9, count >> 8, count & 0xff);
    return Buffer.concat([head, ...this.members.flatMap(([name, value]) => [encoder.encode(name), value])]);
  }
}

/** Encodes a body for a device in the encoding of its profile: JSON unless that is CBOR. */
export function encodeBody(encoding: BodyEncoding | undefined, body: unknown): Uint8Array {
  if (body instanceof EncodedObject) return body.bytes;
  return encoding === "CBOR" ? encoder.encode(body) : Buffer.from(JSON.stringify(body));
}

/** Encodes a value stored as JSON; passes it through unparsed for JSON. */
export const encodeStored = (encoding: BodyEncoding, text: string): Uint8Array =>
  encoding === "CBOR" ? encoder.encode(JSON.parse(text)) : Buffer.from(text);
