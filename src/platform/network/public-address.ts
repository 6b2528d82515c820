import { entranceRoutes, screenRoutes } from "../../lib/console/console-routes.ts";

/*
 * The base path is the path of `public_url`; it has no setting of its own. A gateway with a base path is behind a proxy, whose address the links in
 * emails need anyway, and two settings could contradict each other.
 */

interface PublicUrl {
  readonly public_url: string | undefined;
}

/** First segments of the gateway's own paths. A base path that begins with one of them would be ambiguous. */
const ownParts: ReadonlySet<string> = new Set([
  ...[
    "api",
    "assets",
    "docs",
    "health",
    "healthz",
    "idp",
    "metrics",
    "mqtt",
    "ping",
    "query",
    "readyz",
    "write",
  ],
  ...[...Object.values(entranceRoutes), ...Object.values(screenRoutes)].map(firstPartOf),
]);

function firstPartOf(path: string): string {
  return path.split("/")[1] ?? "";
}

/** Returns the base path without a trailing slash: `/lineside`, or an empty string. */
export const basePathOf = ({ public_url: url }: PublicUrl): string =>
  url === undefined ? "" : new URL(url).pathname.replace(/\/$/, "");

/** Returns `public_url` without a trailing slash, so that a path can be appended. */
export const publicAddressOf = (config: PublicUrl): string | undefined =>
  config.public_url === undefined ? undefined : new URL(config.public_url).origin + basePathOf(config);

/** Returns the mistakes in `public_url`, one sentence each. */
export function checkPublicUrl(url: unknown): string[] {
  if (typeof url !== "string") return [];
  if (!/^https?:\/\/[^/]+/.test(url) || !URL.canParse(url))
    return ["public_url must be an http or https address."];
  if (/[?#]/.test(url)) return ["public_url must have no query (?) and no fragment (#)."];
  const path = basePathOf({ public_url: url });
  if (path === "") return [];
  if (!/^(\/[\w-][\w.~-]*)+$/.test(path))
    return ["The path of public_url may have letters, digits, and the characters - _ . ~ only."];
  return ownParts.has(firstPartOf(path))
    ? [`The path of public_url must not begin with /${firstPartOf(path)}, which is a path of the gateway.`]
    : [];
}
