const reasons: Record<string, string> = {
  ECONNREFUSED: "nothing listens there (connection refused)",
  ECONNRESET: "the connection was closed before an answer came",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no way to the network",
  ENOTFOUND: "the name is not known",
  ENODATA: "the name has no address",
  EAI_AGAIN: "the name could not be looked up at the moment",
  ETIMEDOUT: "there was no answer in time",
};

/** An error of the network in words for a person. */
export function describeNetworkError(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = error instanceof Error ? error.message : String(error);
  return reasons[code] ?? (message === "" ? code : message);
}
