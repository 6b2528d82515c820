import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts texts that others store and can neither read nor change (AES-256-GCM). `purpose` separates texts of different uses. */
export function createSealedBox(secret: Uint8Array, purpose: string) {
  const key = createHash("sha256").update(secret).update(`\0sealed box: ${purpose}`).digest();
  return {
    seal(text: string): string {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES });
      const content = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), content]).toString("base64url");
    },
    /** Returns the text; undefined if it was not sealed by this box. */
    open(sealed: string): string | undefined {
      const bytes = Buffer.from(sealed, "base64url");
      const isCanonical = bytes.toString("base64url") === sealed; // a lenient decoder ignores invalid characters
      if (!isCanonical || bytes.length < IV_BYTES + TAG_BYTES) return undefined;
      try {
        const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        const content = bytes.subarray(IV_BYTES + TAG_BYTES);
        return Buffer.concat([decipher.update(content), decipher.final()]).toString("utf8");
      } catch {
        return undefined; // changed, or sealed with another key
      }
    },
  };
}

export type SealedBox = ReturnType<typeof createSealedBox>;
