import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { detail } from "../../lib/core/domain-error.ts";
import { DAY_MS } from "../../lib/core/units.ts";
import type { Problem } from "../core/health.ts";
import type { Logger } from "../core/log.ts";
import type { DataDirectory } from "../files/data-directory.ts";
import { StartupError } from "../process/startup-error.ts";
import type { Clock } from "../time/clock.ts";
import { createAuthority, createServerCertificate, type KeyPair } from "./tls-certificates.ts";
import { type CertificateNames, covers, joinNames, namesIn, ownNames } from "./tls-names.ts";

/** Interval at which the files, and the names and addresses of this machine, are checked. */
const CHECK_MS = 10_000;
/** Remaining validity in days at which the gateway's own certificate is renewed, and a warning about other certificates begins. */
const RENEW_DAYS = 60;
const WARN_DAYS = 14;
/** Min. interval between new certificates, because addresses may appear and vanish. */
const REMAKE_MS_MIN = 60_000;
/** Earliest time at which the clock counts as set after the machine was started. */
const CLOCK_IS_SET = Date.UTC(2026, 0, 1);

/**
 * Cipher suites of TLS 1.2 with forward secrecy and authenticated encryption (RFC 9325, 4.2), without CBC mode and its padding oracles. TLS 1.3 has
 * no others.
 */
export const TLS_CIPHERS = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
].join(":");

export interface TlsOptions {
  /** PEM files of the operator. Without them, a pair is created. */
  readonly files?: { readonly cert: string; readonly key: string; readonly authority?: string | undefined };
  readonly publicUrl: string | undefined;
}

interface Deps extends TlsOptions {
  readonly data: Pick<DataDirectory, "readSecret" | "writeSecret">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the current names of this machine. */
  readonly namesOf?: () => CertificateNames;
}

/** Returns why key and certificate cannot be used together; undefined if they can. */
function faultOf({ cert, key }: KeyPair): string | undefined {
  try {
    if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return undefined;
    return "the key does not belong to the certificate";
  } catch (error) {
    return error instanceof Error ? error.message : "not readable";
  }
}

interface AuthorityState {
  readonly pair?: KeyPair | undefined;
  readonly fault?: Error;
}

const endOf = (cert: string): number => Date.parse(new X509Certificate(cert).validTo);

/** Source of the pair of the operator, reloaded when the files change. */
function fromFiles(files: NonNullable<TlsOptions["files"]>) {
  const read = (): KeyPair => ({
    cert: readFileSync(files.cert, "utf8"),
    key: readFileSync(files.key, "utf8"),
  });
  return {
    authority: () => (files.authority === undefined ? undefined : readFileSync(files.authority, "utf8")),
    async next(current: KeyPair | undefined): Promise<KeyPair | undefined> {
      const pair = read();
      if (pair.cert === current?.cert && pair.key === current.key) return undefined;
      const fault = faultOf(pair);
      if (fault !== undefined) throw new Error(`${files.cert} and ${files.key}: ${fault}`);
      return pair;
    },
  };
}

