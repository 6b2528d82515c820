import { isIPv6 } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import type { Config } from "./config.ts";

const ANY_ADDRESS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/**
 * Scheme, host and port for links in mails that a stranger can have sent. The address of a request is whatever the sender
 * wrote into it: of it counts only which of this machine's names and outward addresses it is, never its port, and nothing
 * that each machine has, such as `localhost`, where the reader's own would answer.
 */
export function createOwnOrigin(
  { public_url: publicUrl, http_host: listensOn }: Pick<Config, "public_url" | "http_host">,
  port: () => number,
): (requestUrl: string) => string {
  if (publicUrl !== undefined) {
    const { origin } = new URL(publicUrl);
    return () => origin;
  }
  const originOf = (host: string) => new URL(`http://${isIPv6(host) ? `[${host}]` : host}:${port()}`).origin;
  return (requestUrl) => {
    if (!ANY_ADDRESS.has(listensOn)) return originOf(listensOn);
    const outward = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ internal, address }) => !internal && !/^fe80:/i.test(address)); // of which nobody else knows the zone
    const name = hostname().toLowerCase();
    const own = [
      ...outward.map(({ address }) => address),
      ...(name === "localhost" ? [] : [name, `${name}.local`]),
    ];
    const asked = new URL(requestUrl).hostname.toLowerCase().replace(/^\[|\]$/g, "");
    const best = outward.find(({ family }) => family === "IPv4") ?? outward[0];
    return originOf(own.includes(asked) ? asked : (best?.address ?? name));
  };
}
