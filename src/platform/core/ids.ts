/** A new UUIDv7: sortable by creation time. */
export const newId = <Id extends string>(): Id => Bun.randomUUIDv7() as Id; // ids are minted here

/** `bytes` random bytes as URL-safe characters (4 characters for 3 bytes). */
export const randomToken = (bytes: number): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("base64url");

/** SHA-256 as hexadecimal text, for secrets with enough entropy of their own. */
export const sha256 = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");
