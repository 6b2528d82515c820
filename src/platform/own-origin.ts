import { isIPv6 } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import type { Config } from "./config.ts";
import type { OwnPorts } from "./own-ports.ts";

const ANY_ADDRESS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/**
 * Scheme, host and port for links in mails and in texts that are handed on. The address of a request is whatever the sender
 * wrote into it: of it counts only which of this machine's names and outward addresses it is, and whether it came by TLS, never its
 * port, and nothing that each machine has, such as `localhost`, where the reader's own would answer.
 */
export function createOwnOrigin(
  {
    public_url: publicUrl,
    http_host: listensOn,
    http_port,
  }: Pick<Config, "public_url" | "http_host" | "http_port">,
  ports: OwnPorts,
): (requestUrl: string) => string {
  if (publicUrl !== undefined) {
    const { origin } = new URL(publicUrl);
    return () => origin;
  }
  return (requestUrl) => {
    const secure = requestUrl.startsWith("https:") ? ports.get("https") : undefined;
    const originOf = (host: string) => {
      const name = isIPv6(host) ? `[${host}]` : host;
      return new URL(
        secure === undefined
          ? `http://${name}:${ports.get("http") ?? http_port}`
          : `https://${name}:${secure}`,
      ).origin;
    };
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
