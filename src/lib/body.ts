import { Decoder } from "cbor-x/decode";
import { Encoder } from "cbor-x/encode";
import { checkCbor } from "./cbor-check.ts";
import { invalid } from "./domain-error.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });
const cbor = new Decoder({ mapsAsObjects: true, useRecords: false, tagUint8Array: false });

/** `LENIENT_JSON` also takes what simple firmware writes instead of JSON. */
export const payloadEncodings = ["AUTO", "JSON", "CBOR", "LENIENT_JSON"] as const;
export type BodyEncoding = (typeof payloadEncodings)[number];

/** Longest body that is read leniently: that takes several times as long as JSON. */
const LENIENT_CHARACTERS_MAX = 65_536;

/** Reads JSON5 (https://spec.json5.org): single quotes, trailing commas, unquoted names, NaN, which becomes null; and NULs at the end. */
function parseLenient(text: string): unknown {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end--;
  const trimmed = text.slice(0, end);
  try {
    return JSON.parse(trimmed);
  } catch (error) {
    if (trimmed.length > LENIENT_CHARACTERS_MAX) throw error;
    return JSON.parse(JSON.stringify(Bun.JSON5.parse(trimmed)));
  }
}

/** First bytes that can only begin CBOR: maps and arrays (major types 4 and 5) and tags (6), RFC 8949 section 3. */
const isCborStart = (byte: number) => byte >= 0x80 && byte <= 0xdf;

/**
 * A device's body as a JavaScript value. AUTO tells CBOR by its first byte: JSON's begin with `{`, `[` or white space.
 * @throws DomainError `body.malformed`.
 */
export function decodeBody(bytes: Uint8Array, encoding: BodyEncoding): unknown {
  const first = bytes[0];
  if (first === undefined) throw invalid("body.empty");
  const isCbor =
    encoding === "CBOR" ? first !== 0x7b && first !== 0x5b : encoding === "AUTO" && isCborStart(first);
  try {
    if (encoding === "LENIENT_JSON") return parseLenient(utf8.decode(bytes));
    if (!isCbor) return JSON.parse(utf8.decode(bytes));
    checkCbor(bytes);
    return cbor.decode(bytes);
  } catch {
    throw invalid("body.malformed", { format: isCbor ? "CBOR" : "JSON" });
  }
}

const encoder = new Encoder({ useRecords: false });

/** A body for a device, in what its profile says that it reads: JSON unless that is CBOR. */
export const encodeBody = (encoding: BodyEncoding | undefined, body: unknown): Uint8Array =>
  encoding === "CBOR" ? encoder.encode(body) : Buffer.from(JSON.stringify(body));
