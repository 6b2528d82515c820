/*
 * Checks headers and URLs of requests that users define (webhooks, messaging gateways). All senders use these checks.
 */

import { detail } from "../core/domain-error.ts";
import { excerpt } from "../strings/excerpt.ts";
import type { Text } from "../texts/text.ts";

/** Headers with secret values, which are encrypted and not shown again. */
const SECRET_HEADER = /^(authorization|cookie)$|token|secret|api-?key|password|passwd|signature|credential/i;
/** Headers that the sender writes itself, or that would change the kind of request. */
const OWN_HEADER =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|x-lineside-.*)$/i;

export const isSecretHeader = (name: string): boolean => SECRET_HEADER.test(name);

/** Returns why the header cannot be sent; undefined if it can. Unknown values are not checked. */
export function headerProblem(name: string, value: unknown): Text | undefined {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(name))
    return detail("rule.header_name", { name: excerpt(name) });
  if (OWN_HEADER.test(name)) return detail("rule.header_own", { name: excerpt(name) });
  if (typeof value === "string" && !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    return detail("rule.header_value", { name: excerpt(name) });
  return undefined;
}

/** Returns why nothing can be sent to the address; undefined if the address itself is valid. */
export function urlProblem(text: string): Text | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === "")
    return detail("rule.http_address");
  if (url.username !== "" || url.password !== "") return detail("rule.address_password");
  return undefined;
}

/** Last words of the names of query parameters that often hold secrets, such as access keys of cloud functions and chat webhooks. */
const SECRET_WORD =
  /^((shared|subscription|account|stream|app|write|read|function|auth|api|access|secret|private|user)?(key|pass|token)|code|sig|auth|pwd|pw|jwt|hmac|bearer|sas|session)$/;
const SECRET_PARAMETER = /api_key|access[-_]?key|authorization/i;

/** Returns whether a parameter is secret by its name, including names of secret headers. Digits, brackets and spaces around a word are ignored. */
function isSecretParameter(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
  return isSecretHeader(name) || SECRET_PARAMETER.test(name) || SECRET_WORD.test(words.at(-1) ?? "");
}

/** Decodes percent-encoding. Leaves invalid encoding unchanged. */
const decodedPath = (text: string): string =>
  text.replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });

/** Works like `decodedPath` for a query, in which `+` is a space. */
const decoded = (text: string): string => decodedPath(text.replaceAll("+", " "));

/** Placeholder of a secret in a displayed address: the id of the encrypted address, and from 2 on the occurrence of the name in it. */
const SECRET_MARK = /kept-[0-9a-f]{16}/;
export const WHOLE_SECRET_MARK = /^kept-([0-9a-f]{16})(?:-([1-9]\d{0,4}))?$/;

/**
 * Hosts whose webhook addresses are secrets, each with the public beginning of the path. Their documentation calls the address or this part of it a
 * secret: Slack, Discord, Microsoft Teams, IFTTT, Telegram.
 */
const SECRET_PATHS: ReadonlyArray<readonly [host: RegExp, shown: RegExp]> = [
  [/^hooks\.slack(?:-gov)?\.com$/i, /^\/+[^/]+\//],
  [/^(?:[\w-]+\.)?discord(?:app)?\.com$/i, /^\/+api(?:\/+v\d+)?\/+webhooks\/+[^/]+\//i],
  [/\.webhook\.office\.com$/i, /^\/+[^/]+\//],
  [/^maker\.ifttt\.com$/i, /^.*\/key\//i],
  [/^api\.telegram\.org$/i, /^\/+(?:file\/+)?(?=bot)/i],
];

/** Returns the length of the public beginning of a path, by the rules of its host; undefined for other hosts and paths. */
function shownPathLength(origin: string, path: string): number | undefined {
  const host = URL.canParse(origin) ? new URL(origin).hostname.replace(/\.$/, "") : "";
  for (const [ofHost, shown] of SECRET_PATHS) if (ofHost.test(host)) return shown.exec(path)?.[0].length;
  return undefined;
}

/** Returns whether a part of a path may be a token: at least 20 characters with letters and digits, or the placeholder of one. */
const looksLikeToken = (text: string): boolean =>
  hasMark(text) || /^(?=.*[A-Za-z])(?=.*\d)[\w.~:=@+-]{20,}$/.test(decodedPath(text));

/** Secret in an address: its position, and whether it certainly is one or only resembles one. */
export interface UrlSecret {
  /** Decoded name in the query; for a part of the path `/` with its number, and `#` for the fragment. */
  readonly name: string;
  /** Occurrence of this name, from 1. */
  readonly occurrence: number;
  readonly isCertain: boolean;
}

type ChangeSecret = (value: string, of: UrlSecret) => string;

function changePath(origin: string, path: string, change: ChangeSecret): string {
  const shownLength = shownPathLength(origin, path) ?? Number.POSITIVE_INFINITY;
  let offset = 0;
  return path
    .split("/")
    .map((part, index) => {
      const isCertain = offset >= shownLength;
      offset += part.length + 1;
      if (part === "" || !(isCertain || looksLikeToken(part))) return part;
      return change(part, { name: `/${index}`, occurrence: 1, isCertain });
    })
    .join("/");
}

function changeQuery(query: string, change: ChangeSecret): string {
  /** Number of secrets so far, by name. */
  const counts = new Map<string, number>();
  const pieces = query.split("&").map((piece) => {
    const [, written = "", value = ""] = /^([^=]*)=(.*)$/s.exec(piece) ?? [];
    const name = decoded(written);
    if (value === "" || !isSecretParameter(name)) return piece;
    const occurrence = (counts.get(name) ?? 0) + 1;
    counts.set(name, occurrence);
    return `${written}=${change(value, { name, occurrence, isCertain: true })}`;
  });
  return pieces.join("&");
}

/** Returns the address with `change` applied to the secrets of its path, query and fragment, which remain percent-encoded. */
export function changeUrlSecrets(url: string, change: ChangeSecret): string {
  const [, origin = "", path = "", query, fragment] =
    /^([^/?#]*\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(url) ?? [];
  const isSecretFragment = fragment !== undefined && looksLikeToken(fragment);
  const end = isSecretFragment ? change(fragment, { name: "#", occurrence: 1, isCertain: false }) : fragment;
  return [
    origin,
    changePath(origin, path, change),
    ...(query === undefined ? [] : [`?${changeQuery(query, change)}`]),
    ...(end === undefined ? [] : [`#${end}`]),
  ].join("");
}

/** Returns whether a text contains the placeholder of a secret, even percent-encoded. */
export const hasMark = (text: string): boolean => SECRET_MARK.test(decoded(text));

/** Returns whether an address has the placeholder of a secret at a position without a secret. */
export const hasStrayMark = (url: string): boolean => hasMark(changeUrlSecrets(url, () => ""));

/** Returns the reason for refusing an address that others can read: a secret in its query or path. */
export function secretProblem(url: string): Text | undefined {
  let found: string | undefined;
  changeUrlSecrets(url, (value, { name, isCertain }) => {
    if (isCertain) found ??= name;
    return value;
  });
  if (found === undefined) return undefined;
  return found.startsWith("/")
    ? detail("rule.path_secret")
    : detail("rule.query_secret", { name: excerpt(found) });
}
