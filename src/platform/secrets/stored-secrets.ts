import { createHash } from "node:crypto";
import { createSealedBox, type SealedBox } from "./sealed-box.ts";

/**
 * Storage of secrets in a database: sealed if they are shown or used again, as a keyed hash if they are looked up.
 * The key lies beside the database and not in it: who gets hold of a copy of the file alone reads no secret and cannot try
 * guesses against it.
 */
export interface StoredSecrets extends SealedBox {
  /** HMAC-SHA-256 as URL-safe text; the same for the same text. */
  hash(text: string): string;
}

export function createStoredSecrets(key: Uint8Array, purpose: string): StoredSecrets {
  const hashKey = createHash("sha256").update(key).update(`\0keyed hash: ${purpose}`).digest();
  return {
    ...createSealedBox(key, purpose),
    hash: (text) => new Bun.CryptoHasher("sha256", hashKey).update(text).digest("base64url"),
  };
}
