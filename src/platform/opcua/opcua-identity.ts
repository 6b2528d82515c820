import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OPCUACertificateManager } from "node-opcua-certificate-manager";
import { StatusCodes } from "node-opcua-client";
import type { OpcUaStart } from "./opcua.calls.ts";

const YEARS = 10;
const YEAR_DAYS = 365;

/** Returns the SHA-256 of a certificate (DER) as hexadecimal digits. */
export const fingerprintOf = (certificate: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(certificate).digest("hex");

/** Replaces a file as a whole. */
async function replaceFile(file: string, bytes: Uint8Array): Promise<void> {
  await writeFile(`${file}.new`, bytes, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Key store of the library. It accepts certificates of servers by the fingerprints that a user has accepted. */
class OwnKeys extends OPCUACertificateManager {
  override checkCertificate(...args: unknown[]): never {
    const response = args[1];
    if (typeof response === "function") response(null, StatusCodes.Good);
    return Promise.resolve(StatusCodes.Good) as never; // both forms of the library's method
  }
}

/**
 * Certificate and key of the gateway as an OPC UA client. They are stored in `secrets`, which backups include; the library works with a copy in its
 * own folder.
 */
export class OpcUaIdentity {
  readonly keys: OPCUACertificateManager;
  readonly #start: OpcUaStart;

  private constructor(start: OpcUaStart) {
    this.#start = start;
    this.keys = new OwnKeys({
      rootFolder: start.folder,
      automaticallyAcceptUnknownCertificate: false,
      disableFileWatchers: true, // nobody else writes there
    });
  }

  /** Loads certificate and key, or creates them. */
  static async load(start: OpcUaStart): Promise<OpcUaIdentity> {
    const identity = new OpcUaIdentity(start);
    for (const [own, kept] of identity.#copies())
      if (existsSync(kept)) {
        await mkdir(dirname(own), { recursive: true, mode: 0o700 });
        await replaceFile(own, await readFile(kept));
      }
    await mkdir(start.folder, { recursive: true, mode: 0o700 });
    await identity.keys.initialize();
    if (!existsSync(identity.certificateFile)) await identity.renew();
    await identity.#keep();
    return identity;
  }

  get certificateFile(): string {
    return join(this.#start.folder, "own", "certs", "lineside.pem");
  }

  get privateKeyFile(): string {
    return join(this.#start.folder, "own", "private", "private_key.pem");
  }

  /** Application URI of the certificate. Servers require the same URI in a session, even after a restore on another machine. */
  get applicationUri(): string {
    const { subjectAltName = "" } = new X509Certificate(this.certificate());
    return /URI:([^,\s]+)/.exec(subjectAltName)?.[1] ?? this.#ownUri;
  }

  get #ownUri(): string {
    return `urn:${this.#start.hostName}:lineside`;
  }

  /** Returns the certificate (DER). */
  certificate(): Uint8Array {
    const base64 = readFileSync(this.certificateFile, "utf8").replace(/-----[A-Z ]+-----|\s/g, "");
    return Uint8Array.from(Buffer.from(base64, "base64"));
  }

  /** Creates the certificate. An interrupted run leaves no certificate instead of a part of one. */
  async renew(): Promise<void> {
    const newFile = `${this.certificateFile}.new`;
    await this.keys.createSelfSignedCertificate({
      applicationUri: this.#ownUri,
      subject: "/CN=Lineside",
      dns: [this.#start.hostName],
      startDate: new Date(),
      validity: YEARS * YEAR_DAYS,
      outputFile: newFile,
    });
    await rename(newFile, this.certificateFile);
    await this.#keep();
  }

  /** Returns the files in the folder of the library with their stored paths. The certificate is last, because it is useless without its key. */
  #copies(): [own: string, kept: string][] {
    return [
      [this.privateKeyFile, join(this.#start.secrets, "opcua-key.pem")],
      [this.certificateFile, join(this.#start.secrets, "opcua-certificate.pem")],
    ];
  }

  async #keep(): Promise<void> {
    for (const [own, kept] of this.#copies()) await replaceFile(kept, await readFile(own));
  }
}
