import { isIPv6 } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import type { Config } from "../config/config.ts";
import type { OwnPorts } from "./own-ports.ts";
import { publicAddressOf } from "./public-address.ts";

const ANY_ADDRESS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

export const isLoopback = (host: string): boolean => /^(127\.|::1$|localhost$)/.test(host);

/** Returns whether only programs on this machine can use HTTP without TLS, and others use HTTPS. */
export const isPlainForMachine = ({
  tls,
  http_host: plain,
  https_host: secure,
  https_port: port,
}: Pick<Config, "tls" | "http_host" | "https_host" | "https_port">): boolean =>
  tls !== "off" && port !== "off" && isLoopback(plain) && secure !== undefined && !isLoopback(secure);

type Listeners = Pick<Config, "public_url" | "tls" | "http_host" | "https_host" | "https_port">;

/**
 * Returns the address for links in mails and in texts that are handed on, without a slash at its end. The address of a request is whatever
 * the sender wrote into it: of it counts only which of this machine's names and outward addresses it is, and whether it came by TLS, never
 * its port, but never a name that every machine has, such as `localhost`, because it would lead to the reader's machine. Headers of a proxy do not count
 * either, because many proxies pass on the client's headers: behind a proxy, set `public_url`.
 */
export function createOwnOrigin(config: Listeners, ports: OwnPorts): (request: { url: string }) => string {
  const publicAddress = publicAddressOf(config);
  if (publicAddress !== undefined) return () => publicAddress;
  return (request) => machineOrigin(config, ports, request.url);
}

/** Addresses of this machine that others can use. */
const outwardAddresses = () =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address)); // of which nobody else knows the zone

const bestOf = (outward: ReturnType<typeof outwardAddresses>) =>
  outward.find(({ family }) => family === "IPv4") ?? outward[0];

/**
 * Returns the host that devices use: the name in the request, or an outward address where that is `localhost`, which each machine has,
 * and the server listens on all addresses.
 */
export function hostForDevices(asked: string, listensOn: string): string {
  const name = asked.replace(/^\[|\]$/g, "");
  if (!isLoopback(name) || !ANY_ADDRESS.has(listensOn)) return asked;
  const address = bestOf(outwardAddresses())?.address;
  if (address === undefined) return asked;
  return isIPv6(address) ? `[${address}]` : address;
}

function machineOrigin(config: Listeners, ports: OwnPorts, requestUrl: string): string {
  const [http, https] = [ports.get("http"), ports.get("https")];
  const isPlainUsable = http !== undefined && !isPlainForMachine(config);
  const isSecure = https !== undefined && (!isPlainUsable || requestUrl.startsWith("https:"));
  const originOf = (host: string) => {
    const name = isIPv6(host) ? `[${host}]` : host;
    return new URL(isSecure ? `https://${name}:${https}` : `http://${name}:${http ?? 80}`).origin;
  };
  const listensOn = (isSecure ? config.https_host : undefined) ?? config.http_host;
  if (!ANY_ADDRESS.has(listensOn)) return originOf(listensOn);
  const outward = outwardAddresses();
  const name = hostname().toLowerCase();
  const own = [
    ...outward.map(({ address }) => address),
    ...(name === "localhost" ? [] : [name, `${name}.local`]),
  ];
  const asked = new URL(requestUrl).hostname.toLowerCase().replace(/^\[|\]$/g, "");
  return originOf(own.includes(asked) ? asked : (bestOf(outward)?.address ?? name));
}
