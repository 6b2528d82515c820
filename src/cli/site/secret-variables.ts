import { isSecretHeader } from "../../lib/outbound-request.ts";
import type { FieldPath } from "./site.types.ts";

/*
 * Secrets of site files come from environment variables. A file that somebody else wrote must get at no other variable, and must not put a
 * secret where others can read it.
 */

export const SECRET_PREFIX = "LINESIDE_SECRET_";

/** Names of fields whose values the gateway keeps sealed, or shows to administrators alone. */
const secretFields: ReadonlySet<string> = new Set([
  "apiKey",
  "passphrase",
  "password",
  "privateKey",
  "secret",
  "secretAccessKey",
  "signingSecret",
  "token",
]);
/** Sections whose addresses and bodies only administrators read. */
const messagingSections: ReadonlySet<string> = new Set(["messengers", "notifications"]);
const messagingFields: ReadonlySet<string> = new Set(["url", "body"]);

/** Returns whether a secret may stand in a field. */
export function isSecretField(section: string, path: FieldPath): boolean {
  const names = path.filter((part) => typeof part === "string");
  const [name = "", around] = names.toReversed();
  if (secretFields.has(name) || (around === "credentials" && name === "key")) return true;
  if (around === "headers") return isSecretHeader(name) || messagingSections.has(section);
  return messagingSections.has(section) && messagingFields.has(name);
}

/** Returns the secrets of the environment, by the names that files have for them. */
export const secretsOf = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(env)
      .filter(([name]) => name.startsWith(SECRET_PREFIX))
      .map(([name, value]) => [name.slice(SECRET_PREFIX.length), value]),
  );
