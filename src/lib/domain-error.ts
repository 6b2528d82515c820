import { excerpt } from "./excerpt.ts";

/** No message is longer, whatever text of a request it quotes. */
const MESSAGE_CHARACTERS_MAX = 1_000;

/** Whose fault it is and what may be done about it; edges map kinds to HTTP statuses and MQTT reason codes once. */
export type ErrorKind =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "too_large"
  | "unsupported"
  | "limited"
  /** A quota is used up; waiting does not help. */
  | "exhausted"
  | "unavailable";

/** An error that a caller may see: `code` is stable (`device.not_found`), `message` is for a person, printable and on one line. */
export class DomainError extends Error {
  readonly code: string;
  readonly kind: ErrorKind;
  /** Seconds after which a `limited` or `unavailable` request may be repeated. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    kind: ErrorKind,
    code: string,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(
      excerpt(message, MESSAGE_CHARACTERS_MAX),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = "DomainError";
    this.kind = kind;
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export const invalid = (code: string, message: string) => new DomainError("invalid", code, message);
export const notFound = (code: string, message: string) => new DomainError("not_found", code, message);
export const conflict = (code: string, message: string) => new DomainError("conflict", code, message);
export const forbidden = (code: string, message: string) => new DomainError("forbidden", code, message);
export const exhausted = (code: string, message: string) => new DomainError("exhausted", code, message);
export const tooLarge = (code: string, message: string) => new DomainError("too_large", code, message);
export const unavailable = (code: string, message: string, cause?: unknown) =>
  new DomainError("unavailable", code, message, { cause, retryAfterSeconds: 5 });
