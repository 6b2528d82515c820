export interface TokenClaims {
  /** The session that the token belongs to. */
  readonly sid?: string;
  /** Epoch s of the gateway's clock. */
  readonly exp?: number;
}

/** Returns what an access token (JWT) says of itself. Only the server can tell whether it is true; undefined for anything else. */
export function claimsOf(token: string | undefined): TokenClaims | undefined {
  const payload = token?.split(".")[1];
  if (payload === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
      character.charCodeAt(0),
    );
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === "object" && claims !== null ? (claims as TokenClaims) : undefined; // made by the server
  } catch {
    return undefined;
  }
}
