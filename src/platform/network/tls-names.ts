import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";

/** Max. names in a certificate. Further addresses of a machine belong to container networks, to which nobody connects. */
const NAMES_MAX = 64;

/** DNS names and IP addresses of a certificate. */
export interface CertificateNames {
  readonly dns: readonly string[];
  readonly ip: readonly string[];
}

/** Returns every name and address of this machine, and the host of `publicUrl`. */
export function ownNames(publicUrl: string | undefined): CertificateNames {
  const host = hostname().toLowerCase();
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .map(({ address }) => address)
    .filter((address) => !/^fe80:/i.test(address)); // link-local: the zone is valid on this machine only
  const named = publicUrl === undefined ? [] : [new URL(publicUrl).hostname.replace(/^\[|\]$/g, "")];
  const all = ["localhost", host, `${host}.local`, ...named, "127.0.0.1", "::1", ...addresses];
  const isName = (name: string) => /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(name);
  return {
    dns: [...new Set(all.filter((name) => isIP(name) === 0 && isName(name)))],
    ip: [...new Set(all.filter((name) => isIP(name) !== 0))],
  };
}

/** Parses `DNS:a, IP Address:b`, the text of an extension of a certificate. */
export function namesIn(subjectAltName: string | undefined): CertificateNames {
  const parts = (subjectAltName ?? "").split(", ").map((part) => part.split(/:(.*)/s));
  const of = (kind: string) => parts.flatMap(([name, value = ""]) => (name === kind ? [value] : []));
  return { dns: of("DNS"), ip: of("IP Address").map(plainAddress) };
}

/** Returns an address in its canonical form: `0:0:0:0:0:0:0:1` is `::1`. */
export function plainAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** Returns the names in `wanted`, then earlier names, so that temporary addresses do not require a new certificate each time. */
export function joinNames(wanted: CertificateNames, before: CertificateNames): CertificateNames {
  const join = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])].slice(0, NAMES_MAX);
  return { dns: join(wanted.dns, before.dns), ip: join(wanted.ip.map(plainAddress), before.ip) };
}

export const covers = (present: CertificateNames, wanted: CertificateNames): boolean =>
  wanted.dns.every((name) => present.dns.includes(name)) &&
  wanted.ip.map(plainAddress).every((address) => present.ip.includes(address));
