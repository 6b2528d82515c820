import { isIP } from "node:net";
import { type AddressBits, type AddressRange, addressBits, isInRange } from "./ip-range.ts";

/*
 * The X-Forwarded headers of reverse proxies. They are lists to which each proxy appends, so only the rightmost values come from trusted proxies; the
 * client may have sent the values further left.
 */

/** Max. proxies of a request. The rest of a longer list is ignored. */
const HOPS_MAX = 32;

const MAPPED_IPV4 = 0xffffn;

/** Information of trusted proxies about a request. */
export interface Forwarded {
  /** Address of the client, or of the last trusted proxy if the list has no other. */
  readonly address: string;
  readonly protocol: "http" | "https" | undefined;
  /** Host and port requested by the client. */
  readonly host: string | undefined;
}

/** Returns an address in its canonical form. IPv4 stays IPv4 even in the form of IPv6 (`::ffff:10.0.0.1`). */
export function canonicalAddress(text: string): string {
  const bits = addressBits(text);
  if (bits === undefined) return text;
  if (bits >> 32n === MAPPED_IPV4)
    return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 0xffn)).join(".");
  const [bare = ""] = text.split("%");
  return new URL(`http://[${bare}]`).hostname.slice(1, -1);
}

/** Returns the address in an entry of X-Forwarded-For: alone, with a port, or in brackets; undefined for anything else. */
function addressIn(entry: string): string | undefined {
  const text = entry.trim().replace(/^"(.*)"$/, "$1");
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1];
  const bare = bracketed ?? (/^[\d.]+:\d{1,5}$/.test(text) ? text.replace(/:\d+$/, "") : text);
  return isIP(bare) === 0 ? undefined : canonicalAddress(bare);
}

const lastOf = (list: string | null): string => list?.split(",").at(-1)?.trim() ?? "";

/** Protocols named by proxies, including those of WebSockets. */
const protocols: Readonly<Record<string, "http" | "https">> = {
  http: "http",
  https: "https",
  ws: "http",
  wss: "https",
};

function hostOf(list: string | null): string | undefined {
  const host = lastOf(list);
  const isHost = /^(?:[a-z0-9_](?:[a-z0-9_.-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i.test(host);
  return isHost && URL.canParse(`http://${host}`) ? host.toLowerCase() : undefined;
}

export const isTrusted = (bits: AddressBits | undefined, trusted: readonly AddressRange[]): boolean =>
  bits !== undefined && trusted.some((range) => isInRange(bits, range));

/**
 * Reads the headers of a request from a trusted proxy. The client is the right-most address that is not trusted. An invalid entry ends the list,
 * because entries to the left of it cannot be attributed to a trusted proxy.
 */
export function readForwarded(
  headers: Pick<Headers, "get">,
  peer: string,
  trusted: readonly AddressRange[],
): Forwarded {
  let address = canonicalAddress(peer);
  const hops = (headers.get("x-forwarded-for") ?? "").split(",").slice(-HOPS_MAX).reverse();
  for (const hop of hops) {
    const next = addressIn(hop);
    if (next === undefined) break;
    address = next;
    if (!isTrusted(addressBits(next), trusted)) break;
  }
  const protocol = lastOf(headers.get("x-forwarded-proto")).toLowerCase();
  return {
    address,
    protocol: Object.hasOwn(protocols, protocol) ? protocols[protocol] : undefined,
    host: hostOf(headers.get("x-forwarded-host")),
  };
}
