export interface TokenClaims {
  /** The session that the token belongs to. */
  readonly sid?: string;
  /** Epoch s by the gateway's clock. */
  readonly exp?: number;
}

/** Decodes the claims of an access token (JWT) without verifying it, which only the server can. Undefined for anything else. */
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
