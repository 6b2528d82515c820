import { DomainError, detail, textOf } from "../core/domain-error.ts";
import type { ErrorCode } from "../texts/catalogues.ts";
import type { Text } from "../texts/text.ts";

const codes = {
  ECONNREFUSED: "network_error.refused",
  ECONNRESET: "network_error.reset",
  EHOSTUNREACH: "network_error.no_host",
  ENETUNREACH: "network_error.no_network",
  ENOTFOUND: "network_error.unknown_name",
  ENODATA: "network_error.no_address",
  EAI_AGAIN: "network_error.no_lookup",
  ETIMEDOUT: "network_error.timed_out",
  ConnectionRefused: "network_error.refused", // the names of Bun's own clients
  ConnectionClosed: "network_error.reset",
  DNSResolveFailed: "network_error.unknown_name",
  Timeout: "network_error.timed_out",
  Malformed_HTTP_Response: "network_error.no_http",
  ResponseHeadersTooLarge: "network_error.headers_too_long",
  HPE_HEADER_OVERFLOW: "network_error.headers_too_long",
} as const satisfies Record<string, ErrorCode>;

/** Codes of the HTTP parser that have no text of their own. */
const PARSER_CODE_PREFIX = "HPE_";
/** Codes and messages of TLS that are about a certificate, such as `DEPTH_ZERO_SELF_SIGNED_CERT`. */
const CERTIFICATE = /cert|verify_leaf|altname/i;

/** Codes and messages of TLS when the answer is not TLS: most often the port of the unencrypted or of the STARTTLS service. */
const NOT_TLS = /wrong_version_number|packet_length_too_long|unknown_protocol/i;

/** Message of Bun's S3 client for every failure of the network; its code says more. */
const NO_MESSAGE = "an unexpected error has occurred";

/** Returns the message of an error; an empty text where it says nothing. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message === NO_MESSAGE ? "" : message;
}

/** Returns why something on the network failed, as data; what has no text of its own is quoted. */
export function networkErrorText(error: unknown): Text {
  if (error instanceof DomainError) return textOf(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const textCode = Object.entries(codes).find(([name]) => name === code)?.[1];
  if (textCode !== undefined) return detail(textCode);
  if (error instanceof Error && error.name === "TimeoutError") return detail("network_error.timed_out");
  if (code.startsWith(PARSER_CODE_PREFIX)) return detail("network_error.no_http");
  const message = messageOf(error);
  if (NOT_TLS.test(code) || NOT_TLS.test(message)) return detail("network_error.no_tls");
  if (CERTIFICATE.test(code) || CERTIFICATE.test(message))
    return detail("network_error.certificate", { message: message === "" ? code : message });
  return detail("network_error.other", { message: message === "" ? code : message });
}
