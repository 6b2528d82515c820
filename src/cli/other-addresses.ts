import { networkInterfaces } from "node:os";
import type { Config } from "../platform/config/config.ts";

const ADDRESSES_MAX = 4;

/** Returns the link with other addresses of this host, for users at another computer; empty if the settings contain the address. */
export function fromElsewhere(
  link: string,
  config: Pick<Config, "public_url" | "http_host" | "https_host">,
): string[] {
  const host = (link.startsWith("https:") ? config.https_host : undefined) ?? config.http_host;
  if (config.public_url !== undefined || !["0.0.0.0", "::"].includes(host)) return [];
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .slice(0, ADDRESSES_MAX)
    .map(({ address }) => link.replace("//localhost:", `//${address}:`));
}
