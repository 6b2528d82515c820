import { isIP } from "node:net";

/** Address as 128 bits. IPv4 is mapped to IPv6 (`::ffff:10.0.0.1`), so that both spellings are equal. */
export type AddressBits = bigint;

export interface AddressRange {
  readonly bits: AddressBits;
  /** Length of the prefix, out of 128 bits. */
  readonly prefix: number;
}

const MAPPED_IPV4 = 0xffffn << 32n;

const ipv4Bits = (text: string): bigint =>
  text.split(".").reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);

/** Returns the bits; undefined for an invalid address. A zone (`fe80::1%eth0`) is ignored. */
export function addressBits(text: string): AddressBits | undefined {
  const [bare = ""] = text.split("%");
  const family = isIP(bare);
  if (family === 4) return MAPPED_IPV4 | ipv4Bits(bare);
  if (family !== 6) return undefined;
  const dotted = /\d{1,3}(?:\.\d{1,3}){3}$/.exec(bare)?.[0];
  const low = dotted === undefined ? 0n : ipv4Bits(dotted);
  const hex =
    dotted === undefined
      ? bare
      : bare.replace(dotted, `${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`);
  const [head = "", tail] = hex.split("::");
  const groupsOf = (part: string | undefined) => (part === undefined || part === "" ? [] : part.split(":"));
  const front = groupsOf(head);
  const back = groupsOf(tail);
  const gap = Array.from({ length: 8 - front.length - back.length }, () => "0");
  return [...front, ...gap, ...back].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

/** Parses `10.0.0.0/8`, `fd00::/8`, or a single address; undefined for other texts. */
export function parseRange(text: string): AddressRange | undefined {
  const [address = "", length, more] = text.trim().split("/", 3);
  const bits = addressBits(address);
  if (bits === undefined || more !== undefined || address.includes("%")) return undefined;
  const isIpv4 = isIP(address) === 4;
  if (length === undefined) return { bits, prefix: 128 };
  if (!/^\d{1,3}$/.test(length) || Number(length) > (isIpv4 ? 32 : 128)) return undefined;
  return { bits, prefix: Number(length) + (isIpv4 ? 96 : 0) };
}

export function isInRange(address: AddressBits, { bits, prefix }: AddressRange): boolean {
  const rest = BigInt(128 - prefix);
  return address >> rest === bits >> rest;
}
