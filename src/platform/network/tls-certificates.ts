import { DAY_MS } from "../../lib/core/units.ts";
import type { CertificateNames } from "./tls-names.ts";

/** Validity of the authority in days: long, so that devices that trust it need not be configured again. */
const AUTHORITY_DAYS = 20 * 365;
/** Validity of a server certificate in days. Some systems refuse longer validities. */
const SERVER_DAYS = 397;
/** Start of the validity: a gateway without a clock battery boots in the past. */
const EARLIEST = Date.UTC(2026, 0, 1);

export interface KeyPair {
  /** PEM. */
  readonly cert: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Loads the library only to create a certificate, once a year, because it takes 20 MB. */
async function load() {
  await import("reflect-metadata");
  return import("@peculiar/x509");
}

const newKeys = () => crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);

async function toPem(key: CryptoKey): Promise<string> {
  const base64 = Buffer.from(await crypto.subtle.exportKey("pkcs8", key)).toString("base64");
  return `-----BEGIN PRIVATE KEY-----\n${base64.replace(/.{64}(?=.)/g, "$&\n")}\n-----END PRIVATE KEY-----\n`;
}

function fromPem(pem: string): Promise<CryptoKey> {
  const bytes = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ""), "base64");
  return crypto.subtle.importKey("pkcs8", bytes, algorithm, false, ["sign"]);
}

const newSerial = () => `01${Buffer.from(crypto.getRandomValues(new Uint8Array(15))).toString("hex")}`;
const notBeforeOf = (now: number) => new Date(Math.max(now, EARLIEST) - DAY_MS);
const notAfterOf = (now: number, days: number) => new Date(Math.max(now, EARLIEST) + days * DAY_MS);

/** Creates a certificate authority of this gateway, restricted to server certificates. */
export async function createAuthority(now: number, host: string): Promise<KeyPair> {
  const x509 = await load();
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: [{ O: ["Lineside"] }, { CN: [`Lineside ${host}`.slice(0, 64)] }],
    notBefore: notBeforeOf(now),
    notAfter: notAfterOf(now, AUTHORITY_DAYS),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: `${certificate.toString("pem")}\n`, key: await toPem(keys.privateKey) };
}

/** Creates a server certificate for these names, signed by the authority, which follows it in the chain. */
export async function createServerCertificate(
  authority: KeyPair,
  names: CertificateNames,
  now: number,
): Promise<KeyPair> {
  const x509 = await load();
  const issuer = new x509.X509Certificate(authority.cert);
  const keys = await newKeys();
  const alternatives = [
    ...names.dns.map((value) => ({ type: "dns" as const, value })),
    ...names.ip.map((value) => ({ type: "ip" as const, value })),
  ];
  const end = Math.min(notAfterOf(now, SERVER_DAYS).getTime(), issuer.notAfter.getTime());
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: [{ O: ["Lineside"] }, { CN: [(names.dns[1] ?? "lineside").slice(0, 64)] }],
    issuer: issuer.subject,
    notBefore: notBeforeOf(now),
    notAfter: new Date(end),
    publicKey: keys.publicKey,
    signingKey: await fromPem(authority.key),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(alternatives),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { cert: `${certificate.toString("pem")}\n${authority.cert}`, key: await toPem(keys.privateKey) };
}
