import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { DomainError, detail } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import {
  type AddressBits,
  type AddressRange,
  addressBits,
  isInRange,
  parseRange,
} from "../../lib/network/ip-range.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Config } from "../config/config.ts";
import { createDirectLookup, createLookup, type Lookup, systemLookup } from "./name-lookup.ts";

/*
 * One rule for all connections to hosts that users enter. Connections to the gateway's own machine (any address or port), to link-local addresses and
 * to cloud metadata services are never allowed; connections to private networks only for the tenants in the setting. The address is checked when
 * connecting, because a name may resolve to another address by then. The mail server and the S3-compatible server for backups are exempt, because
 * only owners of the gateway's own site can set them.
 */

const ranges = (...texts: string[]) => texts.flatMap((text) => parseRange(text) ?? []);

const loopback = ranges("127.0.0.0/8", "0.0.0.0/8", "::1", "::");
const forbidden = [
  {
    refusal: "address_refusal.metadata",
    ranges: ranges("169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254"),
  },
  { refusal: "address_refusal.link_local", ranges: ranges("169.254.0.0/16", "fe80::/10", "fec0::/10") },
  { refusal: "address_refusal.multicast", ranges: ranges("224.0.0.0/4", "240.0.0.0/4", "ff00::/8") },
  {
    refusal: "address_refusal.reserved",
    ranges: ranges("192.0.0.0/24", "100::/64", "2001::/32", "64:ff9b:1::/48"),
  },
] as const;
const privateRanges = ranges(
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "198.18.0.0/15",
  "fc00::/7",
);

/** Positions of IPv4 addresses embedded in an IPv6 address, as the number of bits to the right. */
const embeddings = [
  { ranges: ranges("64:ff9b::/96"), shift: 0n }, // NAT64
  { ranges: ranges("2002::/16"), shift: 80n }, // 6to4
  { ranges: ranges("::/96"), shift: 0n }, // IPv4-compatible, long out of use
];
const MAPPED_IPV4 = 0xffffn << 32n;

/** Returns the final destination of a packet to an address. */
function innermost(address: AddressBits): AddressBits {
  if (address <= 1n) return address; // `::` and `::1`
  const found = embeddings.find((embedding) => embedding.ranges.some((range) => isInRange(address, range)));
  return found === undefined ? address : MAPPED_IPV4 | ((address >> found.shift) & 0xffff_ffffn);
}

/** Returns the port of a URL. */
export const portOf = ({ port, protocol }: URL): number =>
  port === "" ? (protocol === "http:" ? 80 : 443) : Number(port);

const OWN_PORT = detail("address_refusal.own_port");
const OWN_MACHINE = detail("address_refusal.own_machine");
const SINGLE_ADDRESS_PREFIX = 128;

const isInAny = (bits: AddressBits, list: readonly AddressRange[]): boolean =>
  list.some((range) => isInRange(bits, range));

/** Refusal of a connection by the rule. */
export class RefusedAddress extends DomainError {
  constructor(host: string, refusal: Text) {
    super("invalid", detail("outbound.address_refused", { host, refusal }));
  }
}

/** Allowed destinations of the connections of one tenant. */
export interface OutboundRule {
  /** Returns why nothing may be sent to the address and port; undefined if it is allowed. */
  refusalOf(address: string, port: number): Text | undefined;
  /** Works like `refusalOf` for a URL, without resolving its name. */
  refusalOfUrl(url: string): Text | undefined;
  /** Returns allowed addresses of the host (a name, or an address in the form of URLs). @throws RefusedAddress */
  resolve(host: string, port: number): Promise<string[]>;
}

export interface OutboundAddresses {
  of(tenantId: TenantId): OutboundRule;
}

