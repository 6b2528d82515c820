import { DomainError, detail, toText } from "../core/domain-error.ts";
import { messageOf } from "../core/error-message.ts";
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

/** Prefix of codes of the HTTP parser without texts of their own. */
const PARSER_CODE_PREFIX = "HPE_";
/** Codes and messages of TLS about a certificate, such as `DEPTH_ZERO_SELF_SIGNED_CERT`. */
const CERTIFICATE = /cert|verify_leaf|altname/i;

/** Codes and messages of TLS if the response is not TLS: usually the port of the unencrypted or of the STARTTLS service. */
const NOT_TLS = /wrong_version_number|packet_length_too_long|unknown_protocol/i;

/** Returns the reason of a network error as data. Reasons without a text of their own are quoted. */
export function networkErrorText(error: unknown): Text {
  if (error instanceof DomainError) return toText(error);
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
