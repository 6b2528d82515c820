/*
 * What a request that people describe (a webhook, a message gateway) may say: the same everywhere, for whatever sends it trusts this.
 */

import { detail } from "../core/domain-error.ts";
import { excerpt } from "../strings/excerpt.ts";
import type { Text } from "../texts/text.ts";

/** Headers whose values are secrets: they are sealed, and not shown again. */
const SECRET_HEADER = /^(authorization|cookie)$|token|secret|api-?key|password|passwd|signature|credential/i;
/** Headers that the sender itself writes, or that would change what the request is. */
const OWN_HEADER =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|x-lineside-.*)$/i;

export const isSecretHeader = (name: string): boolean => SECRET_HEADER.test(name);

/** Returns why the header cannot be sent; undefined where it can. A value that is not known here is not looked at. */
export function headerProblem(name: string, value: unknown): Text | undefined {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(name))
    return detail("rule.header_name", { name: excerpt(name) });
  if (OWN_HEADER.test(name)) return detail("rule.header_own", { name: excerpt(name) });
  if (typeof value === "string" && !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    return detail("rule.header_value", { name: excerpt(name) });
  return undefined;
}

/** Returns why nothing can be sent there; undefined where it can, as far as the address itself tells. */
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

/** Names like those of secret headers count, too; digits, brackets and spaces around a word do not matter. */
function isSecretParameter(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
  return isSecretHeader(name) || SECRET_PARAMETER.test(name) || SECRET_WORD.test(words.at(-1) ?? "");
}

/** Decodes what is percent-encoded, and leaves what is not valid as it is. */
const decoded = (text: string): string =>
  text.replaceAll("+", " ").replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });

/** Secret in the query of an address: its decoded name, and which of the secrets with this name it is, from 1. */
export interface QuerySecret {
  readonly name: string;
  readonly occurrence: number;
}

/** Returns the address with `change` applied to the secrets of its query; their values stay percent-encoded. */
export function changeSecretQuery(url: string, change: (value: string, of: QuerySecret) => string): string {
  const [, start = url, query, end = ""] = /^([^?#]*\?)([^#]*)(.*)$/s.exec(url) ?? [];
  if (query === undefined) return url;
  /** Number of secrets so far, by name. */
  const counts = new Map<string, number>();
  const pieces = query.split("&").map((piece) => {
    const [, written = "", value = ""] = /^([^=]*)=(.*)$/s.exec(piece) ?? [];
    const name = decoded(written);
    if (value === "" || !isSecretParameter(name)) return piece;
    const occurrence = (counts.get(name) ?? 0) + 1;
    counts.set(name, occurrence);
    return `${written}=${change(value, { name, occurrence })}`;
  });
  return start + pieces.join("&") + end;
}

/** Returns why an address that others can read must not be used: a secret in its query. */
export function queryProblem(url: string): Text | undefined {
  let found: string | undefined;
  changeSecretQuery(url, (value, { name }) => {
    found ??= name;
    return value;
  });
  return found === undefined ? undefined : detail("rule.query_secret", { name: excerpt(found) });
}
