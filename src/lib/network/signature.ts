import { createHmac } from "node:crypto";

/**
 * `t=<seconds>,v1=<hex>`: HMAC-SHA-256 of `<seconds>.<body>` with the secret, so that neither body nor time can be changed on the way,
 * and an old request cannot be played again later. The body is what is sent: compressed, if it is.
 */
export function signatureOf(body: string | Uint8Array, secret: string, epochMs: number): string {
  const seconds = Math.floor(epochMs / 1000);
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.`).update(body).digest("hex")}`;
}
