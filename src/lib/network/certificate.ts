import { X509Certificate } from "node:crypto";

export interface CertificateFacts {
  /** SHA-256 of the certificate as 64 lower-case hexadecimal digits. */
  readonly fingerprint: string;
  /** Epoch ms. */
  readonly validTo: number;
}

/** Normalizes a SHA-256 fingerprint, `AB:CD:…` or plain hex digits of either case, to 64 lowercase digits; undefined for anything else. */
export function toFingerprint(text: string): string | undefined {
  const digits = text.replace(/[:\s]/g, "").toLowerCase();
  return /^[0-9a-f]{64}$/.test(digits) ? digits : undefined;
}

/** Returns the first certificate of a PEM text; undefined if none can be read. */
export function readCertificate(pem: string): CertificateFacts | undefined {
  try {
    const certificate = new X509Certificate(pem);
    const fingerprint = toFingerprint(certificate.fingerprint256);
    const validTo = Date.parse(certificate.validTo);
    return fingerprint === undefined || Number.isNaN(validTo) ? undefined : { fingerprint, validTo };
  } catch {
    return undefined;
  }
}
