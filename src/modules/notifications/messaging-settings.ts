import { detail, invalid } from "../../lib/core/domain-error.ts";
import { headerProblem, isSecretHeader, urlProblem } from "../../lib/network/outbound-request.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Sealed } from "../outbound/outbound.types.ts";
import {
  fillBody,
  fillUrl,
  PLACEHOLDER_NAMES,
  PLACEHOLDER_USES_MAX,
  repeatedPlaceholder,
  unknownPlaceholders,
} from "./message-template.ts";
import type { Messaging } from "./notifications.types.ts";

/** Settings in API form; null keeps the value of a header. */
export interface MessagingInput {
  readonly url: string;
  readonly method?: Messaging["method"];
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly contentType?: string;
  readonly body: string;
}

const wrong = (field: string, rule: Text) => invalid("notifications.messaging_invalid", { field, rule });

/** Returns sample values with difficult characters, to test a template. */
const samples = (text: string) => Object.fromEntries(PLACEHOLDER_NAMES.map((name) => [name, text]));

function originOf(url: string, value: string): string {
  const filled = fillUrl(url, samples(value));
  return URL.canParse(filled) ? new URL(filled).origin : "";
}

function checkUrl(url: string, refusalOf: (url: string) => Text | undefined): void {
  const filled = fillUrl(url, samples("a"));
  const problem = urlProblem(filled);
  if (problem !== undefined) throw wrong("url", problem);
  if (originOf(url, "a") !== originOf(url, "b")) throw wrong("url", detail("rule.server_depends_on_value"));
  const refusal = refusalOf(filled);
  if (refusal !== undefined) throw wrong("url", detail("rule.address_refused", { refusal }));
}

function checkTexts({ url, body, contentType = "application/json" }: MessagingInput): void {
  for (const [field, template] of Object.entries({ url, body })) {
    const [unknown] = unknownPlaceholders(template);
    if (unknown !== undefined)
      throw wrong(
        field,
        detail("rule.placeholder_unknown", {
          placeholder: `\${${unknown}}`,
          names: PLACEHOLDER_NAMES.join(", "),
        }),
      );
    const repeated = repeatedPlaceholder(template);
    if (repeated !== undefined)
      throw wrong(
        field,
        detail("rule.placeholder_repeated", { placeholder: `\${${repeated}}`, max: PLACEHOLDER_USES_MAX }),
      );
  }
  if (!/[/+]json\b/i.test(contentType)) return;
  try {
    JSON.parse(fillBody(body, contentType, samples('"\\\n')));
  } catch {
    throw wrong("body", detail("rule.not_json"));
  }
}

/** Refuses an invalid header, including the content type, which has its own field. */
function ensureHeader(name: string, value: string | null): void {
  const problem = /^content-type$/i.test(name)
    ? detail("rule.content_type_header")
    : headerProblem(name, value);
  if (problem !== undefined) throw wrong("headers", problem);
}

function headersOf(
  input: MessagingInput,
  before: Messaging | null,
  seal: (text: string) => Sealed,
): Messaging["headers"] {
  const isMoved = before !== null && originOf(before.url, "a") !== originOf(input.url, "a");
  const kept = (name: string) => {
    const value = before !== null && Object.hasOwn(before.headers, name) ? before.headers[name] : undefined;
    if (value === undefined) throw wrong("headers", detail("rule.header_not_kept", { name: excerpt(name) }));
    // Otherwise, users could obtain the secret by changing the address to their own server.
    if (isMoved) throw wrong("headers", detail("rule.header_moved", { name: excerpt(name) }));
    return value;
  };
  const entries = Object.entries(input.headers ?? {}).map(([name, value]) => {
    ensureHeader(name, value);
    if (value === null) return [name, kept(name)] as const;
    return [name, isSecretHeader(name) ? seal(value) : value] as const;
  });
  return Object.fromEntries(entries);
}

/** @throws DomainError `invalid` that names the field */
export function readMessaging(
  input: MessagingInput,
  deps: {
    readonly before: Messaging | null;
    readonly seal: (text: string) => Sealed;
    readonly refusalOf: (url: string) => Text | undefined;
  },
): Messaging {
  const { url, method = "POST", contentType = "application/json", body } = input;
  checkTexts(input);
  checkUrl(url, deps.refusalOf);
  return { url, method, contentType, body, headers: headersOf(input, deps.before, deps.seal) };
}

/** Returns the settings for clients, with null in place of secrets. */
export const showMessaging = (messaging: Messaging | null) =>
  messaging && {
    ...messaging,
    headers: Object.fromEntries(
      Object.entries(messaging.headers).map(([name, value]) => [
        name,
        typeof value === "string" ? value : null,
      ]),
    ),
  };
