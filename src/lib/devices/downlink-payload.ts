import { detail, invalid } from "../core/domain-error.ts";
import { isJsonObject, type JsonValue } from "../json/json.ts";
import { toPlainJson } from "../json/plain-json.ts";
import type { Text } from "../texts/text.ts";

/** Payload for a LoRaWAN device: bytes (base64), or an object that is encoded by a codec of Lineside or of the network server. */
export type DownlinkPayload = { readonly data: string } | { readonly object: JsonValue };

/** Max. payload of LoRaWAN. Most data rates allow less. */
export const FRAME_BYTES_MAX = 242;
const OBJECT_BYTES_MAX = 16 * 1024;

/** Padded base64 in the standard alphabet, as both network servers send it. The decoder of Bun accepts anything. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export const isBase64 = (text: unknown): text is string => typeof text === "string" && BASE64.test(text);

/** Length from which base64 consists of hexadecimal digits in one case less than once in a million frames. */
const HEX_LIKE_CHARACTERS_MIN = 12;
const HEX_OF_ONE_CASE = /^(?:[\da-f]+|[\dA-F]+)$/;
/** Base64 of zero bytes. */
const ONLY_ZEROS = /^A+$/;

/** Returns whether a text is more likely hexadecimal than base64. */
export const looksHex = (text: string): boolean =>
  text.length >= HEX_LIKE_CHARACTERS_MIN &&
  text.length % 2 === 0 &&
  HEX_OF_ONE_CASE.test(text) &&
  !ONLY_ZEROS.test(text);

/** Returns whether applications may use the port. */
export const isFPort = (port: unknown): port is number =>
  typeof port === "number" && Number.isInteger(port) && port >= 1 && port <= 223;

const wrong = (field: string | undefined, rule: Text) =>
  field === undefined
    ? invalid("downlink.invalid", { rule })
    : invalid("downlink.field_invalid", { field, rule });

function ofBytes(bytes: Buffer): DownlinkPayload {
  if (bytes.byteLength > FRAME_BYTES_MAX)
    throw invalid("downlink.too_long", { byteLength: bytes.byteLength, max: FRAME_BYTES_MAX });
  return { data: bytes.toString("base64") };
}

function ofBase64(data: unknown): DownlinkPayload {
  const isHex = typeof data === "string" && /^(?:[\da-f]{2})+$/i.test(data);
  // Refused, because nobody would see a note on a command. Base64 that looks like this can be sent as `hex` instead.
  if (!isBase64(data) || looksHex(data))
    throw wrong("data", detail(isHex ? "rule.base64_not_hex" : "rule.base64"));
  return ofBytes(Buffer.from(data, "base64"));
}

function ofHex(hex: unknown): DownlinkPayload {
  const digits = typeof hex === "string" ? hex.replace(/[\s:-]/g, "").replace(/^0x/i, "") : "?";
  if (!/^(?:[0-9a-f]{2})*$/i.test(digits)) throw wrong("hex", detail("rule.hex"));
  return ofBytes(Buffer.from(digits, "hex"));
}

function ofObject(object: unknown): DownlinkPayload {
  const plain = toPlainJson(object, "command");
  if (!isJsonObject(plain)) throw wrong("object", detail("rule.object"));
  if (Buffer.byteLength(JSON.stringify(plain)) > OBJECT_BYTES_MAX)
    throw wrong("object", detail("rule.kib_max", { max: OBJECT_BYTES_MAX / 1024 }));
  return { object: plain };
}

/**
 * Returns the payload of exactly one of: bytes in base64, bytes in hexadecimal digits, an object for a codec. @throws DomainError of kind `invalid`
 */
export function payloadOf({
  data = null,
  hex = null,
  object = null,
}: {
  readonly data?: unknown;
  readonly hex?: unknown;
  readonly object?: unknown;
}): DownlinkPayload {
  if ([data, hex, object].filter((body) => body !== null).length !== 1)
    throw wrong(undefined, detail("rule.payload_missing"));
  if (data !== null) return ofBase64(data);
  return hex === null ? ofObject(object) : ofHex(hex);
}