export function createOutboundAddresses(deps: {
  config: Pick<Config, "outbound_allow" | "outbound_private">;
  /** Returns the ports on which this gateway listens. */
  ownPorts: () => ReadonlyArray<number | undefined>;
  /** Returns whether the tenant is the gateway's own tenant. */
  isHost: (tenantId: TenantId) => boolean;
  lookup?: Lookup;
}): OutboundAddresses {
  const { config, ownPorts, isHost } = deps;
  const find = deps.lookup ?? createLookup({ direct: createDirectLookup(), system: systemLookup });
  const allowed = ranges(...(config.outbound_allow ?? "").split(",").filter((entry) => entry.trim() !== ""));
  /** Ranges that allow requests to the machine itself. A network that merely contains the machine does not. */
  const allowedOwn = allowed.filter(
    (range) =>
      range.prefix === SINGLE_ADDRESS_PREFIX ||
      loopback.some((own) => range.prefix >= own.prefix && isInRange(range.bits, own)),
  );

  function isOwn(bits: AddressBits): boolean {
    if (isInAny(bits, loopback)) return true;
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    return own.some(({ address }) => addressBits(address) === bits);
  }

  function ownRefusal(bits: AddressBits, port: number): Text | undefined {
    if (ownPorts().includes(port)) return OWN_PORT;
    return isInAny(bits, allowedOwn) ? undefined : OWN_MACHINE;
  }

  function refusalOf(address: string, port: number, mayReachPrivate: () => boolean): Text | undefined {
    const numericAddress = addressBits(address);
    if (numericAddress === undefined) return detail("address_refusal.no_address");
    const bits = innermost(numericAddress);
    if (isOwn(bits)) return ownRefusal(bits, port);
    if (isInAny(bits, allowed) || isInAny(numericAddress, allowed)) return undefined;
    const hit = forbidden.find((range) => isInAny(bits, range.ranges));
    if (hit !== undefined) return detail(hit.refusal);
    if (!isInAny(bits, privateRanges) || mayReachPrivate()) return undefined;
    return config.outbound_private === "none"
      ? detail("address_refusal.private_off")
      : detail("address_refusal.private_host_only");
  }

  return {
    of(tenantId) {
      const isOwnSite = () => isHost(tenantId);
      const mayReachPrivate = () =>
        config.outbound_private === "all" || (config.outbound_private === "host" && isOwnSite());
      return ruleOf({
        refusalOf: (address, port) => refusalOf(address, port, mayReachPrivate),
        find: (name) => find(name, tenantId),
        seesAddresses: isOwnSite,
      });
    },
  };

  function ruleOf({
    refusalOf,
    find,
    seesAddresses,
  }: {
    refusalOf: OutboundRule["refusalOf"];
    find: (name: string) => ReturnType<Lookup>;
    /** Returns whether errors may contain resolved addresses, which would reveal the network of the gateway to other sites. */
    seesAddresses: () => boolean;
  }): OutboundRule {
    /** Returns the reason for an address and port, with the setting that would allow it, for the operator. */
    function reasonOf(address: string, port: number): Text | undefined {
      const refusal = refusalOf(address, port);
      if (refusal === undefined || refusal === OWN_PORT || addressBits(address) === undefined) return refusal;
      return detail("address_refusal.not_allowed", { refusal });
    }

    return {
      refusalOf,
      refusalOfUrl(text) {
        const url = new URL(text);
        const host = url.hostname.replace(/^\[|\]$/g, "");
        const named = /(^|\.)localhost\.?$/i.test(host) ? "127.0.0.1" : host;
        return isIP(named) === 0 ? undefined : reasonOf(named, portOf(url));
      },
      async resolve(host, port) {
        const bare = host.replace(/^\[|\]$/g, "");
        const found = isIP(bare) === 0 ? (await find(bare)).map(({ address }) => address) : [bare];
        const good = found.filter((address) => refusalOf(address, port) === undefined);
        const [first] = found;
        if (first === undefined) throw new Error(`${bare} has no address`);
        const refusal = reasonOf(first, port);
        if (good.length === 0 && refusal !== undefined)
          throw new RefusedAddress(bare === first || !seesAddresses() ? bare : `${bare} (${first})`, refusal);
        return good;
      },
    };
  }
}
