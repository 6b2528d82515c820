import { DomainError, detail, toText } from "../../lib/core/domain-error.ts";
import { type BodyEncoding, decodeBody } from "../../lib/json/body.ts";
import { toPlainJson } from "../../lib/json/plain-json.ts";
import { withoutNuls } from "../../lib/json/sent-json.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import { CommandFailure, type CommandResponse } from "./commands.types.ts";

/** First character of a body that is intended as JSON. */
const JSON_START = /^[[{"]/;
/** Tags of a log line before its text: `[INFO] relay on`. */
const TAGGED_LINE = /^(?:\[[^\][{}",]*\]\s*)+[^\s\][{}",]/;
/** Control characters other than white space. */
const CONTROL = /[^\P{Cc}\t\r\n]/u;

const isPlain = (text: string): boolean =>
  !text.includes("\ufffd") && !CONTROL.test(text) && (!JSON_START.test(text) || TAGGED_LINE.test(text));

/**
 * Returns the response of a device: JSON or CBOR, otherwise its text (`ok`); null for an empty body. For a truncated or binary body, returns a
 * failure that ends the command immediately, because the device would not send the response again.
 */
export function readResponse(bytes: Uint8Array, encoding: BodyEncoding): CommandResponse {
  if (bytes.length === 0) return null;
  try {
    return toPlainJson(decodeBody(bytes, encoding), "command");
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const text = withoutNuls(new TextDecoder().decode(bytes)).trim();
    if (isPlain(text)) return text === "" ? null : text;
    const reason = detail("command_error.unreadable", { reason: toText(error) });
    return new CommandFailure(reason, { received: excerpt(text) });
  }
}
