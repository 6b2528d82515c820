import { Elysia } from "elysia";
import type { Config } from "../platform/config.ts";
import { nothingHere } from "./errors.ts";
import { securityHeaders } from "./security-headers.ts";

/** RFC 9116 wants an end below a year ahead: what is read is never stale. */
const VALID_MS = 180 * 86_400_000;
const HEADERS = {
  ...securityHeaders,
  "content-type": "text/plain; charset=utf-8",
  "cache-control": "no-cache",
};

/** `/.well-known/security.txt`: where finders of vulnerabilities write to, as the person who runs the gateway has set it. */
export const securityTxt = (config: Pick<Config, "security_contact">) =>
  new Elysia({ name: "security-txt" }).get(
    "/.well-known/security.txt",
    () => {
      const { security_contact: contact } = config;
      if (contact === undefined) throw nothingHere();
      const expires = new Date(Math.floor((Date.now() + VALID_MS) / 86_400_000) * 86_400_000).toISOString();
      const lines = [
        `Contact: ${contact.startsWith("https:") ? contact : `mailto:${contact}`}`,
        `Expires: ${expires}`,
        "Preferred-Languages: en, de",
      ];
      return new Response(`${lines.join("\n")}\n`, { headers: HEADERS });
    },
    { detail: { hide: true } },
  );
