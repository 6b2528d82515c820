import { isSecretHeader } from "../../lib/network/outbound-request.ts";
import type { FieldPath } from "./site.types.ts";

/*
 * Secrets in site files come from environment variables. A file that somebody else wrote must not get access to other variables, or put a
 * secret where others can read it.
 */

export const SECRET_PREFIX = "LINESIDE_SECRET_";

/** Fields whose values the gateway encrypts or shows to administrators only. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  "apiKey",
  "passphrase",
  "password",
  "privateKey",
  "secret",
  "secretAccessKey",
  "signingSecret",
  "token",
]);
/** Sections whose URLs and bodies only administrators can read. */
const MESSAGING_SECTIONS: ReadonlySet<string> = new Set(["messengers", "notifications"]);
const MESSAGING_FIELDS: ReadonlySet<string> = new Set(["url", "body"]);

/** Returns whether a field may contain a secret, judged by its name, the name of its parent and its section. */
export function isSecretField(section: string, path: FieldPath): boolean {
  const names = path.filter((part) => typeof part === "string");
  const [name = "", around] = names.toReversed();
  if (SECRET_FIELDS.has(name) || (around === "credentials" && name === "key")) return true;
  if (around === "headers") return isSecretHeader(name) || MESSAGING_SECTIONS.has(section);
  return MESSAGING_SECTIONS.has(section) && MESSAGING_FIELDS.has(name);
}

/** Returns the secrets in the environment by their names in site files. */
export const secretsOf = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(env)
      .filter(([name]) => name.startsWith(SECRET_PREFIX))
      .map(([name, value]) => [name.slice(SECRET_PREFIX.length), value]),
  );
