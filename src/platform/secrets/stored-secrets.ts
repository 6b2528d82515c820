import { createHash } from "node:crypto";
import { createSealedBox, type SealedBox } from "./sealed-box.ts";

/**
 * Storage of secrets in a database: encrypted if they are shown or used again, as a keyed hash if they are looked up. The key is beside the
 * database, not in it, so a copy of the file alone reveals no secret and allows no guesses.
 */
export interface StoredSecrets extends SealedBox {
  /** Returns the HMAC-SHA-256 as URL-safe text, which is equal for equal texts. */
  hash(text: string): string;
}

export function createStoredSecrets(key: Uint8Array, purpose: string): StoredSecrets {
  const hashKey = createHash("sha256").update(key).update(`\0keyed hash: ${purpose}`).digest();
  return {
    ...createSealedBox(key, purpose),
    hash: (text) => new Bun.CryptoHasher("sha256", hashKey).update(text).digest("base64url"),
  };
}
