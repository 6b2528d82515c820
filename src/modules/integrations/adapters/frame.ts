import { type DomainError, detail, invalid } from "../../../lib/core/domain-error.ts";
import { isBase64, looksHex } from "../../../lib/devices/downlink-payload.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { FrameEncoding, NormalizedMessage } from "../integrations.types.ts";
import { numberOf } from "./fields.ts";

/*
 * The encoding of a frame is not guessed: it is base64 unless the settings or a field of the message say hexadecimal. Base64 that looks like
 * hexadecimal is reported.
 */

type Frame = NonNullable<NormalizedMessage["frame"]>;

/** Returns the port; an omitted port is zero. */
function portOf(value: unknown): number {
  const port = value === undefined || value === null || value === "" ? 0 : numberOf(value);
  if (port === undefined || !Number.isInteger(port) || port < 0 || port > 255)
    throw invalid("integration.f_port_invalid");
  return port;
}

function refuseBase64(data: unknown): DomainError {
  const isHex = typeof data === "string" && /^(?:[\da-f]{2})+$/i.test(data);
  return invalid(isHex ? "integration.frame_looks_hex" : "integration.base64_invalid");
}

function bytesOf(data: unknown, encoding: FrameEncoding): Uint8Array {
  if (encoding === "base64") {
    if (!isBase64(data)) throw refuseBase64(data);
    return new Uint8Array(Buffer.from(data, "base64"));
  }
  const digits = typeof data === "string" ? data.replace(/^0x/i, "").replace(/[\s:-]/g, "") : "?";
  if (!/^(?:[\da-f]{2})*$/i.test(digits)) throw invalid("integration.frame_not_hex");
  return new Uint8Array(Buffer.from(digits, "hex"));
}

/** Returns the frame; undefined if it is absent or empty. @throws DomainError `invalid` */
export function parseFrame(
  data: unknown,
  fPort: unknown,
  encoding: FrameEncoding = "base64",
): Frame | undefined {
  if (data === undefined || data === null || data === "") return undefined;
  return { bytes: bytesOf(data, encoding), fPort: portOf(fPort) };
}

/** Returns a note for a frame that was read as base64 but looks hexadecimal. */
export const noteOnFrame = (data: unknown, encoding: FrameEncoding = "base64"): Text[] =>
  encoding === "base64" && typeof data === "string" && looksHex(data)
    ? [detail("integration_note.frame_looks_hex")]
    : [];
