const reasons: Record<string, string> = {
  ECONNREFUSED: "nothing listens there (connection refused)",
  ECONNRESET: "the connection was closed before an answer came",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no way to the network",
  ENOTFOUND: "the name is not known",
  ENODATA: "the name has no address",
  EAI_AGAIN: "the name could not be looked up at the moment",
  ETIMEDOUT: "there was no answer in time",
  HPE_HEADER_OVERFLOW: "the headers of the answer are too long",
};
/** Codes of the HTTP parser that have no sentence of their own. */
const PARSER_CODE_PREFIX = "HPE_";

/** An error of the network in words for a person. */
export function describeNetworkError(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = error instanceof Error ? error.message : String(error);
  if (code.startsWith(PARSER_CODE_PREFIX))
    return reasons[code] ?? "what answers there does not speak HTTP/1.1";
  return reasons[code] ?? (message === "" ? code : message);
}
