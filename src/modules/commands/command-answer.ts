import { type BodyEncoding, decodeBody } from "../../lib/body.ts";
import { DomainError } from "../../lib/domain-error.ts";
import { excerpt } from "../../lib/excerpt.ts";
import type { JsonValue } from "../../lib/json.ts";
import { toPlainJson } from "../../lib/plain-json.ts";

/** First character of a body that was meant to be JSON. */
const JSON_START = /^[[{"]/;
/** Control characters other than white space. */
const CONTROL = /[^\P{Cc}\t\r\n]/u;

/**
 * Returns the response of a device: JSON or CBOR, otherwise its text (`ok`), and null for an empty body. For a truncated or binary body, returns an
 * error that makes the command FAILED immediately, because the device would not send the response again.
 */
export function readAnswer(bytes: Uint8Array, encoding: BodyEncoding): JsonValue {
  if (bytes.length === 0) return null;
  try {
    return toPlainJson(decodeBody(bytes, encoding), "command");
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const text = new TextDecoder().decode(bytes).trim();
    const isText = !text.includes("\ufffd") && !CONTROL.test(text) && !JSON_START.test(text);
    if (isText) return text;
    return { error: `The response could not be read: ${error.message}`, received: excerpt(text) };
  }
}
