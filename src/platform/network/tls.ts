import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { detail } from "../../lib/core/domain-error.ts";
import type { Problem } from "../core/health.ts";
import type { Logger } from "../core/log.ts";
import type { DataDirectory } from "../files/data-directory.ts";
import { StartupError } from "../process/startup-error.ts";
import type { Clock } from "../time/clock.ts";
import { createAuthority, createServerCertificate, type KeyPair } from "./tls-certificates.ts";
import { type CertificateNames, covers, joinNames, namesIn, ownNames } from "./tls-names.ts";

/** Files are looked at this often, and this machine's names and addresses. */
const CHECK_MS = 10_000;
const DAY_MS = 86_400_000;
/** A certificate of our own is renewed this long before it ends; of one that is not, there is a warning. */
const RENEW_DAYS = 60;
const WARN_DAYS = 14;
/** Addresses that come and go make no more certificates than this. */
const REMAKE_MS_MIN = 60_000;
/** Earliest time at which the clock counts as set since the machine was started. */
const CLOCK_IS_SET = Date.UTC(2026, 0, 1);

/**
 * Suites of TLS 1.2 with forward secrecy and authenticated encryption (RFC 9325, 4.2): none in CBC mode, which has let padding oracles
 * through time and again. TLS 1.3 has no others.
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
  /** The operator's own files, PEM; a pair is made without them. */
  readonly files?: { readonly cert: string; readonly key: string; readonly authority?: string | undefined };
  readonly publicUrl: string | undefined;
}

interface Deps extends TlsOptions {
  readonly data: Pick<DataDirectory, "readSecret" | "writeSecret">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the names of this machine; asked each time. */
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

const endOf = (cert: string): number => Date.parse(new X509Certificate(cert).validTo);

/** The operator's pair, read anew when the files change. */
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

/** A pair of our own, made anew when it is about to end or this machine is called something else. */
function ofOwn({ data, clock, publicUrl, namesOf = () => ownNames(publicUrl) }: Deps) {
  let createdAt = Number.NEGATIVE_INFINITY;

  function stored(name: string): KeyPair | undefined {
    const [cert, key] = [data.readSecret(`${name}.pem`), data.readSecret(`${name}.key`)];
    if (cert === undefined || key === undefined) return undefined;
    const pair = { cert: cert.toString(), key: key.toString() };
    return faultOf(pair) === undefined ? pair : undefined;
  }

  /** The key first: a certificate is there only with its key. */
  function store(name: string, { cert, key }: KeyPair): void {
    data.writeSecret(`${name}.key`, Buffer.from(key));
    data.writeSecret(`${name}.pem`, Buffer.from(cert));
  }

  /**
   * Returns whether the certificate is valid now and for a while. One that begins in the future was created while the clock was
   * wrong.
   */
  function isCurrent(cert: string): boolean {
    const begins = Date.parse(new X509Certificate(cert).validFrom);
    const isAhead = begins > clock.now() && clock.now() > CLOCK_IS_SET;
    return !isAhead && endOf(cert) - clock.now() > RENEW_DAYS * DAY_MS;
  }

  function isGood({ cert }: KeyPair, present: CertificateNames, wanted: CertificateNames): boolean {
    const issuer = stored("tls-ca");
    return isCurrent(cert) && covers(present, wanted) && issuer !== undefined && cert.endsWith(issuer.cert);
  }

  /**
   * Returns the authority, which is created once and never replaced: every device would need the new one, and a clock that is
   * wrong for a day must not cause that.
   */
  async function authorityPair(): Promise<KeyPair> {
    const storedPair = stored("tls-ca");
    if (storedPair !== undefined) return storedPair;
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
      if (storedPair !== undefined && isGood(storedPair, before, names))
        return current ? undefined : storedPair;
      if (current !== undefined && clock.monotonic() - createdAt < REMAKE_MS_MIN) return undefined;
      createdAt = clock.monotonic();
      const createdPair = await createServerCertificate(
        await authorityPair(),
        joinNames(names, before),
        clock.now(),
      );
      store("tls-server", createdPair);
      return createdPair;
    },
  };
}

const daysLeft = (cert: string, now: number): number => Math.floor((endOf(cert) - now) / DAY_MS);

/** An RSA key of 4,096 bits takes 7 times as long for each handshake as one of 2,048 bits, on the thread that does everything else. */
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

/** The certificate that this gateway shows over TLS, whoever made it, kept current while it runs. */
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
    /** Creates or reads the certificate; throws a StartupError for a person. */
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
    /** Returns the present pair, once started. */
    get current(): KeyPair {
      if (current === undefined) throw new Error("TLS has not started");
      return current;
    },
    /** Returns the certificate authority that clients must trust, as PEM; undefined if the operator takes care of that. */
    get authority(): string | undefined {
      return source.authority();
    },
    /** A listener that throws is called again at the next look. */
    onChange: (listener: (pair: KeyPair) => void): void => void listeners.push(listener),
  };
}

export type Tls = ReturnType<typeof createTls>;
