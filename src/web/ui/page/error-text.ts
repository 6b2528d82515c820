import { ApiError } from "../../platform/api-client.ts";
import { fieldOf, ruleText, serverText } from "../../platform/i18n/error-texts.ts";
import { t } from "../../platform/i18n/i18n.ts";

/** Returns the cause of an error and its remedy for the user. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return t("error.unexpected");
  const { status, text } = error;
  // More detailed than the server's text, which does not know about the list to return to.
  if (status === 404) return t("error.notFound");
  return text === undefined ? statusText(error) : serverText(text, error.message);
}

/** Returns the text for a response without an error code. */
function statusText({ status, message, retryAfterSeconds = 60 }: ApiError): string {
  switch (status) {
    case 0:
      return t("error.unreachable");
    case 400:
      return message || t("error.invalidPlain");
    case 401:
      return t("error.signedOut");
    case 403:
      return t("error.forbidden");
    case 409:
      return message || t("error.conflictPlain");
    case 413:
      return t("error.tooLarge");
    case 429:
      return t("error.tooMany", { seconds: retryAfterSeconds });
    case 503:
      return t("error.storage");
    default:
      return t("error.server", { status });
  }
}

interface FieldProblem {
  /** Name of the field in the request. */
  readonly field: string;
  readonly text: string;
}

/** Returns the error of a field of the form, to be shown next to the field rather than below the form. */
export function fieldProblem(error: unknown, fields: readonly string[]): FieldProblem | undefined {
  if (!(error instanceof ApiError) || error.text === undefined) return undefined;
  const field = fieldOf(error.text);
  return field !== undefined && fields.includes(field)
    ? { field, text: ruleText(error.text, field, error.message) }
    : undefined;
}
