import type { JsonObject } from "../json/json.ts";
import { excerpt } from "../strings/excerpt.ts";
import { type CodeArgs, type ErrorCode, renderIn } from "../texts/catalogues.ts";
import type { Params, ParamValue, Text } from "../texts/text.ts";

/** Max. characters of a message or parameter, which may quote a request. */
const MESSAGE_CHARACTERS_MAX = 1_000;

/** Kind of an error: the party at fault and the remedy. The interfaces map kinds to HTTP statuses and MQTT reason codes in one place. */
export type ErrorKind =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  /** The caller read an older version than the current one. */
  | "outdated"
  /** The expected event did not occur in time. */
  | "timed_out"
  | "too_large"
  | "unsupported"
  | "limited"
  /** A quota is used up, and waiting does not help. */
  | "exhausted"
  | "unavailable";

/** Renders a text in English, for logs and for readers with an unknown language. */
export const inEnglish = (text: Text): string => renderIn("en", text);

const shorten = (value: ParamValue): ParamValue =>
  typeof value === "string" ? excerpt(value, MESSAGE_CHARACTERS_MAX) : value;

const shortenAll = (params: Params): Params =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, shorten(value)]));

/**
 * Error that a caller may see. `code` and `params` are its meaning; `message` is the same in printable English on one line, for logs and for clients
 * without a catalog.
 */
export class DomainError extends Error implements Text {
  readonly code: string;
  readonly params: Params;
  readonly kind: ErrorKind;
  /** Seconds after which a `limited` or `unavailable` request may be repeated. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    kind: ErrorKind,
    { code, params }: Text,
    options: { cause?: unknown; retryAfterSeconds?: number | undefined } = {},
  ) {
    const shortened = shortenAll(params);
    super(
      excerpt(inEnglish({ code, params: shortened }), MESSAGE_CHARACTERS_MAX),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = "DomainError";
    this.kind = kind;
    this.code = code;
    this.params = shortened;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Returns a text of the error catalog: the violated rule of a field, or the reason within another error. */
export const detail = <Code extends ErrorCode>(code: Code, ...args: CodeArgs<Code>): Text => ({
  code,
  params: args[0] ?? {},
});

/** Returns the stored form of an error, without parts for its caller alone. */
export const toText = ({ code, params }: Text): Text => ({ code, params });

/** Returns an error for protocols without status codes: in English for programs without a catalog, and as a code with parameters. */
export const errorReply = (text: Text): JsonObject => ({
  error: inEnglish(text),
  errorText: { code: text.code, params: text.params as unknown as JsonObject }, // parameters are JSON
});

const ofKind =
  (kind: ErrorKind) =>
  <Code extends ErrorCode>(code: Code, ...args: CodeArgs<Code>): DomainError =>
    new DomainError(kind, detail(code, ...args));

export const invalid = ofKind("invalid");
export const unauthenticated = ofKind("unauthenticated");
export const forbidden = ofKind("forbidden");
export const notFound = ofKind("not_found");
export const conflict = ofKind("conflict");
export const outdated = ofKind("outdated");
export const timedOut = ofKind("timed_out");
export const tooLarge = ofKind("too_large");
export const unsupported = ofKind("unsupported");
export const exhausted = ofKind("exhausted");

export const limited = <Code extends ErrorCode>(
  code: Code,
  retryAfterSeconds: number | undefined,
  ...args: CodeArgs<Code>
): DomainError => new DomainError("limited", detail(code, ...args), { retryAfterSeconds });

const RETRY_AFTER_SECONDS = 5;

export const unavailable = <Code extends ErrorCode>(code: Code, ...args: CodeArgs<Code>): DomainError =>
  new DomainError("unavailable", detail(code, ...args), { retryAfterSeconds: RETRY_AFTER_SECONDS });

/** Works like `unavailable`. The cause is logged and never sent. */
export const unavailableDueTo = <Code extends ErrorCode>(
  cause: unknown,
  code: Code,
  ...args: CodeArgs<Code>
): DomainError =>
  new DomainError("unavailable", detail(code, ...args), { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