/** Source of the gateway's own pair, replaced before it expires or when the names of this machine change. */
function ofOwn({ data, clock, log, publicUrl, namesOf = () => ownNames(publicUrl) }: Deps) {
  let createdAt = Number.NEGATIVE_INFINITY;

  function stored(name: string): KeyPair | undefined {
    const [cert, key] = [data.readSecret(`${name}.pem`), data.readSecret(`${name}.key`)];
    if (cert === undefined || key === undefined) return undefined;
    const pair = { cert: cert.toString(), key: key.toString() };
    return faultOf(pair) === undefined ? pair : undefined;
  }

  /** Writes the key first, so that a certificate never exists without its key. */
  function store(name: string, { cert, key }: KeyPair): void {
    data.writeSecret(`${name}.key`, Buffer.from(key));
    data.writeSecret(`${name}.pem`, Buffer.from(cert));
  }

  /**
   * Returns whether the certificate is valid now and for some time. A certificate that begins in the future was created while the clock was wrong.
   */
  function isCurrent(cert: string): boolean {
    const begins = Date.parse(new X509Certificate(cert).validFrom);
    const isAhead = begins > clock.now() && clock.now() > CLOCK_IS_SET;
    return !isAhead && endOf(cert) - clock.now() > RENEW_DAYS * DAY_MS;
  }

  /** Returns the authority with a certificate from the chain of the server's, which contains a copy. */
  function recovered(key: string): KeyPair | undefined {
    const chain = data.readSecret("tls-server.pem")?.toString() ?? "";
    const pair = { cert: chain.slice(chain.lastIndexOf("-----BEGIN CERTIFICATE-----")), key };
    return faultOf(pair) === undefined ? pair : undefined;
  }

  /**
   * Returns the authority; undefined if there is none yet. @throws Error if it is damaged: a new one would lock out every device that trusts it
   */
  function storedAuthority(): KeyPair | undefined {
    const storedPair = stored("tls-ca");
    if (storedPair !== undefined) return storedPair;
    const [cert, key] = [data.readSecret("tls-ca.pem"), data.readSecret("tls-ca.key")?.toString()];
    // The key is written first: a start may have been interrupted before the first certificate.
    if (cert === undefined && (key === undefined || data.readSecret("tls-server.pem") === undefined))
      return undefined;
    const pair = key === undefined ? undefined : recovered(key);
    if (pair === undefined)
      throw new Error(
        "the certificate authority (secrets/tls-ca.pem and secrets/tls-ca.key) is damaged. Put back both files from a backup. Without them, move both away: the gateway then creates a new authority, which every device must trust",
      );
    data.writeSecret("tls-ca.pem", Buffer.from(pair.cert));
    log.warn("certificate authority was damaged, recovered from the server certificate", {
      file: "secrets/tls-ca.pem",
    });
    return pair;
  }

  /** Returns the authority, or why it cannot be used. */
  function authorityState(): AuthorityState {
    try {
      return { pair: storedAuthority() };
    } catch (error) {
      return { fault: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  const isGood = ({ cert }: KeyPair, { pair, fault }: AuthorityState): boolean =>
    isCurrent(cert) && (fault !== undefined || (pair !== undefined && cert.endsWith(pair.cert)));

  /** Returns the authority, which is created once and never replaced, even if the clock is wrong for a day: every device would need the new one. */
  async function authorityPair({ pair }: AuthorityState): Promise<KeyPair> {
    if (pair !== undefined) return pair;
    const createdPair = await createAuthority(clock.now(), hostname());
    store("tls-ca", createdPair);
    return createdPair;
  }

  return {
    authority: () => data.readSecret("tls-ca.pem")?.toString(),
    async next(current: KeyPair | undefined): Promise<KeyPair | undefined> {
      const storedPair = current ?? stored("tls-server");
      const names = namesOf();
      const before = namesIn(storedPair && new X509Certificate(storedPair.cert).subjectAltName);
      const authority = authorityState();
      const isUsable = storedPair !== undefined && covers(before, names) && isGood(storedPair, authority);
      // With a damaged authority, a start uses a good certificate, and the checks after it tell the fault.
      if (authority.fault !== undefined && (current !== undefined || !isUsable)) throw authority.fault;
      if (isUsable) return current ? undefined : storedPair;
      if (current !== undefined && clock.monotonic() - createdAt < REMAKE_MS_MIN) return undefined;
      createdAt = clock.monotonic();
      const createdPair = await createServerCertificate(
        await authorityPair(authority),
        joinNames(names, before),
        clock.now(),
      );
      store("tls-server", createdPair);
      return createdPair;
    },
  };
}

const daysLeft = (cert: string, now: number): number => Math.floor((endOf(cert) - now) / DAY_MS);

/** Max. bits of an RSA key without a warning. With 4,096 bits, a handshake takes 7 times as long as with 2,048, on the main thread. */
const RSA_BITS_MAX = 2_048;

const rsaBitsOf = (cert: string): number => {
  const { asymmetricKeyType, asymmetricKeyDetails } = new X509Certificate(cert).publicKey;
  return asymmetricKeyType === "rsa" ? (asymmetricKeyDetails?.modulusLength ?? 0) : 0;
};

function problemOf(cert: string, days: number, refused: string | undefined): Problem | undefined {
  if (refused !== undefined)
    return { severity: "WARNING", ...detail("tls.certificate_refused", { reason: refused }) };
  if (days < 0) return { severity: "WARNING", ...detail("tls.certificate_expired") };
  if (days < WARN_DAYS) return { severity: "WARNING", ...detail("tls.certificate_expires", { days }) };
  const bits = rsaBitsOf(cert);
  return bits > RSA_BITS_MAX ? { severity: "WARNING", ...detail("tls.key_slow", { bits }) } : undefined;
}

/** Loads the certificate. @throws StartupError if it cannot be used */
async function firstPair(source: { next(current: undefined): Promise<KeyPair | undefined> }) {
  try {
    return await source.next(undefined);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "unreadable";
    throw new StartupError(`The TLS certificate cannot be used: ${reason}.`, { cause });
  }
}

/** TLS certificate of this gateway, from the operator or created, kept up to date at run time. */
export function createTls(deps: Deps) {
  const { clock, log, files } = deps;
  const source = files === undefined ? ofOwn(deps) : fromFiles(files);
  const listeners: Array<(pair: KeyPair) => void> = [];
  let current: KeyPair | undefined;
  /** The newest pair while some listeners have not applied it yet. */
  let unapplied: KeyPair | undefined;
  let complained: string | undefined;
  let refused: string | undefined; // why the newest files are not in use
  let cancel: () => void = () => undefined;
  let stopped = false;

  function warnOfEnd(): void {
    if (current === undefined || files === undefined) return;
    const days = daysLeft(current.cert, clock.now());
    const note = days >= WARN_DAYS ? undefined : days < 0 ? "has ended" : `ends in ${days} days`;
    if (note !== undefined && note !== complained)
      log.warn(`the TLS certificate ${note}`, { file: files.cert });
    complained = note;
  }

  async function takeUp(): Promise<void> {
    const next = await source.next(current);
    if (stopped) return;
    if (next !== undefined) unapplied = next;
    if (unapplied !== undefined) {
      current = unapplied;
      for (const listener of listeners) listener(unapplied);
      log.info("TLS certificate applied", { validTo: new Date(endOf(unapplied.cert)).toISOString() });
      unapplied = undefined;
      complained = undefined;
    }
    refused = undefined;
    warnOfEnd();
  }

  async function check(): Promise<void> {
    try {
      await takeUp();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== complained) log.error("applying the TLS certificate failed", { reason });
      complained = reason;
      refused = reason;
    }
    if (!stopped) cancel = clock.schedule(CHECK_MS, () => void check());
  }

  return {
    name: "tls",
    /** Creates or reads the certificate. @throws StartupError */
    async start(): Promise<void> {
      current = await firstPair(source);
      warnOfEnd();
      cancel = clock.schedule(CHECK_MS, () => void check());
    },
    stop(): void {
      stopped = true;
      cancel();
    },
    /** Returns a warning if the certificate expires soon, if its replacement cannot be used, or if its key is slow. */
    problem: (): Problem | undefined =>
      current && problemOf(current.cert, daysLeft(current.cert, clock.now()), refused),
    /** Current pair, after the start. */
    get current(): KeyPair {
      if (current === undefined) throw new Error("TLS has not started");
      return current;
    },
    /** Certificate authority that clients must trust, as PEM; undefined if the operator provides the certificate. */
    get authority(): string | undefined {
      return source.authority();
    },
    /** Registers a listener for new pairs. It is called again at the next check if it throws. */
    onChange: (listener: (pair: KeyPair) => void): void => void listeners.push(listener),
  };
}

export type Tls = ReturnType<typeof createTls>;
