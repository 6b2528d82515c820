import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import type { KeyPair } from "../../src/platform/network/tls-certificates.ts";

/** A certificate that says who its bearer is, and is one of a client's. */
export async function createClientCertificate(authority: KeyPair): Promise<KeyPair> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const pem = authority.key.replace(/-----[^-]+-----|\s/g, "");
  const signingKey = await crypto.subtle.importKey("pkcs8", Buffer.from(pem, "base64"), algorithm, false, [
    "sign",
  ]);
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: "0102",
    subject: "CN=bridge",
    issuer: new x509.X509Certificate(authority.cert).subject,
    notBefore: new Date(Date.now() - 86_400_000),
    notAfter: new Date(Date.now() + 86_400_000),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    extensions: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
  });
  const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  return {
    cert: certificate.toString("pem"),
    key: `-----BEGIN PRIVATE KEY-----\n${key.replace(/.{64}(?=.)/g, "$&\n")}\n-----END PRIVATE KEY-----\n`,
  };
}
