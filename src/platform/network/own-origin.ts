import { isIPv6 } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import type { Config } from "../config/config.ts";
import type { OwnPorts } from "./own-ports.ts";
import { publicAddressOf } from "./public-address.ts";

const ANY_ADDRESS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

export const isLoopback = (host: string): boolean => /^(127\.|::1$|localhost$)/.test(host);

/** Returns whether HTTP without TLS is limited to programs on this machine, and other clients use HTTPS. */
export const isPlainForMachine = ({
  tls,
  http_host: plain,
  https_host: secure,
  https_port: port,
}: Pick<Config, "tls" | "http_host" | "https_host" | "https_port">): boolean =>
  tls !== "off" && port !== "off" && isLoopback(plain) && secure !== undefined && !isLoopback(secure);

type Listeners = Pick<Config, "public_url" | "tls" | "http_host" | "https_host" | "https_port">;

/**
 * Returns the address for links in mails and forwarded texts, without a trailing slash. The address of a request is chosen by its sender: only its
 * host and the use of TLS count, and only if the host is a name or outward address of this machine. Names that every machine has, such as
 * `localhost`, would lead to the machine of the reader. Headers of a proxy do not count, because many proxies pass on headers of the client: set
 * `public_url` behind a proxy.
 */
export function createOwnOrigin(config: Listeners, ports: OwnPorts): (request: { url: string }) => string {
  const publicAddress = publicAddressOf(config);
  if (publicAddress !== undefined) return () => publicAddress;
  return (request) => machineOrigin(config, ports, request.url);
}

/** Returns the addresses of this machine that others can use. */
const outwardAddresses = () =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address)); // link-local: the zone is valid on this machine only

const bestOf = (outward: ReturnType<typeof outwardAddresses>) =>
  outward.find(({ family }) => family === "IPv4") ?? outward[0];

/**
 * Returns the host for devices: the name in the request, or an outward address if the name is `localhost` and the server listens on all addresses.
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
