import { detail } from "../../lib/domain-error.ts";
import { canonicalAddress, isTrusted, readForwarded } from "../../lib/forwarded.ts";
import { addressBits, parseRange } from "../../lib/ip-range.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Config } from "../../platform/config.ts";
import { arrivalOf } from "../../platform/request-arrival.ts";
import type { PeerServer } from "../request-peer.ts";

/** What a proxy wrote into a request. */
const HEADERS = ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"] as const;
const VALUE_LENGTH_MAX = 500;

/** What the gateway sees of a request. */
export interface SeenRequest {
  /** The other end of the connection. */
  readonly peer: string;
  readonly isTrusted: boolean;
  /** Address that counts as the client's. */
  readonly address: string;
  readonly protocol: "http" | "https";
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly problems: readonly Text[];
}

type ProxyConfig = Pick<Config, "public_url" | "trusted_proxies">;

function problemsOf(seen: Omit<SeenRequest, "problems">, { public_url: url }: ProxyConfig): Text[] {
  const isForwarded = Object.keys(seen.headers).length > 0;
  const problems: Text[] = [];
  if (isForwarded && !seen.isTrusted) problems.push(detail("proxy.not_trusted", { peer: seen.peer }));
  if (seen.isTrusted && !isForwarded) problems.push(detail("proxy.no_headers", { peer: seen.peer }));
  if (seen.isTrusted && isForwarded && seen.headers["x-forwarded-proto"] === undefined)
    problems.push(detail("proxy.no_protocol"));
  if (url === undefined) return problems;
  const { protocol, host } = new URL(url);
  if (protocol !== `${seen.protocol}:` || host !== new URL(`${seen.protocol}://${seen.host}`).host)
    problems.push(detail("proxy.other_address", { url, seen: `${seen.protocol}://${seen.host}` }));
  return problems;
}

/** Returns a request as a gateway with these settings would see it. */
export function seeRequest(request: Request, server: PeerServer | null, config: ProxyConfig): SeenRequest {
  const arrival = arrivalOf(request);
  const trusted = (config.trusted_proxies ?? "").split(",").flatMap((entry) => parseRange(entry) ?? []);
  const peer = canonicalAddress(arrival?.peer.address ?? server?.requestIP(request)?.address ?? "unknown");
  const own = new URL(arrival?.url ?? request.url);
  const isProxy = isTrusted(addressBits(peer), trusted);
  const forwarded = isProxy ? readForwarded(request.headers, peer, trusted) : undefined;
  const seen = {
    peer,
    isTrusted: isProxy,
    address: forwarded?.address ?? peer,
    protocol: forwarded?.protocol ?? (own.protocol === "https:" ? "https" : "http"),
    host: forwarded?.host ?? own.host,
    headers: Object.fromEntries(
      HEADERS.flatMap((name) => {
        const value = request.headers.get(name);
        return value === null ? [] : [[name, value.slice(0, VALUE_LENGTH_MAX)]];
      }),
    ),
  } as const;
  return { ...seen, problems: problemsOf(seen, config) };
}
