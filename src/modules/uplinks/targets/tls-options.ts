import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { detail } from "../../../lib/core/domain-error.ts";
import { messageOf } from "../../../lib/core/error-message.ts";
import { TargetError } from "../target.errors.ts";
import type { TargetContext } from "../target.types.ts";
import type { TlsSettings } from "./tls.schemas.ts";

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Options of `node:tls`, and of clients that pass them on to it. */
export interface TlsOptions {
  readonly rejectUnauthorized: true;
  /** Name that the certificate must contain; absent for an IP address, which is then checked itself. */
  readonly servername?: string;
  readonly ca?: string[];
  readonly cert?: string;
  readonly key?: string;
}

/** Returns a host without the brackets of an IPv6 address. */
export const bareHost = (host: string): string => host.replace(/^\[|\]$/g, "");

function certificatesIn(pem: string): string[] {
  const blocks = pem.match(CERTIFICATE_BLOCK) ?? [];
  if (blocks.length === 0) throw new Error("no CERTIFICATE block");
  for (const block of blocks) new X509Certificate(block);
  return blocks;
}

/** Reads one field, and names it in errors for the user. */
function read<Result>(field: keyof TlsSettings, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new TargetError(
      "settings",
      detail("uplink.certificate_unreadable", { field: `tls.${field}`, reason: messageOf(error) }),
      error,
    );
  }
}

/**
 * Returns the options of an encrypted connection to the host. Environment variables cannot disable verification.
 * @throws TargetError `settings` for an unreadable certificate or key
 */
export function tlsOptions(
  tls: TlsSettings | null,
  host: string,
  context: Pick<TargetContext, "authorities">,
): TlsOptions {
  const { ca, certificate, privateKey } = tls ?? {};
  const authorities = ca === undefined ? context.authorities : read("ca", () => certificatesIn(ca));
  if (certificate !== undefined) read("certificate", () => certificatesIn(certificate));
  if (privateKey !== undefined) read("privateKey", () => createPrivateKey(privateKey));
  const name = bareHost(host);
  return {
    rejectUnauthorized: true,
    ...(isIP(name) === 0 && { servername: name }),
    ...(authorities !== undefined && { ca: [...authorities] }),
    ...(certificate !== undefined && { cert: certificate }),
    ...(privateKey !== undefined && { key: privateKey }),
  };
}
