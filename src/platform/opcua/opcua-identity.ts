import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { OPCUACertificateManager } from "node-opcua-certificate-manager";
import { StatusCodes } from "node-opcua-client";
import type { OpcUaStart } from "./opcua.calls.ts";

const YEARS = 10;
const YEAR_DAYS = 365;

/** Returns the SHA-256 of a certificate (DER) in hexadecimal digits. */
export const fingerprintOf = (certificate: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(certificate).digest("hex");

/** The library's store of keys. Which certificates of servers are accepted is decided here: by their fingerprints, which a person has accepted. */
class OwnKeys extends OPCUACertificateManager {
  override checkCertificate(...args: unknown[]): never {
    const answer = args[1];
    if (typeof answer === "function") answer(null, StatusCodes.Good);
    return Promise.resolve(StatusCodes.Good) as never; // both forms of the library's method
  }
}

/** The gateway's own certificate and key as an OPC UA client. */
export class OpcUaIdentity {
  readonly keys: OPCUACertificateManager;
  readonly applicationUri: string;
  readonly #folder: string;
  readonly #hostName: string;

  private constructor({ folder, hostName }: OpcUaStart) {
    this.#folder = folder;
    this.#hostName = hostName;
    this.applicationUri = `urn:${hostName}:lineside`;
    this.keys = new OwnKeys({ rootFolder: folder, automaticallyAcceptUnknownCertificate: false });
  }

  /** Loads both, or makes them. */
  static async load(options: OpcUaStart): Promise<OpcUaIdentity> {
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    const identity = new OpcUaIdentity(options);
    await identity.keys.initialize();
    if (!existsSync(identity.certificateFile)) await identity.#make();
    return identity;
  }

  get certificateFile(): string {
    return join(this.#folder, "own", "certs", "lineside.pem");
  }

  get privateKeyFile(): string {
    return this.keys.privateKey;
  }

  /** Returns the certificate (DER). */
  certificate(): Uint8Array {
    const base64 = readFileSync(this.certificateFile, "utf8").replace(/-----[A-Z ]+-----|\s/g, "");
    return Uint8Array.from(Buffer.from(base64, "base64"));
  }

  /** Makes the certificate. A start that was cut off leaves none, rather than a part of one. */
  async #make(): Promise<void> {
    const newFile = `${this.certificateFile}.new`;
    await this.keys.createSelfSignedCertificate({
      applicationUri: this.applicationUri,
      subject: "/CN=Lineside",
      dns: [this.#hostName],
      startDate: new Date(),
      validity: YEARS * YEAR_DAYS,
      outputFile: newFile,
    });
    await rename(newFile, this.certificateFile);
  }
}
