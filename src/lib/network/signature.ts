import { createHmac } from "node:crypto";

/**
 * Returns `t=<seconds>,v1=<hex>`: HMAC-SHA-256 of `<seconds>.<body>` with the secret. It protects body and time against changes, and old requests
 * against replay. The body is used as sent, including compression.
 */
export function signatureOf(body: string | Uint8Array, secret: string, epochMs: number): string {
  const seconds = Math.floor(epochMs / 1000);
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.`).update(body).digest("hex")}`;
}
