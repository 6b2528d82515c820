import { hostname, networkInterfaces } from "node:os";

/**
 * Scheme, host and port for links in mails that a stranger can have sent. The address of a request is whatever the sender
 * wrote into it, so it counts only where it names this machine; else the link goes to an address that this machine has.
 */
export function createOwnOrigin(publicUrl: string | undefined): (requestUrl: string) => string {
  if (publicUrl !== undefined) {
    const { origin } = new URL(publicUrl);
    return () => origin;
  }
  return (requestUrl) => {
    const url = new URL(requestUrl);
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const name = hostname().toLowerCase();
    const own = new Set(["localhost", name, `${name}.local`, ...addresses.map(({ address }) => address)]);
    if (own.has(url.hostname.toLowerCase().replace(/^\[|\]$/g, ""))) return url.origin;
    const outward = addresses.find(({ internal, family }) => !internal && family === "IPv4");
    return `${url.protocol}//${outward?.address ?? name}${url.port === "" ? "" : `:${url.port}`}`;
  };
}
